"""Linear models: feature weights fitted on labelled pages by `scripts/bench fit`, in a JSON file beside the code."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class LinearModel:
    """A weight per feature, a bias, and the score from which on the answer is yes."""

    weights: Mapping[str, float]
    bias: float = 0.0
    threshold: float = 0.0

    def score(self, features: Mapping[str, float]) -> float:
        """bias + sum of weight * value over the features; features without a weight add nothing."""
        weights = self.weights
        return self.bias + sum([weights[name] * value for name, value in features.items() if name in weights])


@cache
def load_model(name: str) -> LinearModel:
    """The model of the file NAME.json of this package ("headline", "page_type"); read once."""
    return read_linear_model(files("newsextract.metadata").joinpath(f"{name}.json").read_text(encoding="utf-8"))


def read_linear_model(text: str) -> LinearModel:
    values = json.loads(text)
    return LinearModel(values["weights"], values.get("bias", 0.0), values.get("threshold", 0.0))
