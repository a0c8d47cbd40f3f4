#include "gms/server/internal/connection.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/check.h"
#include "gms/protocol/fd_channel.h"

namespace hearth::gms::server {
namespace {

// When the kernel takes no more descriptors somebody must fetch his first, which nobody tells.
constexpr Duration kFirstPause = std::chrono::milliseconds(1);
constexpr Duration kLongestPause = std::chrono::milliseconds(50);
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

Connection::Connection(EpollLoop& loop, FdTraffic& traffic, UnfinishedRequests& unfinished,
                       UniqueFd socket, Peer peer, Callbacks callbacks,
                       const ConnectionLimits& limits)
    : loop_(loop),
      socket_(std::move(socket)),
      peer_(peer),
      callbacks_(std::move(callbacks)),
      limits_(limits),
      reader_(kMaxFirstRequestBytes),
      unfinished_(unfinished),
      held_(unfinished),
      traffic_(traffic),
      lane_(std::make_unique<FdTraffic::Lane>(traffic)) {
  watch_ = loop_.Watch(socket_.get(), EPOLLIN | EPOLLRDHUP,
                       [this](uint32_t events) { OnEvents(events); });
  if (watch_ == 0) {
    Gone(Status::FromErrno(errno, "the connection cannot be watched"));
  }
}

Connection::~Connection() {
  *alive_ = false;
  loop_.Unwatch(watch_);
  CancelTimers();
  traffic_.End(std::move(lane_), std::move(socket_));
}

void Connection::CancelTimers() {
  loop_.Cancel(unread_);
  loop_.Cancel(retry_);
  loop_.Cancel(unfinished_limit_);
}

void Connection::OnEvents(uint32_t events) {
  in_events_ = true;
  if ((events & EPOLLRDHUP) != 0 && !std::exchange(hung_up_, true)) {
    loop_.Cancel(unread_);  // there is less time from now on
  }
  if ((events & EPOLLOUT) != 0) {
    Flush();
  }
  if ((events & EPOLLIN) != 0 && Listening() && !delivery_due_) {
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
  const std::span<char> room = reader_.Room();
  if (!held_.Hold(reader_.held_bytes())) {
    return Gone(ExhaustedError(fmt::format(
        "a request is unfinished, and all that are have {} bytes; no more than {} are kept",
        unfinished_.bytes(), unfinished_.limit())));
  }
  auto received = ReceiveBytes(socket_.get(), room);
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
  DeliverSome();
  reader_.Trim();
  (void)held_.Hold(reader_.InFrame() ? reader_.held_bytes() : 0);  // which is no more than before
}

void Connection::DeliverSome() {
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
    loop_.Cancel(unfinished_limit_);  // that was the one
    callbacks_.frame(**next);
  }
  if (Listening()) {
    DeliverLater();
  } else if (peer_ended_ && busy_) {
    Gone(UnavailableError("the client hung up"));
  }
}

void Connection::DeliverLater() {
  delivery_due_ = true;
  loop_.Defer([this, alive = alive_] {
    if (*alive && delivery_due_) {
      Deliver();
      Rearm();
    }
  });
}

// While we listen it is the client's turn.
void Connection::LimitUnfinished() {
  if (!Listening() || delivery_due_ || !reader_.InFrame()) {
    return loop_.Cancel(unfinished_limit_);
  }
  if (unfinished_limit_.number == 0) {
    unfinished_limit_ = loop_.At(RealClock().Now() + limits_.request_timeout, [this] {
      unfinished_limit_ = {};
      Gone(DeadlineError("the client does not finish its request"));
    });
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
  hindrance_ = Hindrance::kNone;
  while (!out_.empty() && !gone_) {
    Outgoing& first = out_.front();
    if (!lane_->MayLend(socket_.get(), first.fds.size())) {
      hindrance_ = Hindrance::kOwnShare;
      return;
    }
    auto sent = SendNumbers(socket_.get(), std::string_view(first.bytes).substr(first.sent),
                            NumbersOf(first.fds));
    if (!sent.ok()) {
      if (sent.status().Is(Code::kExhausted)) {
        return TryAgainLater();
      }
      return Gone(sent.status());
    }
    if (sent->would_block) {
      return;
    }
    lane_->Sent(socket_.get(), sent->bytes, first.fds.size());
    pause_ = {};
    first.fds.clear();
    first.sent += sent->bytes;
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

size_t Connection::most_fds() { return std::min<size_t>(traffic_.Share(), kMaxFds); }

void Connection::TryAgainLater() {
  hindrance_ = Hindrance::kKernel;
  pause_ = std::clamp(2 * pause_, kFirstPause, kLongestPause);
  loop_.Cancel(retry_);
  retry_ = loop_.At(RealClock().Now() + pause_, [this] {
    retry_ = {};
    Flush();
    Rearm();
  });
}

void Connection::WhenSent(EpollLoop::Task task) {
  when_sent_ = std::move(task);
  Flush();
  Rearm();
}

void Connection::SetBusy(bool busy) {
  busy_ = busy;
  if (Listening() && !delivery_due_ && (reader_.InFrame() || peer_ended_)) {
    DeliverLater();
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

std::string Connection::WhyUnsent() {
  switch (hindrance_) {
    case Hindrance::kNone:
      break;
    case Hindrance::kOwnShare:
      return fmt::format(
          "the client does not fetch the {} descriptors that are on their way to it; more than {} "
          "at once are not sent to one client now",
          lane_->unfetched(), traffic_.Share());
    case Hindrance::kKernel:
      return "no descriptors could be sent: too many are on their way to clients that do not fetch "
             "them; end one that hangs, or raise the limit of open files (ulimit -n)";
  }
  return "the client does not read its answer";
}

void Connection::CloseNow() { Gone(Status(Code::kCancelled, "closed")); }

void Connection::Rearm() {
  if (gone_ || in_events_) {
    return;  // whoever is asked and answers at once is watched as before
  }
  LimitUnread();
  LimitUnfinished();
  uint32_t events = 0;
  // Once known it would be told for ever; only who works on an answer wants to hear it again.
  if (!finishing_ && !peer_ended_ && (!hung_up_ || busy_ || paused_)) {
    events |= EPOLLRDHUP;
  }
  if (Listening() && !peer_ended_ && !delivery_due_) {
    events |= EPOLLIN;
  }
  if (!out_.empty() && hindrance_ != Hindrance::kKernel) {
    events |= EPOLLOUT;
  }
  if (hindrance_ == Hindrance::kOwnShare) {
    events |= EPOLLET;  // there is room all the time; the next time something is fetched is meant
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
