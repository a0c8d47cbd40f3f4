#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>

#include "base/clock.h"
#include "base/unique_fd.h"
#include "gms/server/internal/epoll_loop.h"
#include "gms/server/internal/unfetched_fds.h"

namespace hearth::gms::server {

// Descriptors on their way to all clients. The kernel takes no more of them from one user than the
// limit of open files, and nobody but the client can take back what was sent to it: closing its
// connection does not. So nobody gets more than a part of what is left: the more clients hang, the
// less each further one can take away, and whoever fetches what it asked for gets on, in smaller
// steps. On the loop only; outlives the lanes.
class FdTraffic {
 public:
  // To one client, over one socket.
  class Lane {
   public:
    explicit Lane(FdTraffic& all) : all_(all) {}
    ~Lane() { all_.Forget(*this); }
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    // `bytes` went to the client, and descriptors with the first of them.
    void Sent(int socket, size_t bytes, size_t fds);
    // Whether so many more may go. One frame may always, when nothing else is on its way.
    bool MayLend(int socket, size_t fds);
    size_t unfetched() const { return unfetched_.count(); }

   private:
    friend class FdTraffic;
    void Look(int socket);

    FdTraffic& all_;
    int socket_ = -1;
    uint64_t sent_bytes_ = 0;
    UnfetchedFds unfetched_;
  };

  // `limit`: all together; `share`: the most for one client.
  FdTraffic(EpollLoop& loop, size_t limit, size_t share)
      : loop_(loop), limit_(limit), share_(share) {}
  ~FdTraffic();
  FdTraffic(const FdTraffic&) = delete;
  FdTraffic& operator=(const FdTraffic&) = delete;

  // The connection is over. While the client has not fetched everything the socket is kept, shut,
  // so that what is on its way still counts.
  void End(std::unique_ptr<Lane> lane, UniqueFd socket);

  // What one client may have on its way now; at least 1.
  size_t Share();
  size_t count() const { return count_; }
  size_t kept_sockets() const { return ended_.size(); }

 private:
  struct Ended {
    UniqueFd socket;
    std::unique_ptr<Lane> lane;
  };
  void Forget(Lane& lane);
  void LookAtAll();
  void LookAfter(Duration pause);

  EpollLoop& loop_;
  size_t limit_;
  size_t share_;
  size_t count_ = 0;
  std::set<Lane*> lanes_;  // that have something on its way
  std::deque<Ended> ended_;
  SteadyTime looked_;
  EpollLoop::TimerId look_;
};

}  // namespace hearth::gms::server
