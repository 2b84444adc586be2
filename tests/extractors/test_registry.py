"""The registry: each method under its name, one's own by import path, wrong names told with the right ones."""

import subprocess
import sys

import pytest

from newsextract.errors import UnknownExtractor, WrongOption
from newsextract.extractors import make_extractor
from newsextract.extractors.econ import Econ


def test_make_extractor_of_unknown_name_lists_known_ones() -> None:
    with pytest.raises(UnknownExtractor, match=r"did you mean econ\?.*cedst.*tsrec"):
        make_extractor("ecom")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("econ", {"gama": 2}, r"'gama'.*strict_marks, repaired"),
        ("bte", {"gamma": 2}, "none"),
        ("econ", {"repaired": "yes"}, "True or False"),
        ("cetd", {"density": "text"}, "ctd, td"),
        ("cepr", {"tau": -1}, "tau"),
        ("cetr", {"clusters": 1}, "clusters"),
        ("cetr", {"alpha": 2.5}, "alpha is a whole number"),
        ("cedst", {"gamma": 0}, "cedst: gamma"),
        ("cedst", {"weight": 1}, "cedst: weight"),
        ("cedst-nc", {"weight": True}, "weight is a number"),
    ],
)
def test_make_extractor_refuses_wrong_options_and_says_what_is_right(name: str, options: dict, message: str) -> None:
    with pytest.raises(WrongOption, match=message):
        make_extractor(name, options)


def test_make_extractor_imports_class_by_dotted_path() -> None:
    assert make_extractor("newsextract.extractors.econ.Econ", {"repaired": True}) == Econ(repaired=True)
    for path in ("newsextract.nowhere.Nothing", "newsextract.items.Article", "os.path", ".x"):
        with pytest.raises(UnknownExtractor, match=r"newsextract|os|x"):
            make_extractor(path)


def test_registry_imports_an_extractor_on_first_use() -> None:
    code = "import sys, newsextract; sys.exit('scipy' in sys.modules or 'jieba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
