"""`scripts/bench minhash`: near-duplicates by MinHash libraries, beside newsextract's own signatures.

Needs `.venv/bin/pip install datasketch rensa`. Texts and edits are those of `scripts/bench duplicates`.

MinHash of 128 permutations over shingles of three words (five Chinese characters); two texts are copies if a band of
their hashes is equal and the resemblance that they estimate is above a threshold.
"""

import re
from collections.abc import Callable
from time import process_time
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from evaluation.duplicates.benchmark import texts_of
from evaluation.duplicates.edits import EDITS, Text, is_han, pairs
from newsextract.errors import NewsextractError
from newsextract.near_duplicates import is_copy, signature_of

THRESHOLDS = (0.5, 0.4)
PERMUTATIONS = 128
TOKEN = re.compile(r"[぀-ヿ㐀-鿿豈-﫿]|[^\W_぀-ヿ㐀-鿿豈-﫿]+")

OUT = Console(highlight=False)


def shingles(text: Text) -> list[str]:
    tokens, size = TOKEN.findall("\n".join(text).lower()), 5 if is_han(text) else 3
    return [" ".join(tokens[place : place + size]) for place in range(max(1, len(tokens) - size + 1))]


def makers() -> dict[str, Callable[[Text], Any]]:
    """Library -> function that makes its signature of a text."""
    try:
        from datasketch import MinHash
        from rensa import CMinHash, RMinHash
    except ImportError as error:
        raise NewsextractError(f"{error}; pip install datasketch rensa") from error

    def of_datasketch(text: Text) -> Any:
        made = MinHash(num_perm=PERMUTATIONS)
        made.update_batch([shingle.encode() for shingle in shingles(text)])
        return made

    def of_rensa(kind: Any) -> Callable[[Text], Any]:
        def make(text: Text) -> Any:
            made = kind(num_perm=PERMUTATIONS, seed=42)
            made.update(shingles(text))
            return made

        return make

    rensa = {f"rensa {kind.__name__}": of_rensa(kind) for kind in (RMinHash, CMinHash)}
    return {"datasketch": of_datasketch, **rensa, "newsextract": lambda text: signature_of("\n".join(text))}


def marked(make: Callable[[Text], Any], first: Text, second: Text, threshold: float) -> bool:
    """Whether datasketch marks the second text as a copy."""
    from datasketch import MinHashLSH

    index = MinHashLSH(threshold=threshold, num_perm=PERMUTATIONS)
    one, other = make(first), make(second)
    index.insert("first", one)
    return bool(index.query(other)) and one.jaccard(other) >= threshold


def main(texts: Annotated[int, typer.Option(min=10, help="At most so many texts of a set.")] = 80) -> None:
    """Time per signature, then the share of second texts that are marked as copies."""
    some = texts_of(texts)
    make = makers()
    for name, of in make.items():
        of(some[0])
        start = process_time()
        for text in some:
            of(text)
        OUT.print(f"{name}: {1e3 * (process_time() - start) / len(some):.2f} ms a text")
    columns = [f"datasketch, {threshold}" for threshold in THRESHOLDS]
    table = Table("second text", "a copy", "texts", *columns, "newsextract", title=f"{len(some)} texts")
    for edit, copy in EDITS.items():
        made = [pair for _, pair in pairs(edit, some)]
        shares = [
            sum(marked(make["datasketch"], *pair, threshold) for pair in made) / len(made) for threshold in THRESHOLDS
        ]
        own = sum(is_copy(make["newsextract"](b), make["newsextract"](a)) for a, b in made) / len(made)
        numbers = [f"{share:.3f}" for share in (*shares, own)]
        table.add_row(edit.__name__, "yes" if copy else "no", str(len(made)), *numbers)
    OUT.print(table)
