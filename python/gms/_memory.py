"""Memory pools, their blocks and layouts."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Literal

from . import _native
from ._errors import check
from ._native import lib

Lease = Literal["ro", "rw", "rw_or_ro", "rw_data_or_rw", "rw_shadow"]
Grant = Literal["ro", "rw", "rw_data"]
Backing = Literal["server", "slabs", "scratch"]

_LEASES: dict[str, int] = {"ro": 0, "rw": 1, "rw_or_ro": 2, "rw_data_or_rw": 3, "rw_shadow": 4}
_GRANTS: dict[int, Grant | None] = {0: None, 1: "ro", 2: "rw", 3: "rw_data"}
_BACKINGS: dict[str, int] = {"server": 0, "slabs": 1, "scratch": 2}


def _number(table: Mapping[str, int], name: str, what: str) -> int:
    if name not in table:
        raise ValueError(f"{what} must be one of {', '.join(table)}, not {name!r}")
    return table[name]


def _milliseconds(seconds: float | None) -> int:
    """None is as long as it takes."""
    if seconds is None:
        return -1
    if seconds < 0:
        raise ValueError("a time must not be negative; None means as long as it takes")
    return int(seconds * 1000)


def _text(value: str | None) -> bytes | None:
    return None if value is None else value.encode()


class Block:
    """Memory at an address that stays, also while the pool sleeps."""

    def __init__(self, memory: Memory, address: int, size: int) -> None:
        self._memory = memory
        self.address = address
        self.size = size

    def write(self, data: bytes, offset: int = 0) -> Block:
        """Copies bytes into the block."""
        self._check_range(offset, len(data))
        check(lib.gms_write(self._memory.handle, self.address + offset, data, len(data)))
        return self

    def read(self, size: int | None = None, offset: int = 0) -> bytes:
        """Copies bytes out of the block."""
        count = self.size - offset if size is None else size
        self._check_range(offset, count)
        buffer = ctypes.create_string_buffer(max(count, 1))
        check(lib.gms_read(self._memory.handle, buffer, self.address + offset, count))
        return buffer.raw[:count]

    @property
    def view(self) -> memoryview:
        """The block itself, where the processor may use it. Do not touch it while the pool sleeps."""
        if not lib.gms_host_accessible(self._memory.handle):
            raise BufferError("the processor cannot use this device's memory: read and write copy")
        array = (ctypes.c_ubyte * self.size).from_address(self.address)
        view = memoryview(array).cast("B")
        return view if self._memory.find(self.address).is_writable else view.toreadonly()

    def free(self) -> None:
        check(lib.gms_free(self._memory.handle, self.address))

    def _check_range(self, offset: int, size: int) -> None:
        if offset < 0 or size < 0 or offset + size > self.size:
            raise IndexError(f"bytes {offset} to {offset + size} of a block of {self.size}")

    def __len__(self) -> int:
        return self.size

    def __repr__(self) -> str:
        return f"Block(address={self.address:#x}, size={self.size})"


@dataclass(frozen=True)
class Entry:
    """A named place in the pool, with bytes that describe it."""

    key: str
    block: Block  # from the place to the end of its allocation
    allocation_id: str
    offset: int
    value: bytes

    def read(self, size: int | None = None) -> bytes:
        return self.block.read(size)


@dataclass(frozen=True)
class Found:
    """The mapping that holds an address."""

    address: int
    size: int
    mapped_size: int
    allocation_id: str
    tag: str
    is_mapped: bool
    is_writable: bool


class Layout(Mapping[str, Entry]):
    """Everything that is published, mapped; its names and where they are."""

    def __init__(self, generation: int, hash: str, blocks: dict[str, Block], entries: dict[str, Entry]) -> None:
        self.generation = generation
        self.hash = hash
        self.blocks = blocks  # by allocation
        self._entries = entries

    def __getitem__(self, key: str) -> Entry:
        return self._entries[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


class Memory:
    """A client of one memory pool. Use it with `with`, or close it."""

    def __init__(
        self,
        tag: str = "weights",
        *,
        device: int = 0,
        socket: str | None = None,
        socket_dir: str | None = None,
        name: str | None = None,
        connect_timeout: float | None = 30.0,
        rpc_timeout: float | None = 30.0,
        scratch_block: int = 0,
        granularity: int = 0,
    ) -> None:
        self._handle: int | None = None
        options = _native.Options()
        lib.gms_options_init_sized(options, ctypes.sizeof(options))
        options.tag = _text(tag)
        options.device = device
        options.socket = _text(socket)
        options.socket_dir = _text(socket_dir)
        options.name = _text(name)
        options.connect_timeout_ms = _milliseconds(connect_timeout)
        options.rpc_timeout_ms = _milliseconds(rpc_timeout)
        options.scratch_block = scratch_block
        options.granularity = granularity
        handle = ctypes.c_void_p()
        check(lib.gms_open(options, handle))
        self._handle = handle.value
        self.tag = tag

    @property
    def handle(self) -> int:
        if self._handle is None:
            raise ValueError("the memory is closed")
        return self._handle

    def connect(self, lease: Lease = "ro", timeout: float | None = None) -> Grant:
        """Waits for the lease and says what was granted."""
        check(lib.gms_connect(self.handle, _number(_LEASES, lease, "lease"), _milliseconds(timeout)))
        grant = self.grant
        assert grant is not None
        return grant

    @property
    def grant(self) -> Grant | None:
        return _GRANTS[lib.gms_granted(self.handle)]

    def disconnect(self) -> None:
        check(lib.gms_disconnect(self.handle))

    def close(self) -> None:
        """Unmaps everything and gives the lease back. Blocks are of no more use."""
        if self._handle is not None:
            lib.gms_close(self._handle)
            self._handle = None

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.close()

    def allocate(self, size: int) -> Block:
        """Memory of the server, mapped for writing."""
        address = ctypes.c_void_p()
        check(lib.gms_allocate(self.handle, size, address))
        assert address.value is not None
        return Block(self, address.value, size)

    def map(self, allocation_id: str) -> Block:
        """An allocation that is there."""
        address = ctypes.c_void_p()
        check(lib.gms_map(self.handle, allocation_id.encode(), address))
        assert address.value is not None
        return Block(self, address.value, self.find(address.value).size)

    def find(self, address: int) -> Found:
        """The mapping that holds an address."""
        found = _native.Mapping()
        check(lib.gms_find(self.handle, address, found))
        return _found(found)

    @property
    def total_bytes(self) -> int:
        return int(lib.gms_total_bytes(self.handle))

    def put(self, key: str, where: Block | int, value: bytes = b"") -> None:
        """Names a place."""
        address = where.address if isinstance(where, Block) else where
        check(lib.gms_metadata_put(self.handle, key.encode(), address, value, len(value)))

    def get(self, key: str) -> Entry:
        """The place of that name; its allocation is mapped when it is not yet."""
        entry = _native.Entry()
        check(lib.gms_metadata_get(self.handle, key.encode(), entry))
        allocation_id = (entry.allocation_id or b"").decode()
        found = _entry(entry)
        base = self.map(allocation_id)
        return _place(self, found, base)

    def open_layout(self) -> Layout:
        """Maps everything that is published."""
        handle = ctypes.c_void_p()
        check(lib.gms_open_layout(self.handle, handle))
        try:
            return _read_layout(self, handle)
        finally:
            lib.gms_layout_free(handle)

    def commit(self) -> None:
        """Publishes what was written; the memory becomes read-only and the lease a reader's."""
        check(lib.gms_commit(self.handle))

    def commit_layout(self) -> None:
        """Seals the shape: a successor may adopt the memory."""
        check(lib.gms_commit_layout(self.handle))

    def sleep(self) -> None:
        """Unmaps everything and gives the lease back; addresses stay reserved."""
        check(lib.gms_sleep(self.handle))

    def wake(self, lease: Lease = "ro", timeout: float | None = None) -> None:
        """Everything is back at its address, or nothing is."""
        check(lib.gms_wake(self.handle, _number(_LEASES, lease, "lease"), _milliseconds(timeout)))

    def reset(self) -> None:
        """After Unavailable: unmaps and keeps addresses, ready to wake."""
        check(lib.gms_reset(self.handle))

    def scratch_to_memory(self) -> None:
        """Scratch becomes real with the next wake for writing; call it asleep."""
        check(lib.gms_scratch_to_memory(self.handle))


@dataclass(frozen=True)
class _RawEntry:
    key: str
    allocation_id: str
    offset: int
    value: bytes


def _found(raw: _native.Mapping) -> Found:
    return Found(
        address=raw.address or 0,
        size=raw.size,
        mapped_size=raw.mapped_size,
        allocation_id=raw.allocation_id.decode(),
        tag=raw.tag.decode(),
        is_mapped=bool(raw.is_mapped),
        is_writable=bool(raw.is_writable),
    )


def _entry(raw: _native.Entry) -> _RawEntry:
    value = ctypes.string_at(raw.value, raw.value_size) if raw.value_size else b""
    return _RawEntry(raw.key.decode(), raw.allocation_id.decode(), raw.offset, value)


def _place(memory: Memory, raw: _RawEntry, base: Block) -> Entry:
    block = Block(memory, base.address + raw.offset, max(base.size - raw.offset, 0))
    return Entry(raw.key, block, raw.allocation_id, raw.offset, raw.value)


def _read_layout(memory: Memory, handle: ctypes.c_void_p) -> Layout:
    blocks: dict[str, Block] = {}
    for index in range(lib.gms_layout_mappings(handle)):
        mapping = _native.Mapping()
        check(lib.gms_layout_mapping(handle, index, mapping))
        found = _found(mapping)
        blocks[found.allocation_id] = Block(memory, found.address, found.size)
    entries: dict[str, Entry] = {}
    for index in range(lib.gms_layout_entries(handle)):
        raw = _native.Entry()
        check(lib.gms_layout_entry(handle, index, raw))
        entry = _entry(raw)
        entries[entry.key] = _place(memory, entry, blocks[entry.allocation_id])
    return Layout(lib.gms_layout_generation(handle), lib.gms_layout_hash(handle).decode(), blocks, entries)


def connect(
    tag: str = "weights",
    lease: Lease = "ro",
    *,
    timeout: float | None = None,
    device: int = 0,
    socket: str | None = None,
    socket_dir: str | None = None,
    name: str | None = None,
) -> Memory:
    """Opens a memory pool and waits for the lease."""
    memory = Memory(tag, device=device, socket=socket, socket_dir=socket_dir, name=name)
    try:
        memory.connect(lease, timeout)
    except BaseException:
        memory.close()
        raise
    return memory


@contextlib.contextmanager
def use_mem_pool(memory: Memory, backing: Backing = "slabs") -> Iterator[None]:
    """Blocks that PyTorch's pluggable allocator takes in this thread come from the pool.

    Raises the allocator's first failure at the end: the framework only tells that memory ran out.
    """
    tag = memory.tag.encode()
    check(lib.gms_allocator_register(memory.handle, tag, _number(_BACKINGS, backing, "backing")))
    check(lib.gms_allocator_use(tag))
    try:
        yield
    finally:
        check(lib.gms_allocator_use(None))
    check(lib.gms_allocator_failure())
