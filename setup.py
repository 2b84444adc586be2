"""The list of packages: every folder below newsextract/, and spiders/ and pipelines/ as packages inside it.

All other metadata is in pyproject.toml, which cannot combine a search for packages with packages kept elsewhere. What
a build makes on the way goes to a temporary folder: left in the checkout (build/), it would be taken for source, and
modules that were deleted since would get into the next wheel.
"""

import atexit
import shutil
import tempfile

from setuptools import find_namespace_packages, setup

build_folder = tempfile.mkdtemp(prefix="newsextract-build-")
atexit.register(shutil.rmtree, build_folder, ignore_errors=True)
setup(
    packages=[*find_namespace_packages(include=["newsextract*"]), "newsextract.spiders", "newsextract.pipelines"],
    package_dir={"newsextract.spiders": "spiders", "newsextract.pipelines": "pipelines"},
    options={"build": {"build_base": build_folder}},
)
