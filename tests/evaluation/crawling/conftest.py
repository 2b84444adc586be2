from pathlib import Path

import pytest

from tests.evaluation.crawling.saved_site import write_site


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a saved site named gazette."""
    return write_site(tmp_path / "gazette")
