"""Weights that were fitted on labelled pages: files beside the code, a sign a line, made by `scripts/bench fit`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Fitted:
    """The weight of each sign, of a page without any (`bias`), and the weight from which on the answer is yes."""

    weights: Mapping[str, float]
    bias: float = 0.0
    threshold: float = 0.0

    def weigh(self, signs: Mapping[str, float]) -> float:
        """The weight of these signs; what is not weighed adds nothing."""
        weights = self.weights
        return self.bias + sum([weights[name] * value for name, value in signs.items() if name in weights])


@cache
def fitted(name: str) -> Fitted:
    """The weights of the file NAME.json of this room, read once."""
    values = json.loads(files("newsextract.metadata").joinpath(f"{name}.json").read_text(encoding="utf-8"))
    return Fitted(values["weights"], values.get("bias", 0.0), values.get("threshold", 0.0))
