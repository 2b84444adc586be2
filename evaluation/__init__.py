"""Evaluation: extractors scored on corpora, training of weights, benchmarks of speed and durability (`scripts/bench`).

Not part of the wheel. NEWSEXTRACT_CORPORA names the folder of all corpora, which is the default.
"""

from pathlib import Path

#: The folder of the checkout.
CHECKOUT = Path(__file__).resolve().parent.parent
