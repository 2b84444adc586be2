"""Training: labels by alignment, variants of pages, fits that come out the same, and a file that reads back."""

import json

import numpy as np
import pytest

from evaluation.corpora import Corpus, Gold
from evaluation.training.augment import variant
from evaluation.training.examples import examples
from evaluation.training.folds import fold_of
from evaluation.training.labels import labels
from evaluation.training.network import Fitting, fit
from evaluation.training.train import save, train
from newsextract.demo import Site
from newsextract.errors import WrongCall
from newsextract.extractors.fusion.model import read_model
from newsextract.page import Page


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Articles of the demonstration site as if each stood on a site of its own, with their variants."""
    import gzip

    site, folder = Site(), tmp_path_factory.mktemp("corpus") / "villages"
    (folder / "pages").mkdir(parents=True)
    rows = []
    for number, gold in enumerate(site.gold()[:30]):
        (folder / "pages" / f"{number}.html.gz").write_bytes(gzip.compress(site.page(gold.path).body))
        rows.append({"id": str(number), "url": f"https://paper{number}.example/{number}", "text": gold.text})
    rows.append({"id": "list", "url": "https://paper1.example/", "page_type": "listing"})
    (folder / "pages" / "list.html.gz").write_bytes(gzip.compress(b"<ul>" + b"<li><a href=x>One</a></li>" * 30))
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return examples([Corpus(folder)], 1, True, lambda name: None)


def test_labels_are_the_share_of_each_block_in_the_gold():
    gold = Gold("1", text="The river rose in the night.\nThe bridge was closed at noon by the police.")
    found = labels(gold, ["Home", "The river rose in the night.", "Share The bridge was closed", "the", "noon"])
    assert found[1] == 1
    assert found[0] == 0
    assert 0.5 < found[2] < 1


def test_labels_by_segments_leave_other_blocks_unknown():
    gold = Gold("1", wanted=("was closed at noon",), unwanted=("Follow us on all networks",))
    found = labels(gold, ["The bridge was closed at noon.", "Follow us on all networks", "Something else"])
    assert found[:2].tolist() == [1, 0]
    assert np.isnan(found[2])


def test_fold_of_pages_of_one_site_is_the_same():
    assert fold_of(Gold("1", "https://www.paper.example/a")) == fold_of(Gold("2", "http://paper.example/b"))
    hosts = [Gold(str(i), f"https://host{i}.example/", given_site="owner/paper") for i in range(20)]
    assert len({fold_of(gold) for gold in hosts}) == 1


def test_variant_keeps_the_article_and_is_reproducible(pages):
    lines = ["I think that the bridge is far too narrow."] * 3
    text = "A first paragraph, long enough to be one.</p><p>And a second one, which is as long as it."
    head = "<head><script>a < b</script></head>"
    html = f"{head}<body><article class=story><h1>Title</h1><p>{text}</p></article></body>".encode()
    changed = 0
    for number in range(30):
        gold = Gold(
            str(number), text="A first paragraph, long enough to be one.\nAnd a second one, which is as long as it."
        )
        made = variant(html, gold, lines)
        assert made == variant(html, gold, lines)
        if made is not None:
            changed += made != html
            assert "A first paragraph, long enough to be one." in " ".join(Page(made).blocks.texts)
    assert changed > 15


def test_train_is_reproducible_from_its_seed_and_its_file_is_read_back(pages, tmp_path):
    how = Fitting(hidden=4, epochs=2, batch=64)
    first, again, other = (train(pages, seed=seed, how=how).weights for seed in (1, 1, 2))
    assert first == again
    assert first["features"] != other["features"]
    save(first, tmp_path / "weights.json")
    values = json.loads((tmp_path / "weights.json").read_text())
    assert values == json.loads(json.dumps(first))
    assert np.isfinite(read_model(values).logits(pages[0].evidence)).all()


def test_train_scores_well_on_unseen_sites(pages):
    training = train(pages, how=Fitting(hidden=8, epochs=10, batch=64))
    assert training.figures["villages"]["f"] > 0.8
    assert sum(count for _, _, count in training.reliability) == 31


def test_fit_learns_what_no_single_column_says():
    columns = np.random.default_rng(0).normal(size=(500, 6)).astype(np.float32)
    wanted = (columns[:, 0] * columns[:, 1] > 0).astype(np.float32)
    how = Fitting(hidden=8, epochs=60, batch=100, drop_evidence=0, drop_hidden=0, rate=0.01)
    network = fit(columns, wanted, np.ones(500, np.float32), 5, how)
    assert ((network.logits(columns) > 0) == wanted).mean() > 0.9


def test_train_refuses_too_few_sites(pages):
    with pytest.raises(WrongCall, match="too few sites"):
        train(pages[:2])
