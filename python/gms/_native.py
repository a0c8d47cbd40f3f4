"""libgms.so as ctypes sees it; mirrors include/gms.h and nothing else."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
from ctypes import POINTER, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path

MAJOR = 1


class Options(ctypes.Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("socket", c_char_p),
        ("socket_dir", c_char_p),
        ("tag", c_char_p),
        ("name", c_char_p),
        ("device", c_int),
        ("connect_timeout_ms", c_int64),
        ("rpc_timeout_ms", c_int64),
        ("scratch_block", c_uint64),
        ("granularity", c_uint64),
    ]


class Mapping(ctypes.Structure):
    _fields_ = [
        ("address", c_void_p),
        ("size", c_uint64),
        ("mapped_size", c_uint64),
        ("allocation_id", c_char_p),
        ("tag", c_char_p),
        ("is_mapped", c_int),
        ("is_writable", c_int),
    ]


class Entry(ctypes.Structure):
    _fields_ = [
        ("key", c_char_p),
        ("address", c_void_p),
        ("allocation_id", c_char_p),
        ("offset", c_uint64),
        ("value", c_void_p),
        ("value_size", c_size_t),
    ]


# name: (result, arguments). Results of type c_int are gms_code unless named in _PLAIN.
_FUNCTIONS: dict[str, tuple[object, list[object]]] = {
    "gms_version": (c_uint32, []),
    "gms_code_name": (c_char_p, [c_int]),
    "gms_error": (c_char_p, []),
    "gms_options_init_sized": (None, [POINTER(Options), c_size_t]),
    "gms_open": (c_int, [POINTER(Options), POINTER(c_void_p)]),
    "gms_close": (None, [c_void_p]),
    "gms_connect": (c_int, [c_void_p, c_int, c_int64]),
    "gms_disconnect": (c_int, [c_void_p]),
    "gms_granted": (c_int, [c_void_p]),
    "gms_allocate": (c_int, [c_void_p, c_uint64, POINTER(c_void_p)]),
    "gms_free": (c_int, [c_void_p, c_void_p]),
    "gms_map": (c_int, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "gms_find": (c_int, [c_void_p, c_void_p, POINTER(Mapping)]),
    "gms_total_bytes": (c_uint64, [c_void_p]),
    "gms_write": (c_int, [c_void_p, c_void_p, c_void_p, c_uint64]),
    "gms_read": (c_int, [c_void_p, c_void_p, c_void_p, c_uint64]),
    "gms_host_accessible": (c_int, [c_void_p]),
    "gms_metadata_put": (c_int, [c_void_p, c_char_p, c_void_p, c_char_p, c_size_t]),
    "gms_metadata_get": (c_int, [c_void_p, c_char_p, POINTER(Entry)]),
    "gms_open_layout": (c_int, [c_void_p, POINTER(c_void_p)]),
    "gms_layout_free": (None, [c_void_p]),
    "gms_layout_hash": (c_char_p, [c_void_p]),
    "gms_layout_generation": (c_uint64, [c_void_p]),
    "gms_layout_mappings": (c_size_t, [c_void_p]),
    "gms_layout_mapping": (c_int, [c_void_p, c_size_t, POINTER(Mapping)]),
    "gms_layout_entries": (c_size_t, [c_void_p]),
    "gms_layout_entry": (c_int, [c_void_p, c_size_t, POINTER(Entry)]),
    "gms_commit": (c_int, [c_void_p]),
    "gms_commit_layout": (c_int, [c_void_p]),
    "gms_sleep": (c_int, [c_void_p]),
    "gms_wake": (c_int, [c_void_p, c_int, c_int64]),
    "gms_reset": (c_int, [c_void_p]),
    "gms_allocator_register": (c_int, [c_void_p, c_char_p, c_int]),
    "gms_allocator_unregister": (None, [c_char_p]),
    "gms_allocator_use": (c_int, [c_char_p]),
    "gms_allocator_failure": (c_int, []),
    "gms_allocator_live_blocks": (c_size_t, [c_char_p]),
    "gms_scratch_to_memory": (c_int, [c_void_p]),
}


def _candidates() -> list[str]:
    chosen = os.environ.get("GMS_LIBRARY")
    if chosen:
        return [chosen]
    beside = Path(__file__).parent / f"libgms.so.{MAJOR}"
    found = ctypes.util.find_library("gms")
    return [*([str(beside)] if beside.exists() else []), *([found] if found else []), f"libgms.so.{MAJOR}"]


def _load() -> ctypes.CDLL:
    tried: list[str] = []
    for name in _candidates():
        try:
            library = ctypes.CDLL(name)
        except OSError as error:
            tried.append(f"{name}: {error}")
            continue
        for function, (result, arguments) in _FUNCTIONS.items():
            bound = getattr(library, function)
            bound.restype = result
            bound.argtypes = arguments
        if library.gms_version() >> 16 != MAJOR:
            raise ImportError(f"{name} has major version {library.gms_version() >> 16}, this package needs {MAJOR}")
        return library
    raise ImportError("libgms.so was not found; set GMS_LIBRARY to its path. Tried " + "; ".join(tried))


lib = _load()
