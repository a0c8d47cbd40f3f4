#include "net/internal/socket_io.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace hearth::net {
namespace {

bool WouldBlock(int error) { return error == EAGAIN || error == EWOULDBLOCK; }

SocketIo& IoOf(BIO* bio) { return *static_cast<SocketIo*>(BIO_get_data(bio)); }

int FinishRead(BIO* bio, const IoResult& result, size_t* count) {
  *count = result.bytes;
  switch (result.code) {
    case IoCode::kOk:
      return 1;
    case IoCode::kWantRead:
      BIO_set_retry_read(bio);
      return -1;
    case IoCode::kClosed:
      BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
      return 0;
    default:
      return -1;
  }
}

int BioRead(BIO* bio, char* to, size_t size, size_t* count) {
  BIO_clear_retry_flags(bio);
  return FinishRead(bio, IoOf(bio).Read(to, size), count);
}

int BioWrite(BIO* bio, const char* from, size_t size, size_t* count) {
  BIO_clear_retry_flags(bio);
  const IoResult result = IoOf(bio).Write({from, size});
  *count = result.bytes;
  if (result.code == IoCode::kWantWrite) {
    BIO_set_retry_write(bio);
  }
  return result.code == IoCode::kOk ? 1 : -1;
}

long BioControl(BIO* bio, int command, long /*number*/, void* /*pointer*/) {  // NOLINT
  switch (command) {
    case BIO_CTRL_FLUSH:
      return 1;
    case BIO_CTRL_EOF:
      return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0 ? 1 : 0;
    default:
      return 0;
  }
}

BIO_METHOD* MakeMethod() {
  BIO_METHOD* method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "hearth socket");
  BIO_meth_set_read_ex(method, BioRead);
  BIO_meth_set_write_ex(method, BioWrite);
  BIO_meth_set_ctrl(method, BioControl);
  return method;
}

}  // namespace

IoResult SocketIo::Fail(int error, std::string_view what) {
  // Whatever the kernel says about an established connection, it is over.
  failure_ = UnavailableError(std::string(Status::FromErrno(error, what).message()));
  return IoResult::Failed(failure_);
}

IoResult SocketIo::Read(char* to, size_t size) {
  if (drained_) {
    return {IoCode::kWantRead, 0, {}};
  }
  ssize_t count = 0;
  do {
    count = ::recv(fd_, to, size, 0);
  } while (count < 0 && errno == EINTR);
  if (count > 0) {
    drained_ = static_cast<size_t>(count) < size;
    return IoResult::Moved(static_cast<size_t>(count));
  }
  if (count == 0) {
    return {IoCode::kClosed, 0, {}};
  }
  if (WouldBlock(errno)) {
    drained_ = true;
    return {IoCode::kWantRead, 0, {}};
  }
  return Fail(errno, "reading from the connection");
}

void SocketIo::SetLowMark(size_t bytes) {
  // A peer that is slow should not look dead.
  constexpr size_t kMost = 16 << 10;
  const int mark = static_cast<int>(std::clamp<size_t>(bytes, 1, kMost));
  if (mark != low_mark_ && ::setsockopt(fd_, SOL_SOCKET, SO_RCVLOWAT, &mark, sizeof mark) == 0) {
    low_mark_ = mark;
  }
}

IoResult SocketIo::Write(std::string_view bytes) {
  ssize_t count = 0;
  do {
    count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  } while (count < 0 && errno == EINTR);
  if (count >= 0) {
    return IoResult::Moved(static_cast<size_t>(count));
  }
  if (WouldBlock(errno)) {
    return {IoCode::kWantWrite, 0, {}};
  }
  return Fail(errno, "writing to the connection");
}

BioPtr NewSocketBio(SocketIo& io) {
  static BIO_METHOD* const method = MakeMethod();  // for the life of the process
  BioPtr bio(BIO_new(method));
  if (bio != nullptr) {
    BIO_set_data(bio.get(), &io);
    BIO_set_init(bio.get(), 1);
  }
  return bio;
}

}  // namespace hearth::net
