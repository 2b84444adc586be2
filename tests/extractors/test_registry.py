"""The registry: each method under its name, one's own by import path, wrong names told with the right ones."""

import subprocess
import sys

import pytest

from newsextract import EXTRACTORS
from newsextract.errors import UnknownExtractor, WrongOption
from newsextract.extractors import make_extractor
from newsextract.extractors.econ import Econ


@pytest.mark.parametrize("name", EXTRACTORS)
def test_each_class_bears_the_name_it_is_found_by(name: str) -> None:
    assert EXTRACTORS[name].name == name
    assert EXTRACTORS[name].paper


def test_an_unknown_name_is_told_with_the_known_ones() -> None:
    with pytest.raises(UnknownExtractor, match=r"did you mean econ\?.*cedst.*tsrec"):
        make_extractor("ecom")


def test_an_unknown_option_is_told_with_the_known_ones() -> None:
    with pytest.raises(WrongOption, match=r"'gama'.*strict_marks, repaired"):
        make_extractor("econ", {"gama": 2})
    with pytest.raises(WrongOption, match="none"):
        make_extractor("bte", {"gamma": 2})


def test_a_class_of_ones_own_is_found_by_its_path() -> None:
    assert make_extractor("newsextract.extractors.econ.Econ") == Econ()
    for path in ("newsextract.nowhere.Nothing", "newsextract.items.Article", "os.path", ".x"):
        with pytest.raises(UnknownExtractor, match=r"newsextract|os|x"):
            make_extractor(path)


def test_a_method_is_imported_only_when_it_is_asked_for() -> None:
    code = "import sys, newsextract; sys.exit('scipy' in sys.modules or 'jieba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
