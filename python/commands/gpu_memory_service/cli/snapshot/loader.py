"""``python3 -m gpu_memory_service.cli.snapshot.loader``.

Where it runs beside engines, a container that ends is started again, and would load again and stand in the engines' way. So it
stays when it is done, except with ``--use-v1``, whose callers wait for its end.
"""

from __future__ import annotations

import sys

from gpu_memory_service._programs import become


def main() -> None:
    arguments = sys.argv[1:]
    become("gms-loader", arguments if "--use-v1" in arguments else [*arguments, "--linger"])


if __name__ == "__main__":
    main()
