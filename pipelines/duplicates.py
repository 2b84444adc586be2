"""The former pipeline for the signatures of articles, which StoragePipeline computes; goes with version 1.3."""

import warnings


class DuplicatesPipeline:
    """Passes all items on."""

    def __init__(self) -> None:
        warnings.warn(
            "DuplicatesPipeline does nothing; remove it from ITEM_PIPELINES", DeprecationWarning, stacklevel=2
        )

    def process_item(self, item: object) -> object:
        return item
