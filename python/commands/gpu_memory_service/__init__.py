"""The names under which existing deployments start the memory service, e.g. ``python3 -m gpu_memory_service.cli.server``.

The programs themselves are gms-server, gms-saver and gms-loader; they are looked for in GMS_PROGRAM_DIR, then in PATH.
What engines import is the package ``gms``.
"""
