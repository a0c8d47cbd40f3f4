#!/usr/bin/env python3
"""The first lines of docs/gms-clients.md do what the page says when somebody types them: five_lines_test.py BUILD."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BUILD = sys.argv.pop(1)
ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 120


class FiveLines(unittest.TestCase):
    def test_the_page_can_be_tried(self):
        page = (ROOT / "docs" / "gms-clients.md").read_text()
        session = re.search(r"^## Python, five lines$.*?^```$(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1].strip().split("\n")
        typed = [re.sub(r"(\$PWD/)?build/dev", BUILD, line[2:]) for line in session if line.startswith("$ ")]
        shown = [line for line in session if not line.startswith("$ ")]
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("GMS_", "PYTHONPATH"))}
        clean["TMPDIR"] = temporary.name
        # The page leaves the server running; it would keep our pipes open.
        script = "\n".join(["trap 'kill $(jobs -p)' EXIT", *typed])
        shell = subprocess.run(["bash", "-ec", script], cwd=ROOT, env=clean, capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(shell.stdout.rstrip("\n").split("\n"), shown, shell.stderr)
        self.assertEqual(shell.returncode, 0, shell.stderr)


if __name__ == "__main__":
    unittest.main()
