"""The list of packages: every folder below newsextract/, and spiders/ and pipelines/ as packages inside it.

All other metadata is in pyproject.toml, which cannot combine a search for packages with packages kept elsewhere.
"""

from setuptools import find_namespace_packages, setup

setup(
    packages=[*find_namespace_packages(include=["newsextract*"]), "newsextract.spiders", "newsextract.pipelines"],
    package_dir={"newsextract.spiders": "spiders", "newsextract.pipelines": "pipelines"},
)
