"""The message if pages can't be rendered: one sentence, before anything is fetched."""

import pytest

from newsextract.crawl.render import programs
from newsextract.crawl.render.programs import render_mode, why_not_renderable


def test_render_mode_reads_words_and_refuses_others():
    for value, mode in ((False, "never"), ("0", "never"), (None, "never"), ("True", "always"), ("Auto", "auto")):
        assert render_mode(value) == mode
    for wrong in ("sometimes", 2, [], {}):
        with pytest.raises(ValueError, match='must be true, false or "auto"'):
            render_mode(wrong)


def test_packages_that_are_missing_are_named(monkeypatch):
    monkeypatch.setattr(programs, "MODULES", ("no_such_package",))
    assert why_not_renderable({"NEWSEXTRACT_RENDER": False}) is None
    assert why_not_renderable({"NEWSEXTRACT_RENDER": "auto"}) == (
        "rendering pages needs no_such_package, which is not installed: pip install 'newsextract[render]'"
    )


def test_browser_that_is_missing_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(programs, "MODULES", ())
    monkeypatch.setitem(programs.CHROMIUM, "programs", {})
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    assert "needs Chromium, and none was found" in (why_not_renderable({"NEWSEXTRACT_RENDER": True}) or "")
    (tmp_path / "chromium-1234").mkdir()
    assert why_not_renderable({"NEWSEXTRACT_RENDER": True}) is None


def test_browser_that_is_none_is_said():
    settings = {"NEWSEXTRACT_RENDER": "auto", "NEWSEXTRACT_RENDER_BROWSER": "/no/browser"}
    assert "NEWSEXTRACT_RENDER_BROWSER is '/no/browser', which isn't a program" in (why_not_renderable(settings) or "")
