"""What pip would install: the client without the commands, the commands without the client."""

from __future__ import annotations

import pathlib
import re
import unittest

PYTHON = pathlib.Path(__file__).resolve().parents[1]


def packages_of(project: pathlib.Path) -> list[str]:
    """Those that its pyproject.toml names."""
    line = re.search(r"^packages = \[(.*)\]$", (project / "pyproject.toml").read_text(), re.MULTILINE)
    assert line is not None, project
    return sorted(re.findall(r'"([^"]+)"', line[1]))


def packages_in(project: pathlib.Path, name: str) -> list[str]:
    """Those that are there."""
    return sorted(".".join(file.parent.relative_to(project).parts) for file in (project / name).rglob("__init__.py"))


class Distributions(unittest.TestCase):
    def test_each_names_all_packages_of_its_own_and_no_others(self) -> None:
        for project, name in ((PYTHON, "gms"), (PYTHON / "commands", "gpu_memory_service")):
            with self.subTest(name=name):
                self.assertEqual(packages_of(project), packages_in(project, name))

    def test_they_have_different_names(self) -> None:
        names = [
            re.findall(r'^name = "(.*)"$', (project / "pyproject.toml").read_text(), re.MULTILINE)
            for project in (PYTHON, PYTHON / "commands")
        ]
        self.assertEqual(names, [["gms"], ["gpu-memory-service"]])


if __name__ == "__main__":
    unittest.main()
