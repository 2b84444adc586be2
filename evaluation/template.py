"""How often a block that another page of the site has too is article all the same: the weight of a peer's evidence."""

from collections.abc import Sequence

import numpy as np

from evaluation.corpus import Corpus
from evaluation.labels import labels
from evaluation.pairs import choose_peers
from newsextract.extractors.fusion.peer import LONG, SAME, SHORT
from newsextract.page import Page

#: Pages of a corpus that are paired at most, and the pseudo-count of each kind.
MOST, UNSEEN = 300, 1.0


def peer_ratios(corpora: Sequence[Corpus]) -> list[float]:
    """log p(shared | news) / p(shared | not news), and the same of blocks that the peer lacks; short, then long.

    Pairs of one article under two addresses are left out, as `fusion` leaves them out.
    """
    counts = np.full((2, 2, 2), UNSEEN)  # short or long, article or not, shared or not
    for corpus in corpora:
        peers = choose_peers(corpus)
        for gold in [row for row in corpus.gold if row.id in peers and row.text is not None][:MOST]:
            page, peer = Page(corpus.html(gold.id), gold.url), Page(corpus.html(peers[gold.id].id))
            texts, there = page.blocks.texts, set(peer.blocks.texts)
            shared = np.array([text in there for text in texts], int)
            news = (labels(gold, texts) >= 0.5).astype(int)
            if not news.any() or shared[news > 0].mean() <= SAME:
                usable = page.blocks.lengths >= SHORT
                rows = (page.blocks.lengths >= LONG).astype(int)[usable], 1 - news[usable], 1 - shared[usable]
                np.add.at(counts, rows, 1)
    shares = counts / counts.sum(2, keepdims=True)
    return [round(float(ratio), 3) for ratio in np.log(shares[:, 0] / shares[:, 1]).ravel()]
