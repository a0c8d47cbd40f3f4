"""Device memory that outlives the process that filled it.

    import gms

    with gms.connect("weights", lease="rw") as memory:
        memory.put("greeting", memory.allocate(5).write(b"hello"))
        memory.commit()

    with gms.connect("weights") as memory:
        print(memory.open_layout()["greeting"].read(5))

A thin face of libgms.so: the standard library is all it needs.
"""

from __future__ import annotations

from ._memory import Block, Entry, Layout, Memory, connect, use_mem_pool
from ._errors import (
    Conflict,
    Error,
    NoMemory,
    NotFound,
    PermissionDenied,
    Timeout,
    Unavailable,
)

__all__ = [
    "Block",
    "Conflict",
    "Entry",
    "Error",
    "Layout",
    "Memory",
    "NoMemory",
    "NotFound",
    "PermissionDenied",
    "Timeout",
    "Unavailable",
    "connect",
    "use_mem_pool",
]
