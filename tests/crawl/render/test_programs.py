"""What is said where no page can be rendered: one sentence, before anything is fetched."""

from pathlib import Path

import pytest

from newsextract.crawl.render import programs
from newsextract.crawl.render.programs import render_mode, why_not_renderable
from tests.crawling import crawl, web


@pytest.mark.parametrize(
    ("value", "mode"),
    [(False, "never"), ("0", "never"), (None, "never"), ("True", "always"), (1, "always"), ("Auto", "auto")],
)
def test_render_mode(value: object, mode: str) -> None:
    assert render_mode(value) == mode


@pytest.mark.parametrize("value", ["sometimes", 2, [], {}])
def test_render_mode_refuses_other_values(value: object) -> None:
    with pytest.raises(ValueError, match='must be true, false or "auto"'):
        render_mode(value)


def test_packages_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "MODULES", ("no_such_package",))
    assert why_not_renderable({"NEWSEXTRACT_RENDER": False}) is None
    assert why_not_renderable({"NEWSEXTRACT_RENDER": "auto"}) == (
        "rendering pages needs no_such_package, which is not installed: pip install 'newsextract[render]'"
    )


def test_browser_that_is_missing_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(programs, "MODULES", ())
    monkeypatch.setattr(programs, "PROGRAMS", {})
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    assert "needs a chromium, and there is none" in (why_not_renderable({"NEWSEXTRACT_RENDER": True}) or "")
    (tmp_path / "chromium-1234").mkdir()
    assert why_not_renderable({"NEWSEXTRACT_RENDER": True}) is None


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"NEWSEXTRACT_RENDER": "sometimes"}, "NEWSEXTRACT_RENDER is 'sometimes'; it must be true, false or \"auto\""),
        (
            {"NEWSEXTRACT_RENDER": "auto", "NEWSEXTRACT_RENDER_BROWSER": "/no/browser"},
            "NEWSEXTRACT_RENDER_BROWSER is '/no/browser', which isn't a program",
        ),
        ({"NEWSEXTRACT_RENDER_TIMEOUT": "soon"}, "NEWSEXTRACT_RENDER_TIMEOUT is 'soon'; it must be a number"),
    ],
)
def test_crawl_does_not_begin_with_wrong_settings(tmp_path: Path, settings: dict[str, str], sentence: str) -> None:
    with web() as site:
        done = crawl(tmp_path, "site", url=site.url, settings=settings)
    assert (done.status, site.asked) == (2, [])
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
