#include "gms/server/internal/connection.h"

#include <fmt/format.h>
#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/check.h"
#include "gms/protocol/fd_channel.h"

namespace hearth::gms::server {
namespace {

// When too many descriptors are on their way, somebody must fetch his first.
constexpr Duration kTryAgain = std::chrono::milliseconds(1);
// Frames of one connection before others have their turn.
constexpr int kFramesPerTurn = 16;

std::vector<int> NumbersOf(const std::vector<LentFd>& fds) {
  std::vector<int> numbers;
  numbers.reserve(fds.size());
  for (const LentFd& fd : fds) {
    numbers.push_back(fd->get());
  }
  return numbers;
}

}  // namespace

Result<Peer> PeerOf(int socket) {
  ucred credentials{};
  socklen_t size = sizeof(credentials);
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return Status::FromErrno(errno, "SO_PEERCRED");
  }
  return Peer{credentials.pid, credentials.uid, credentials.gid};
}

Connection::Connection(EpollLoop& loop, UniqueFd socket, Peer peer, Callbacks callbacks,
                       const ConnectionLimits& limits)
    : loop_(loop),
      socket_(std::move(socket)),
      peer_(peer),
      callbacks_(std::move(callbacks)),
      limits_(limits),
      reader_(kMaxRequestBytes) {
  watch_ = loop_.Watch(socket_.get(), EPOLLIN | EPOLLRDHUP,
                       [this](uint32_t events) { OnEvents(events); });
}

Connection::~Connection() {
  *alive_ = false;
  loop_.Unwatch(watch_);
  CancelTimers();
}

void Connection::CancelTimers() {
  loop_.Cancel(unread_);
  loop_.Cancel(retry_);
}

void Connection::OnEvents(uint32_t events) {
  in_events_ = true;
  if ((events & EPOLLRDHUP) != 0 && !std::exchange(hung_up_, true)) {
    loop_.Cancel(unread_);  // there is less time from now on
  }
  if ((events & EPOLLOUT) != 0) {
    Flush();
  }
  if ((events & EPOLLIN) != 0 && Listening()) {
    ReadSome();
  }
  if (!gone_ && (events & (EPOLLERR | EPOLLHUP)) != 0 && !Listening()) {
    Gone(UnavailableError("the client hung up"));
  }
  // One that waits for an answer and hangs up wants it no more.
  if (!gone_ && (events & EPOLLRDHUP) != 0 && (busy_ || paused_)) {
    Gone(UnavailableError("the client hung up"));
  }
  in_events_ = false;
  Rearm();
}

void Connection::ReadSome() {
  auto received = ReceiveBytes(socket_.get(), reader_.Room());
  if (!received.ok()) {
    return Gone(received.status());
  }
  if (received->refused_fds && refuse_fds_) {
    return Gone(InvalidError("the client sent descriptors, which no request takes"));
  }
  reader_.Filled(received->bytes);
  peer_ended_ = received->ended;
  hung_up_ = hung_up_ || peer_ended_;
  Deliver();
}

void Connection::Deliver() {
  delivery_due_ = false;
  int budget = kFramesPerTurn;
  while (Listening() && budget-- > 0) {
    auto next = reader_.Next();
    if (!next.ok()) {
      return Gone(next.status());
    }
    if (!*next) {
      if (peer_ended_) {
        Gone(UnavailableError("the client hung up"));
      }
      return;
    }
    callbacks_.frame(**next);
  }
  if (Listening()) {
    delivery_due_ = true;
    loop_.Defer([this, alive = alive_] {
      if (*alive && delivery_due_) {
        Deliver();
        Rearm();
      }
    });
  } else if (peer_ended_ && busy_) {
    Gone(UnavailableError("the client hung up"));
  }
}

void Connection::Send(std::string frame, std::vector<LentFd> fds) {
  CHECK(fds.size() <= kMaxFds);
  if (gone_ || finishing_) {
    return;
  }
  out_.push_back({std::move(frame), 0, std::move(fds)});
  if (out_.size() == 1) {
    Flush();
  }
  Rearm();
}

void Connection::Flush() {
  while (!out_.empty() && !gone_) {
    Outgoing& first = out_.front();
    if (!MayLend(first.fds.size())) {
      return TryAgainLater(/*own_share=*/true);
    }
    auto sent = SendNumbers(socket_.get(), std::string_view(first.bytes).substr(first.sent),
                            NumbersOf(first.fds));
    if (!sent.ok()) {
      if (sent.status().Is(Code::kExhausted)) {
        return TryAgainLater(/*own_share=*/false);
      }
      return Gone(sent.status());
    }
    if (sent->would_block) {
      return;
    }
    if (!first.fds.empty()) {
      unfetched_.Sent(sent_bytes_, first.fds.size());
    }
    first.fds.clear();
    first.sent += sent->bytes;
    sent_bytes_ += sent->bytes;
    moved_ = unread_.number != 0 && !finishing_ ? RealClock().Now() : moved_;
    if (first.sent == first.bytes.size()) {
      out_.pop_front();
    }
  }
  if (!out_.empty() || gone_) {
    return;
  }
  loop_.Cancel(unread_);
  if (when_sent_) {
    loop_.Defer([this, alive = alive_, task = std::exchange(when_sent_, nullptr)] {
      if (*alive && !gone_) {
        task();
      }
    });
  }
  if (finishing_) {
    return Gone(Status(Code::kCancelled, "closed"));
  }
  SetBusy(busy_);  // frames that came meanwhile
}

size_t Connection::most_fds() const {
  return std::clamp<size_t>(limits_.unfetched_fds, 1, kMaxFds);
}

// The kernel tells how much memory the unread bytes take, which is never less than they are.
bool Connection::MayLend(size_t fds) {
  const auto fits = [&] {
    return unfetched_.count() == 0 || unfetched_.count() + fds <= limits_.unfetched_fds;
  };
  int unread = 0;
  if (fds == 0 || fits() || ::ioctl(socket_.get(), SIOCOUTQ, &unread) != 0) {
    return true;
  }
  unfetched_.FetchedUpTo(sent_bytes_ - std::min(sent_bytes_, static_cast<uint64_t>(unread)));
  return fits();
}

void Connection::TryAgainLater(bool own_share) {
  own_share_ = own_share;
  loop_.Cancel(retry_);
  retry_ = loop_.At(RealClock().Now() + kTryAgain, [this] {
    retry_ = {};
    Flush();
    Rearm();
  });
}

void Connection::WhenSent(EpollLoop::Task task) {
  when_sent_ = std::move(task);
  Flush();
}

void Connection::SetBusy(bool busy) {
  busy_ = busy;
  if (Listening() && !delivery_due_ && (reader_.InFrame() || peer_ended_)) {
    delivery_due_ = true;
    loop_.Defer([this, alive = alive_] {
      if (*alive && delivery_due_) {
        Deliver();
        Rearm();
      }
    });
  }
  Rearm();
}

void Connection::SetPaused(bool paused) {
  paused_ = paused;
  SetBusy(busy_);
}

void Connection::FinishAndClose() {
  if (gone_ || finishing_) {
    return;
  }
  finishing_ = true;
  if (out_.empty()) {
    return Gone(Status(Code::kCancelled, "closed"));
  }
  loop_.Cancel(unread_);
  Rearm();
}

Duration Connection::Patience() const {
  return finishing_ || hung_up_ ? std::min(limits_.linger, limits_.answer_timeout)
                                : limits_.answer_timeout;
}

void Connection::LimitUnread() {
  if (out_.empty() || unread_.number != 0) {
    return;
  }
  moved_ = RealClock().Now();
  unread_ = loop_.At(moved_ + Patience(), [this] { OnUnread(); });
}

void Connection::OnUnread() {
  unread_ = {};
  const SteadyTime limit = moved_ + Patience();
  if (RealClock().Now() >= limit) {
    return Gone(DeadlineError(WhyUnsent()));
  }
  unread_ = loop_.At(limit, [this] { OnUnread(); });
}

std::string Connection::WhyUnsent() const {
  if (retry_.number == 0) {
    return "the client does not read its answer";
  }
  if (own_share_) {
    return fmt::format(
        "the client does not fetch the {} descriptors that are on their way to it; more than {} at "
        "once are not sent to one client",
        unfetched_.count(), limits_.unfetched_fds);
  }
  return "no descriptors could be sent: too many are on their way to clients that do not fetch "
         "them; end one that hangs, or raise the limit of open files (ulimit -n)";
}

void Connection::CloseNow() { Gone(Status(Code::kCancelled, "closed")); }

void Connection::Rearm() {
  if (gone_ || in_events_) {
    return;  // whoever is asked and answers at once is watched as before
  }
  LimitUnread();
  uint32_t events = 0;
  // Once known it would be told for ever; only who works on an answer wants to hear it again.
  if (!finishing_ && !peer_ended_ && (!hung_up_ || busy_ || paused_)) {
    events |= EPOLLRDHUP;
  }
  if (Listening() && !peer_ended_) {
    events |= EPOLLIN;
  }
  if (!out_.empty() && retry_.number == 0) {  // there is room; it is not what is waited for
    events |= EPOLLOUT;
  }
  loop_.Change(watch_, events);
}

void Connection::Gone(Status why) {
  if (std::exchange(gone_, true)) {
    return;
  }
  loop_.Unwatch(std::exchange(watch_, 0));
  CancelTimers();
  loop_.Defer([this, alive = alive_, why = std::move(why)] {
    if (*alive) {
      // The owner destroys us in it.
      const auto gone = std::move(callbacks_.gone);
      gone(why);
    }
  });
}

}  // namespace hearth::gms::server
