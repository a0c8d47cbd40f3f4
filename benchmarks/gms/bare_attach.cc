#include "bare_attach.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <span>

#include "gms/protocol/fd_channel.h"

namespace hearth::bench {
namespace {

sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), address.sun_path);
  return address;
}

Result<std::vector<UniqueFd>> MakePieces(size_t count) {
  std::vector<UniqueFd> pieces;
  for (size_t i = 0; i < count; ++i) {
    pieces.emplace_back(::memfd_create("bench-bare", MFD_CLOEXEC));
    if (!pieces.back().valid() || ::ftruncate(pieces.back().get(), kPieceBytes) != 0) {
      return Status::FromErrno(errno, "make memory");
    }
  }
  return pieces;
}

// Address space that holds all pieces; given back when it goes.
class Range {
 public:
  explicit Range(size_t pieces)
      : bytes_(pieces * kPieceBytes),
        at_(::mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                   0)) {}
  ~Range() { ::munmap(at_, bytes_); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
  char* Place(size_t piece) const { return static_cast<char*>(at_) + piece * kPieceBytes; }
  bool Map(size_t piece, int fd) const {
    return ::mmap(Place(piece), kPieceBytes, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) !=
           MAP_FAILED;
  }

 private:
  size_t bytes_;
  void* at_;
};

Status SendAll(int socket, std::span<const UniqueFd> pieces) {
  while (!pieces.empty()) {
    const auto part = pieces.first(std::min(gms::kMaxFds, pieces.size()));
    ASSIGN_OR_RETURN(const gms::Transferred sent, gms::SendSome(socket, "x", part));
    if (sent.would_block) {
      pollfd writable{socket, POLLOUT, 0};
      ::poll(&writable, 1, -1);
      continue;
    }
    pieces = pieces.subspan(part.size());
  }
  return {};
}

Status Serve(int listener, size_t count, const Line& line) {
  ASSIGN_OR_RETURN(const auto pieces, MakePieces(count));
  line.Say(0);
  for (;;) {
    const UniqueFd client(::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
    char byte = 0;
    if (::recv(client.get(), &byte, 1, 0) == 1) {
      RETURN_IF_ERROR(SendAll(client.get(), pieces));
    }
  }
}

Result<UniqueFd> ConnectTo(const std::string& path) {
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = AddressOf(path);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::send(socket.get(), "x", 1, MSG_NOSIGNAL) != 1) {
    return Status::FromErrno(errno, "connect to the bare server");
  }
  return socket;
}

Status ReceiveAndMap(int socket, const Range& range, size_t pieces) {
  for (size_t mapped = 0; mapped < pieces;) {
    std::deque<UniqueFd> fds;
    char byte = 0;
    ASSIGN_OR_RETURN(const gms::Transferred got, gms::ReceiveSome(socket, {&byte, 1}, fds));
    if (got.ended) {
      return UnavailableError("the bare server has gone");
    }
    if (got.would_block) {
      pollfd readable{socket, POLLIN, 0};
      ::poll(&readable, 1, -1);
    }
    for (const UniqueFd& fd : fds) {
      if (!range.Map(mapped++, fd.get())) {
        return Status::FromErrno(errno, "map a piece");
      }
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<BareServer>> BareServer::Start(size_t pieces) {
  auto directory = std::make_unique<TempDirectory>();
  const UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = AddressOf(*directory / "bare.sock");
  if (::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener.get(), SOMAXCONN) != 0) {
    return Status::FromErrno(errno, "listen");
  }
  ASSIGN_OR_RETURN(Participant server, Participant::Start([&](const Line& line) {
                     return Serve(listener.get(), pieces, line);
                   }));
  RETURN_IF_ERROR(server.line().Hear());
  return std::unique_ptr<BareServer>(
      new BareServer(pieces, std::move(directory), std::move(server)));
}

Result<double> BareServer::MeasureAttach() const {
  const double begin = Now();
  ASSIGN_OR_RETURN(const UniqueFd socket, ConnectTo(*directory_ / "bare.sock"));
  const Range range(pieces_);
  RETURN_IF_ERROR(ReceiveAndMap(socket.get(), range, pieces_));
  return Now() - begin;
}

Result<double> BareServer::MeasureAttachAgain() const {
  const Range range(pieces_);
  const auto attach = [&]() -> Status {
    ASSIGN_OR_RETURN(const UniqueFd socket, ConnectTo(*directory_ / "bare.sock"));
    return ReceiveAndMap(socket.get(), range, pieces_);
  };
  RETURN_IF_ERROR(attach());
  const double begin = Now();
  for (size_t i = 0; i < pieces_; ++i) {
    ::munmap(range.Place(i), kPieceBytes);
  }
  RETURN_IF_ERROR(attach());
  return Now() - begin;
}

Result<double> MeasureBareRemap(size_t pieces) {
  ASSIGN_OR_RETURN(const auto fds, MakePieces(pieces));
  const Range range(pieces);
  for (size_t i = 0; i < pieces; ++i) {
    range.Map(i, fds[i].get());
  }
  const double begin = Now();
  for (size_t i = 0; i < pieces; ++i) {
    ::munmap(range.Place(i), kPieceBytes);
  }
  for (size_t i = 0; i < pieces; ++i) {
    if (!range.Map(i, fds[i].get())) {
      return Status::FromErrno(errno, "map a piece");
    }
  }
  return Now() - begin;
}

}  // namespace hearth::bench
