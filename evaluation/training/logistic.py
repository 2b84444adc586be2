"""Logistic regression with weights of examples: what the metadata's and the site's models are fitted by."""

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

Floats = npt.NDArray[np.float64]


def fit_logistic(features: Floats, labels: Floats, weights: Floats, ridge: float) -> Floats:
    """Bias and weights that minimise the weighted log loss and ridge/2 times their squares, by L-BFGS.

    `features`: [examples, features]; `labels` (0 or 1) and `weights`: [examples]. The bias is not penalised.
    """
    columns = np.column_stack([np.ones(len(features)), features])
    ridges = np.full(columns.shape[1], ridge)
    ridges[0] = 0.0

    def loss(values: Floats) -> tuple[float, Floats]:
        odds = columns @ values
        wrong = weights * (1 / (1 + np.exp(-np.clip(odds, -30, 30))) - labels)
        total = weights @ (np.logaddexp(0, odds) - labels * odds) + ridges @ values**2 / 2
        return float(total), columns.T @ wrong + ridges * values

    return np.asarray(minimize(loss, np.zeros(columns.shape[1]), jac=True, method="L-BFGS-B").x, float)


def fit_standardised_logistic(features: Floats, labels: Floats, weights: Floats, ridge: float) -> Floats:
    """The same where each feature counts by its standard deviation; the weights are those of the features as given."""
    means, scales = features.mean(0), features.std(0) + 1e-3
    values = fit_logistic((features - means) / scales, labels, weights, ridge)
    slopes = values[1:] / scales
    return np.concatenate([[values[0] - slopes @ means], slopes])
