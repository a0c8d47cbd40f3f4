"""Finds the programs and becomes one of them."""

from __future__ import annotations

import os
import shutil
import sys
from typing import NoReturn


def find(name: str) -> str:
    """The program's path; ends the process with code 1 when there is none."""
    directory = os.environ.get("GMS_PROGRAM_DIR")
    found = shutil.which(name, path=directory) if directory else shutil.which(name)
    if found is None:
        where = f"GMS_PROGRAM_DIR ({directory})" if directory else "PATH"
        sys.exit(f"{name} was not found in {where}; install it, or set GMS_PROGRAM_DIR to its folder")
    return found


def become(name: str, arguments: list[str]) -> NoReturn:
    """Replaces this process, so that signals and exit codes are the program's own."""
    os.execv(find(name), [name, *arguments])
