"""The scrapyd egg, which `scrapyd-deploy` builds with this file: the whole crawler; the wheel is the library alone.

All else about the package stands in pyproject.toml.
"""

from setuptools import Distribution, setup


class Crawler(Distribution):
    """Adds the spiders and pipelines to what an egg holds, with or without its dependencies."""

    def run_command(self, command: str) -> None:
        if command in {"bdist_egg", "bdist_uberegg"}:
            self.packages = sorted({*self.packages, "spiders", "pipelines"})
        super().run_command(command)


setup(distclass=Crawler)
