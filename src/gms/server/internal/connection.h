#pragma once

#include <sys/types.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "gms/device/device.h"
#include "gms/protocol/frame.h"
#include "gms/server/internal/epoll_loop.h"
#include "gms/server/internal/fd_traffic.h"
#include "gms/server/internal/unfinished_requests.h"
#include "gms/server/options.h"

namespace hearth::gms::server {

struct Peer {
  pid_t pid = 0;  // 0: in a world of processes that we do not see
  uid_t uid = 0;
  gid_t gid = 0;
};

// A client's connection as the server sees it: whole frames in, one at a time, frames with
// descriptors out. What cannot be sent now waits here, and while anything waits no more is read: a
// client that does not take its answers gets no further, and nobody else notices. A peer that hangs
// up is noticed at once, whatever it was waiting for; one that only sends no more still gets its
// answers, as long as it fetches them. Nobody may leave answers unfetched for ever, nor requests
// unfinished, nor have more descriptors on their way than its share, so that clients that hang
// leave room for others. Callbacks never come from within a call.
class Connection {
 public:
  struct Callbacks {
    std::function<void(std::string_view payload)> frame;
    // Hung up, broken, or closed by us after all was sent. Nothing comes after it.
    std::function<void(const Status& why)> gone;
  };

  Connection(EpollLoop& loop, FdTraffic& traffic, UnfinishedRequests& unfinished, UniqueFd socket,
             Peer peer, Callbacks callbacks, const ConnectionLimits& limits);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // At most kMaxFds descriptors, better no more than most_fds.
  void Send(std::string frame, std::vector<LentFd> fds = {});
  // Calls back once, when all that was sent is with the kernel.
  void WhenSent(EpollLoop::Task task);
  // Busy: an answer is being worked on, the next frame waits. Paused: likewise, for other reasons.
  void SetBusy(bool busy);
  void SetPaused(bool paused);
  // Sends what is left, but not for long, and is gone.
  void FinishAndClose();
  void CloseNow();
  // From now on requests may have kMaxRequestBytes, not only kMaxFirstRequestBytes.
  void TakeLargeRequests() { reader_.SetLimit(kMaxRequestBytes); }
  // From now on a descriptor sent by the client ends the connection. Else it is discarded.
  void RefuseFds() { refuse_fds_ = true; }

  const Peer& peer() const { return peer_; }
  int fd() const { return socket_.get(); }
  size_t unsent_frames() const { return out_.size(); }
  // That one frame should take.
  size_t most_fds();

 private:
  // Why descriptors are not sent now.
  enum class Hindrance {
    kNone,
    kOwnShare,  // the client has its share; when it fetches some the kernel tells that there is
                // room
    kKernel,    // which has taken too many, and does not tell when it takes more
  };
  struct Outgoing {
    std::string bytes;
    size_t sent = 0;
    std::vector<LentFd> fds;  // until the first byte went
  };
  void OnEvents(uint32_t events);
  void ReadSome();
  void Deliver();
  void DeliverSome();
  void DeliverLater();
  void LimitUnfinished();
  void Flush();
  void TryAgainLater();
  Duration Patience() const;
  void LimitUnread();
  void OnUnread();
  std::string WhyUnsent();
  void CancelTimers();
  bool Listening() const { return !busy_ && !paused_ && !finishing_ && out_.empty() && !gone_; }
  void Rearm();
  void Gone(Status why);

  EpollLoop& loop_;
  UniqueFd socket_;
  Peer peer_;
  Callbacks callbacks_;
  ConnectionLimits limits_;
  FrameReader reader_;
  UnfinishedRequests& unfinished_;
  UnfinishedRequests::Part held_;
  EpollLoop::TimerId unfinished_limit_;  // set: the rest of a request is awaited
  std::deque<Outgoing> out_;
  EpollLoop::Task when_sent_;
  uint64_t watch_ = 0;
  EpollLoop::TimerId unread_;  // set: there are answers to fetch
  SteadyTime moved_;           // then: when the last of it went
  FdTraffic& traffic_;
  std::unique_ptr<FdTraffic::Lane> lane_;
  Hindrance hindrance_ = Hindrance::kNone;
  EpollLoop::TimerId retry_;  // set: the kernel takes no more descriptors
  Duration pause_{};          // before the next try then
  // Lets what was deferred know that the connection is no more.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  bool busy_ = false;
  bool paused_ = false;
  bool finishing_ = false;
  bool hung_up_ = false;     // the kernel told that no more will come; some may be unread
  bool peer_ended_ = false;  // no more will come; what came is still worked on
  bool refuse_fds_ = false;
  bool delivery_due_ = false;
  bool gone_ = false;
  bool in_events_ = false;  // interest is told to the kernel once, at the end
};

// Of a connected socket.
Result<Peer> PeerOf(int socket);

}  // namespace hearth::gms::server
