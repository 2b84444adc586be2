"""The demonstration site written as a corpus: the evaluation reads it, and each page has a peer."""

from pathlib import Path

from evaluation.corpora import find_corpora
from evaluation.peers import crawled_peers
from evaluation.scores import judge
from newsextract.demo import Site
from newsextract.demo.corpus import write_corpus


def test_corpus_has_every_article_and_its_gold_text_scores_1(tmp_path: Path) -> None:
    site = Site()
    assert write_corpus(site, tmp_path / "demonstration") == len(site.gold())
    (corpus,) = find_corpora([tmp_path / "demonstration"])
    assert [row.text for row in corpus.gold] == [article.text for article in site.gold()]
    assert judge(corpus.gold[0], corpus.gold[0].text or "").f == 1


def test_corpus_pages_find_peers_of_their_own_template(tmp_path: Path) -> None:
    site = Site()
    write_corpus(site, tmp_path / "demonstration")
    (corpus,) = find_corpora([tmp_path / "demonstration"])
    template = {article.path: article.template for article in site.gold()}
    of = {row.id: template[(row.url or "").removeprefix("http://courier.example")] for row in corpus.gold}
    peers = crawled_peers(corpus)
    assert len(peers) == len(corpus.gold)
    assert all(of[identity] == of[peer.id] for identity, peer in peers.items())
