"""A client as existing ones are, written against the description of the protocol alone: standard library only.

What MessagePack it needs is written here by hand, so that nothing of it comes from the server's sources.
"""
import array
import os
import socket
import struct


def pack(value):
    if value is None:
        return b"\xc0"
    if value is False:
        return b"\xc2"
    if value is True:
        return b"\xc3"
    if isinstance(value, int):
        if 0 <= value < 0x80:
            return bytes([value])
        if -32 <= value < 0:
            return struct.pack("b", value)
        for code, form, low, high in ((0xCC, ">B", 0, 0xFF), (0xCD, ">H", 0, 0xFFFF), (0xCE, ">I", 0, 0xFFFFFFFF),
                                      (0xCF, ">Q", 0, 2**64 - 1), (0xD0, ">b", -0x80, 0), (0xD1, ">h", -0x8000, 0),
                                      (0xD2, ">i", -0x80000000, 0), (0xD3, ">q", -2**63, 0)):
            if low <= value <= high:
                return bytes([code]) + struct.pack(form, value)
        raise OverflowError(value)
    if isinstance(value, str):
        data = value.encode()
        if len(data) < 32:
            return bytes([0xA0 | len(data)]) + data
        if len(data) < 0x100:
            return b"\xd9" + bytes([len(data)]) + data
        return b"\xda" + struct.pack(">H", len(data)) + data
    if isinstance(value, bytes):
        if len(value) < 0x100:
            return b"\xc4" + bytes([len(value)]) + value
        return b"\xc6" + struct.pack(">I", len(value)) + value
    if isinstance(value, dict):
        assert len(value) < 16
        return bytes([0x80 | len(value)]) + b"".join(pack(k) + pack(v) for k, v in value.items())
    if isinstance(value, list):
        return b"\xdd" + struct.pack(">I", len(value)) + b"".join(pack(v) for v in value)
    raise TypeError(type(value))


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        piece = self.data[self.at:self.at + count]
        if len(piece) != count:
            raise ValueError("cut")
        self.at += count
        return piece

    def number(self, form):
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def read(self):
        code = self.number("B")
        if code < 0x80:
            return code
        if code >= 0xE0:
            return code - 0x100
        if code < 0x90:
            return self.entries(code & 15)
        if code < 0xA0:
            return [self.read() for _ in range(code & 15)]
        if code < 0xC0:
            return self.take(code & 31).decode()
        simple = {0xC0: None, 0xC2: False, 0xC3: True}
        if code in simple:
            return simple[code]
        numbers = {0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}
        if code in numbers:
            return self.number(numbers[code])
        sizes = {0xC4: ">B", 0xC5: ">H", 0xC6: ">I", 0xD9: ">B", 0xDA: ">H", 0xDB: ">I",
                 0xDC: ">H", 0xDD: ">I", 0xDE: ">H", 0xDF: ">I"}
        size = self.number(sizes[code])
        if code <= 0xC6:
            return self.take(size)
        if code <= 0xDB:
            return self.take(size).decode()
        return [self.read() for _ in range(size)] if code <= 0xDD else self.entries(size)

    def entries(self, count):
        return {self.read(): self.read() for _ in range(count)}


class Refused(Exception):
    """The server's error_response."""

    def __init__(self, response):
        super().__init__(response["error"])
        self.code = response["code"]


class Client:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(30)
        self.socket.connect(path)

    def close(self):
        self.socket.close()

    def send(self, kind, **fields):
        payload = pack({"type": kind, **fields})
        try:
            self.socket.sendall(struct.pack(">I", len(payload)) + payload)
        except BrokenPipeError:
            pass  # refused before it was asked: the reason lies ready to be read

    def receive(self):
        """The next message and the descriptors that came with its first byte."""
        fds = array.array("i")
        head, ancillary, flags, _ = self.socket.recvmsg(4, socket.CMSG_SPACE(4 * 253))
        if not head:
            raise ConnectionError("closed")
        assert not flags & socket.MSG_CTRUNC
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                fds.frombytes(data[:len(data) - len(data) % 4])
        while len(head) < 4:
            head += self.exactly(4 - len(head))
        reader = Reader(self.exactly(struct.unpack(">I", head)[0]))
        message = reader.read()
        assert reader.at == len(reader.data)
        return message, list(fds)

    def exactly(self, count):
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise ConnectionError("closed in a frame")
            data += piece
        return data

    def call(self, kind, fds=0, **fields):
        self.send(kind, **fields)
        message, descriptors = self.receive()
        if message["type"] == "error_response":
            raise Refused(message)
        assert message["type"] == kind.replace("_request", "_response"), message
        assert len(descriptors) == fds, descriptors
        return (message, descriptors) if fds else message

    def lock(self, lock_type, timeout_ms=None):
        return self.call("handshake_request", lock_type=lock_type, timeout_ms=timeout_ms)

    def lock_extended(self, lock_type):
        return self.call("handshake_request", lock_type=lock_type, timeout_ms=None, extension=1, client="test")

    def closed_by_server(self):
        ended = self.socket.recv(1) == b""
        self.close()
        return ended


def close_all(fds):
    for fd in fds:
        os.close(fd)
