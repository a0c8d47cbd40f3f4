#include "agent/receive/page_receiver.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace hearth::agent::receive {
namespace {

// What may be on its way. These are the pages of the processes themselves and no copies.
constexpr int kSocketBytes = 64 << 20;

Result<std::pair<UniqueFd, UniqueFd>> Connection() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return Status::FromErrno(errno, "a connection for CRIU's pages");
  }
  // The limit for others is too low; that it is passed is a wish all the same.
  if (::setsockopt(ends[1], SOL_SOCKET, SO_SNDBUFFORCE, &kSocketBytes, sizeof(int)) != 0) {
    ::setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &kSocketBytes, sizeof(int));
  }
  return std::pair(UniqueFd(ends[0]), UniqueFd(ends[1]));
}

Status WriteImage(int directory, const std::string& name, const std::string& bytes) {
  const UniqueFd fd(::openat(directory, name.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.valid()) {
    return Status::FromErrno(errno, "make " + name);
  }
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t count = ::write(fd.get(), bytes.data() + at, bytes.size() - at);
    if (count < 0 && errno != EINTR) {
      return Status::FromErrno(errno, "write " + name);
    }
    at += count > 0 ? static_cast<size_t>(count) : 0;
  }
  return Status::Ok();
}

}  // namespace

Result<std::unique_ptr<PageReceiver>> PageReceiver::Begin(int directory,
                                                          std::unique_ptr<PageStore> store,
                                                          ExpectedBytes expected) {
  UniqueFd own(::fcntl(directory, F_DUPFD_CLOEXEC, 3));
  if (!own.valid()) {
    return Status::FromErrno(errno, "keep the directory of images");
  }
  ASSIGN_OR_RETURN(auto ends, Connection());
  return std::unique_ptr<PageReceiver>(new PageReceiver(std::move(own), std::move(ends.first),
                                                        std::move(ends.second), std::move(store),
                                                        std::move(expected)));
}

PageReceiver::PageReceiver(UniqueFd directory, UniqueFd ours, UniqueFd criu_end,
                           std::unique_ptr<PageStore> store, ExpectedBytes expected)
    : directory_(std::move(directory)),
      socket_(std::move(ours)),
      criu_end_(std::move(criu_end)),
      page_bytes_(static_cast<uint64_t>(::sysconf(_SC_PAGESIZE))),
      expected_(std::move(expected)),
      store_(std::move(store)) {
  thread_ = std::jthread([this] { Run(); });
}

PageReceiver::~PageReceiver() { static_cast<void>(Cause()); }

Status PageReceiver::Cause() {
  ::shutdown(socket_.get(), SHUT_RDWR);
  if (thread_.joinable()) {
    thread_.join();
  }
  return hung_up_ ? Status::Ok() : outcome_;
}

Result<std::vector<snapshot::DigestedFile>> PageReceiver::Finish() {
  HandedOver();
  if (thread_.joinable()) {
    thread_.join();
  }
  RETURN_IF_ERROR(outcome_);
  return std::move(stored_);
}

void PageReceiver::Run() {
  outcome_ = ReceiveAll();
  if (outcome_.ok()) {
    outcome_ = CompleteAll();
  }
  // CRIU cannot go on then, and undoes what it has begun.
  ::shutdown(socket_.get(), SHUT_RDWR);
}

Status PageReceiver::ReceiveAll() {
  std::array<char, kCommandBytes> bytes{};
  while (true) {
    RETURN_IF_ERROR(Receive(reinterpret_cast<std::byte*>(bytes.data()), bytes.size()));
    ASSIGN_OR_RETURN(const Command command, DecodeCommand({bytes.data(), bytes.size()}));
    RETURN_IF_ERROR(Do(command));
    if (command.verb == Command::Verb::kEnd) {
      return Status::Ok();
    }
  }
}

Status PageReceiver::Do(const Command& command) {
  constexpr int32_t kNo = 0;
  switch (command.verb) {
    case Command::Verb::kOpen:
      return Open(command);
    case Command::Verb::kAdd:
      return Add(command);
    case Command::Verb::kAskParent:
      return Answer(&kNo, sizeof(kNo));
    case Command::Verb::kEnd:
      return EndAll();
  }
  return Status::Ok();
}

Status PageReceiver::Open(const Command& command) {
  RETURN_IF_ERROR(EndImage());
  const auto number = static_cast<uint32_t>(images_.size() + 1);
  ASSIGN_OR_RETURN(auto pages, store_->Create(directory_.get(), fmt::format("pages-{}.img", number),
                                              Expected(command.owner)));
  images_.push_back({command.owner.PagemapName(), PagemapImage(number), std::move(pages)});
  owner_ = command.owner;
  constexpr char kNoParent = 0;
  return command.answered ? Answer(&kNoParent, sizeof(kNoParent)) : Status::Ok();
}

uint64_t PageReceiver::Expected(const Owner& owner) const {
  const auto known = expected_.processes.find(owner.id);
  if (owner.shared) {
    return expected_.shared;
  }
  return known == expected_.processes.end() ? 0 : known->second;
}

Status PageReceiver::Add(const Command& command) {
  if (command.owner != owner_) {
    return DataLossError("CRIU sent pages of an image that it had not opened");
  }
  Image& image = images_.back();
  image.pagemap.Add(command.address, command.pages, command.flags);
  uint64_t left = (command.flags & kPresent) != 0 ? command.pages * page_bytes_ : 0;
  while (left > 0) {
    const std::span<std::byte> next = image.pages->Next(left);
    RETURN_IF_ERROR(Receive(next.data(), next.size()));
    RETURN_IF_ERROR(image.pages->Filled(next.size()));
    left -= next.size();
  }
  return Status::Ok();
}

Status PageReceiver::EndImage() {
  if (!owner_) {
    return Status::Ok();
  }
  owner_.reset();
  RETURN_IF_ERROR(images_.back().pages->End());
  return WriteImage(directory_.get(), images_.back().name, images_.back().pagemap.bytes());
}

Status PageReceiver::EndAll() {
  RETURN_IF_ERROR(EndImage());
  constexpr int32_t kAllIsWell = 0;
  return Answer(&kAllIsWell, sizeof(kAllIsWell));
}

// While CRIU does the rest of its work.
Status PageReceiver::CompleteAll() {
  RETURN_IF_ERROR(store_->Drain());
  for (Image& image : images_) {
    ASSIGN_OR_RETURN(snapshot::DigestedFile file, image.pages->Complete());
    stored_.push_back(std::move(file));
  }
  return Status::Ok();
}

Status PageReceiver::Receive(std::byte* to, size_t bytes) {
  while (bytes > 0) {
    const ssize_t count = ::recv(socket_.get(), to, bytes, MSG_WAITALL);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      hung_up_ = count == 0 || errno == ECONNRESET;
      return hung_up_ ? UnavailableError("CRIU hung up before all pages were there")
                      : Status::FromErrno(errno, "receive pages from CRIU");
    }
    to += count;
    bytes -= static_cast<size_t>(count);
  }
  return Status::Ok();
}

Status PageReceiver::Answer(const void* bytes, size_t size) {
  if (::send(socket_.get(), bytes, size, MSG_NOSIGNAL) != static_cast<ssize_t>(size)) {
    hung_up_ = errno == EPIPE || errno == ECONNRESET;
    return Status::FromErrno(errno, "answer CRIU about pages");
  }
  return Status::Ok();
}

}  // namespace hearth::agent::receive
