"""Failures of the memory service as exceptions."""

from __future__ import annotations

from ._native import lib


class Error(RuntimeError):
    """What the memory service refused or could not do."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.kind: str = lib.gms_code_name(code).decode()


class NotFound(Error):
    """No such allocation, name or address."""


class Conflict(Error):
    """The layout or the server is not the one that was expected."""


class PermissionDenied(Error):
    """The lease does not allow it."""


class NoMemory(Error, MemoryError):
    """The device has no memory to give now."""


class Unavailable(Error, ConnectionError):
    """The server is not there, or the connection broke."""


class Timeout(Error, TimeoutError):
    """It did not happen in time."""


_BY_CODE: dict[int, type[Error]] = {
    2: NotFound,
    4: Conflict,
    5: PermissionDenied,
    6: NoMemory,
    7: Unavailable,
    8: Timeout,
}


def check(code: int) -> None:
    """Raises unless the call succeeded."""
    if code != 0:
        raise _BY_CODE.get(code, Error)(code, lib.gms_error().decode(errors="replace"))
