"""Training of the default extractor's network: logistic output, one hidden layer, by Adam; reproducible from a seed.

D. Kingma, J. Ba. Adam: a method for stochastic optimization. ICLR 2015. The step falls along a cosine; dropout on
evidence and hidden units and a little weight decay (applied to the weights, not the gradient: I. Loshchilov,
F. Hutter, ICLR 2019) keep single features from deciding.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.extractors.fusion.network import CLIP

Floats = NDArray[np.float32]
#: Blocks whose predictions are computed at once.
PART = 50_000


@dataclass(frozen=True)
class Fitting:
    """Hyperparameters; `hidden`: units of the hidden layer."""

    hidden: int = 64
    epochs: int = 10
    rate: float = 2e-3
    decay: float = 1e-2
    drop_evidence: float = 0.2
    drop_hidden: float = 0.2
    batch: int = 1024


@dataclass(frozen=True)
class Distillation:
    """How a student learns from `teachers` networks: `share` of its labels is their mean prediction."""

    teachers: int = 5
    share: float = 0.9
    student: Fitting = Fitting(epochs=20, drop_evidence=0.1, drop_hidden=0.1)


@dataclass
class Network:
    """Standardisation and layers [weights, biases, weights, bias], as in `fusion.model.Model`."""

    means: Floats
    scales: Floats
    layers: list[Floats]

    def logits(self, evidence: Floats) -> Floats:
        first, bias, second, offset = self.layers
        standard = np.clip((evidence - self.means) / self.scales, -CLIP, CLIP)
        logits: Floats = (np.maximum(0, standard @ first + bias) @ second + offset)[:, 0]
        return logits


def fit(evidence: Floats, labels: Floats, weights: Floats, seed: int, how: Fitting) -> Network:
    """Fits a network to `evidence` (blocks, features) and soft `labels` (blocks,) by weighted cross entropy."""
    means, scales = moments(evidence, weights)
    standard = np.clip((evidence - means) / scales, -CLIP, CLIP).astype(np.float32)
    weights = (weights / weights.mean()).astype(np.float32)
    chance = np.random.default_rng(seed)
    layers = []
    for inputs, outputs in ((standard.shape[1], how.hidden), (how.hidden, 1)):
        spread = np.sqrt(2 / inputs) * (0.1 if outputs == 1 else 1)
        layers += [
            (chance.standard_normal((inputs, outputs)) * spread).astype(np.float32),
            np.zeros(outputs, np.float32),
        ]
    adam, steps = Adam(layers, [how.decay, 0, how.decay, 0]), how.epochs * (len(standard) // how.batch)
    for _ in range(how.epochs):
        order = chance.permutation(len(standard))
        for start in range(0, len(order) - how.batch + 1, how.batch):
            rows = order[start : start + how.batch]
            step = adam.steps + 1
            rate = how.rate * min(1, step / 100) * (0.5 * (1 + np.cos(np.pi * step / steps)) + 0.01)
            adam.step(_gradients(layers, standard[rows], labels[rows], weights[rows], how, chance), np.float32(rate))
    return Network(means, scales, layers)


def distil(
    evidence: Floats, labels: Floats, weights: Floats, seed: int, how: Fitting, distillation: Distillation
) -> Network:
    """Fits teachers to the labels, with the hyperparameters `how`, and a student to their mean prediction.

    A single network depends on its start, and labels contain errors. Teachers start from the seeds 1, 2, ...; `seed` is
    the student's. G. Hinton, O. Vinyals, J. Dean. Distilling the knowledge in a neural network. 2015.
    """
    teachers = [fit(evidence, labels, weights, start, how) for start in range(1, distillation.teachers + 1)]
    predicted = np.empty_like(labels)
    for begin in range(0, len(evidence), PART):
        rows = slice(begin, begin + PART)
        logits = np.mean([teacher.logits(evidence[rows]) for teacher in teachers], 0)
        predicted[rows] = 1 / (1 + np.exp(-logits))
    soft_labels = (1 - distillation.share) * labels + distillation.share * predicted
    return fit(evidence, soft_labels, weights, seed, distillation.student)


def mean_of(networks: Sequence[Network]) -> Network:
    """One network whose log odds are the means of these, which have the same standardisation: their hidden units side
    by side. A single one depends on where it started.
    """
    first, bias, second, offset = zip(*(network.layers for network in networks), strict=True)
    layers = [np.concatenate(first, 1), np.concatenate(bias), np.concatenate(second) / np.float32(len(networks))]
    layers.append(np.mean(offset, 0))
    return Network(networks[0].means, networks[0].scales, layers)


class Adam:
    """Adam's steps over layers, which it changes in place; `decays`: the weight decay of each layer."""

    def __init__(self, layers: Sequence[Floats], decays: Sequence[float]) -> None:
        self.layers, self.decays, self.steps = layers, decays, 0
        self.moments = [(np.zeros_like(layer), np.zeros_like(layer)) for layer in layers]

    def step(self, gradients: Sequence[Floats], rate: np.floating[Any]) -> None:
        """One step along the gradients."""
        self.steps += 1
        rows = zip(self.layers, self.decays, self.moments, gradients, strict=True)
        for layer, decay, (mean, square), gradient in rows:
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient * gradient - square)
            change = mean / (1 - 0.9**self.steps) / (np.sqrt(square / (1 - 0.999**self.steps)) + 1e-8)
            layer[...] = layer - rate * (change + decay * layer)


def moments(evidence: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Weighted mean and standard deviation of each feature."""
    share = (weights / weights.sum()).astype(np.float64)
    means = share @ evidence
    squares = share @ np.square(evidence, dtype=np.float64)
    return means.astype(np.float32), (np.sqrt(np.maximum(0, squares - means**2)) + 1e-3).astype(np.float32)


def _gradients(
    layers: list[Floats], x: Floats, y: Floats, w: Floats, how: Fitting, chance: np.random.Generator
) -> list[Floats]:
    x = x * _dropped(x.shape, how.drop_evidence, chance)
    first, bias, second, offset = layers
    hidden = x @ first + bias
    alive = (hidden > 0) * _dropped(hidden.shape, how.drop_hidden, chance)
    held = hidden * alive
    logits = (held @ second + offset)[:, 0]
    error = ((1 / (1 + np.exp(-np.clip(logits, -30, 30))) - y) * w / len(y))[:, None].astype(np.float32)
    back = (error @ second.T) * alive
    return [x.T @ back, back.sum(0), held.T @ error, error.sum(0)]


def _dropped(shape: tuple[int, ...], share: float, chance: np.random.Generator) -> Floats:
    if not share:
        return np.ones(shape, np.float32)
    kept: Floats = ((chance.random(shape, dtype=np.float32) > share) / np.float32(1 - share)).astype(np.float32)
    return kept
