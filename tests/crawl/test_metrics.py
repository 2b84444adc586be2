"""Metrics of crawls for Prometheus: a text file, an endpoint on loopback, the dashboard; the docs list every stat."""

import json
import re
import socket
import urllib.request

import pytest

from newsextract.crawl.checks import metrics_target
from newsextract.crawl.metrics import FAMILIES, MetricsStore, read_metrics, shared_store
from newsextract.errors import StorageError
from tests.crawling import CHECKOUT, free_port, settings


def target_of(value: object) -> object:
    return metrics_target(settings(NEWSEXTRACT_METRICS=value))


def test_processes_with_one_text_file_add_to_each_others_counters(tmp_path):
    file = tmp_path / "m.prom"
    one, other = MetricsStore(file), MetricsStore(file)
    for store, number in ((one, 3), (other, 4), (one, 5)):
        store.add("newsextract_pages_total", ("courier",), number)
        store.set("newsextract_crawl_running", (f"by {number}",), 1)
        store.write()
    values = read_metrics(file)
    assert values["newsextract_pages_total", ("courier",)] == 12
    running = {label for name, labels in values if name == "newsextract_crawl_running" for label in labels}
    assert running == {"by 3", "by 4", "by 5"}
    file.write_text("# TYPE broken\x00{{{ 1")
    one.add("newsextract_pages_total", ("courier",), 1)
    one.write()
    assert read_metrics(file)["newsextract_pages_total", ("courier",)] == 13, "a damaged file is written anew"


def test_text_file_that_cannot_be_written_costs_the_crawl_nothing(tmp_path, caplog):
    store = MetricsStore(tmp_path / "m.prom")
    (tmp_path / "m.prom").mkdir()
    for _ in range(3):
        store.write()
    assert caplog.text.count("Metrics could not be written") == 1


def test_endpoint_serves_metrics_on_loopback_and_leaves_a_taken_port(caplog):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        shared_store(target_of(f"127.0.0.1:{port}"))
        assert f"Metrics could not be served on port {port}" in caplog.text
    port = free_port()
    store = shared_store(target_of(str(port)))
    assert store is shared_store(target_of(port)), "one of a process"
    store.add("newsextract_articles_total", ("courier", "new"), 7)
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=300) as answer:
        text = answer.read().decode()
    assert 'newsextract_articles_total{kind="new",spider="courier"} 7.0' in text
    assert target_of(None) is target_of("") is None
    with pytest.raises(StorageError, match="can't be written: the folder is missing"):
        target_of("/no/such/folder/m.prom")


def test_grafana_dashboard_asks_for_metrics_that_exist_and_docs_list_each():
    dashboard = json.loads((CHECKOUT / "docs" / "grafana.json").read_text("utf-8"))
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    assert expressions and names(" ".join(expressions)) <= FAMILIES.keys()
    for expression in expressions:
        for name, selectors in re.findall(r"(newsextract_\w+)\{([^}]*)\}", expression):
            labels = {*FAMILIES[name][0], "instance"}  # Prometheus adds the latter
            assert {*re.findall(r"(\w+)=~?\"", selectors)} <= labels, expression
        for grouped in re.findall(r"by \((\w+)\)", expression):
            assert all(grouped in FAMILIES[name][0] for name in names(expression)), expression
    variables = {variable["name"] for variable in dashboard["templating"]["list"]}
    assert {*re.findall(r"\$(\w+)", " ".join(expressions))} <= variables
    documented = (CHECKOUT / "docs" / "RUNNING.md").read_text("utf-8")
    assert [name for name in FAMILIES if f"`{name}`" not in documented] == []


def names(expression: str) -> set[str]:
    return set(re.findall(r"newsextract_\w+", expression))


#: A stat in the code; what follows a slash or a brace is a reason, a kind or a site.
STAT = re.compile(r"""["']newsextract/([a-z_]+(?:/[a-z_]+)?)""")


def test_every_stat_is_documented():
    page = (CHECKOUT / "docs/STATS.md").read_text()
    sources = [*(CHECKOUT / "newsextract").rglob("*.py"), *(CHECKOUT / "pipelines").glob("*.py")]
    sources += [*(CHECKOUT / "spiders").glob("*.py")]
    names = {name for source in sources for name in STAT.findall(source.read_text())}
    known = set(re.findall(r"newsextract/([a-z_]+(?:/[a-z_]+)?)", page))
    families = set(re.findall(r"newsextract/([a-z_]+)/[A-Z]", page))
    assert len(names) > 25
    assert {name for name in names - known if name.split("/")[0] not in families} == set()
