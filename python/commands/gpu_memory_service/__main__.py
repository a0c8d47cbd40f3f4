"""``python3 -m gpu_memory_service``: the server."""

from __future__ import annotations

import sys

from gpu_memory_service._programs import become


def main() -> None:
    become("gms-server", sys.argv[1:])


if __name__ == "__main__":
    main()
