"""A network with one hidden layer over standardised features, one logit a row: what judges blocks, and boxes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from newsextract.errors import NewsextractError
from newsextract.extractors.fusion.features import Floats

#: Standardised features are clipped to this, so that no single extreme value decides.
CLIP = 4.0
#: Matrix products up to this many multiplications are computed by one thread (OpenBLAS, interface/gemm.c).
SINGLE_THREADED = 1 << 18


@dataclass(frozen=True)
class Network:
    """`means`, `scales`: (features,); `first`: (features, hidden), `bias`: (hidden,); `second`: (hidden,), `offset`."""

    means: Floats
    scales: Floats
    first: Floats
    bias: Floats
    second: Floats
    offset: float

    def logits(self, matrix: Floats) -> Floats:
        """(rows,) log odds, from a (rows, features) matrix, which is clipped in place.

        In batches too small for the threads of the linear algebra library: for one page these cost more than they gain,
        and each of a crawl's workers has one processor.
        """
        low, high, first, bias = self._folded
        np.minimum(np.maximum(matrix, low, out=matrix), high, out=matrix)
        batch = max(1, SINGLE_THREADED // first.size)
        if len(matrix) <= batch:
            few: Floats = np.maximum(matrix @ first + bias, 0) @ self.second + np.float32(self.offset)
            return few
        hidden = np.empty((len(matrix), len(self.bias)), np.float32)
        whole = len(matrix) - len(matrix) % batch
        batches = matrix.T[:, :whole].reshape(len(first), -1, batch).transpose(1, 2, 0)
        np.matmul(batches, first, out=hidden[:whole].reshape(-1, batch, len(bias)))
        np.matmul(matrix[whole:], first, out=hidden[whole:])
        hidden += bias
        np.maximum(hidden, 0, out=hidden)
        logits = np.full(len(hidden), self.offset, np.float32)
        logits[:whole] += (hidden[:whole].reshape(-1, batch, len(bias)) @ self.second).ravel()
        logits[whole:] += hidden[whole:] @ self.second
        return logits

    @cached_property
    def _folded(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Bounds of the features, and the first layer with the standardisation folded in."""
        reach = CLIP * self.scales
        first = self.first / self.scales[:, None]
        return self.means - reach, self.means + reach, first, self.bias - self.means @ first


def read_layers(values: Mapping[str, Any], features: Sequence[str], kind: str) -> dict[str, Any]:
    """The fields of a `Network` in a file of weights. Raises NewsextractError if it is for other features.

    `kind`: what the weights are of, for the message.
    """
    rows = values["features"]
    if [row[0] for row in rows] != list(features):
        raise NewsextractError(f"the weights of {kind} are for other features than this version has: fit them again")
    columns = np.array([row[1:] for row in rows], np.float32)
    return {
        "means": columns[:, 0],
        "scales": columns[:, 1],
        "first": np.ascontiguousarray(columns[:, 2:]),
        "bias": np.array(values["bias"], np.float32),
        "second": np.array(values["second"], np.float32),
        "offset": float(values["offset"]),
    }
