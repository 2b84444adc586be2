"""The examples of docs/SCHEDULE.md: sites.toml, cron, systemd and scrapyd accept them."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from newsextract.runs.notifications import parse_services
from tests.crawling import CHECKOUT, run_command

PAGE = CHECKOUT / "docs" / "SCHEDULE.md"


def blocks(language: str) -> list[str]:
    text = PAGE.read_text("utf-8").partition("## Sites")[2]
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "sites.toml").write_text(blocks("toml")[0])
    return tmp_path


def here(text: str, folder: Path) -> str:
    """The example with this machine's paths."""
    text = text.replace("/opt/newsextract", str(CHECKOUT / ".venv"))
    return text.replace("/srv/news", str(folder)).replace("=news\n", "=root\n")


def test_the_example_of_alerts_is_right(monkeypatch):
    monkeypatch.setenv("NEWS_SLACK", "slack://TokenA0000/TokenB0000/TokenC000000000000000000/#news")
    [*_, text] = blocks("toml")
    assert len(parse_services(tomllib.loads(text)["alerts"], thoroughly=True)) == 3


def test_the_line_for_cron_has_five_fields_and_a_command_that_finds_the_example_of_a_file_right(folder):
    for line in blocks("cron"):
        *times, command = line.split(maxsplit=5)
        assert all(re.fullmatch(r"[\d*/,-]+", field) for field in times)
    command = blocks("cron")[0].split(maxsplit=5)[-1]
    checking = here(command, folder).replace(" 2>>", " --check 2>>")
    done = run_command(["sh", "-c", checking], folder)
    assert re.search(r"courier.*site.*0:30:00.*never.*now.*wire", done.stdout, re.S)


def test_the_units_for_systemd_are_whole_and_start_the_same_command(folder):
    service, timer = (here(text, folder) for text in blocks("ini")[:2])  # the third is scrapyd's
    (folder / "news.service").write_text(service)
    (folder / "news.timer").write_text(timer)
    [command] = re.findall(r"^ExecStart=(\S+) crawl sites\.toml$", service, re.M)
    assert Path(command).is_file()
    assert re.search(r"^OnCalendar=\S+$", timer, re.M)
    if verify := shutil.which("systemd-analyze"):
        units = [str(folder / name) for name in ("news.service", "news.timer")]
        done = subprocess.run([verify, "verify", "--man=no", *units], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
