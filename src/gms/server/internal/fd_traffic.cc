#include "gms/server/internal/fd_traffic.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace hearth::gms::server {
namespace {

// Nobody gets more than this part of what is left.
constexpr size_t kPart = 16;
// From this part of the limit on it is looked what was fetched meanwhile, but not all the time.
constexpr size_t kWorthLooking = 4;
constexpr Duration kLookInterval = std::chrono::milliseconds(1);
// Clients that are gone for us and have not hung up: how many are kept in mind, and how often it is
// looked whether they have: soon at first, as one that ends wakes us before its socket is empty.
constexpr size_t kMostEnded = 1024;
constexpr Duration kFirstLook = std::chrono::milliseconds(10);
constexpr Duration kLongestInterval = std::chrono::seconds(1);

}  // namespace

void FdTraffic::Lane::Sent(int socket, size_t bytes, size_t fds) {
  socket_ = socket;
  if (fds > 0) {
    unfetched_.Sent(sent_bytes_, fds);
    all_.count_ += fds;
    all_.lanes_.insert(this);
  }
  sent_bytes_ += bytes;
}

// The kernel tells how much memory the unread bytes take, which is never less than they are.
void FdTraffic::Lane::Look(int socket) {
  int unread = 0;
  if (unfetched_.count() == 0 || ::ioctl(socket, SIOCOUTQ, &unread) != 0) {
    return;
  }
  const size_t before = unfetched_.count();
  unfetched_.FetchedUpTo(sent_bytes_ - std::min(sent_bytes_, static_cast<uint64_t>(unread)));
  all_.count_ -= before - unfetched_.count();
  if (unfetched_.count() == 0) {
    all_.lanes_.erase(this);
  }
}

bool FdTraffic::Lane::MayLend(int socket, size_t fds) {
  const auto fits = [&] {
    return unfetched_.count() == 0 || unfetched_.count() + fds <= all_.Share();
  };
  if (fds == 0 || fits()) {
    return true;
  }
  Look(socket);
  return fits();
}

FdTraffic::~FdTraffic() {
  loop_.Cancel(look_);
  ended_.clear();
}

void FdTraffic::Forget(Lane& lane) {
  count_ -= lane.unfetched_.count();
  lanes_.erase(&lane);
}

void FdTraffic::End(std::unique_ptr<Lane> lane, UniqueFd socket) {
  lane->Look(socket.get());
  if (lane->unfetched() == 0) {
    return;
  }
  ::shutdown(socket.get(), SHUT_RDWR);
  if (ended_.size() == kMostEnded) {
    ended_.pop_front();
  }
  ended_.push_back({std::move(socket), std::move(lane)});
  loop_.Cancel(look_);
  LookAfter(kFirstLook);
}

size_t FdTraffic::Share() {
  if (count_ > limit_ / kWorthLooking && RealClock().Now() - looked_ >= kLookInterval) {
    LookAtAll();
  }
  const size_t left = limit_ - std::min(limit_, count_);
  return std::clamp<size_t>(left / kPart, 1, std::max<size_t>(share_, 1));
}

void FdTraffic::LookAtAll() {
  looked_ = RealClock().Now();
  const std::vector<Lane*> lanes(lanes_.begin(), lanes_.end());
  for (Lane* lane : lanes) {
    lane->Look(lane->socket_);
  }
  std::erase_if(ended_, [](const Ended& ended) { return ended.lane->unfetched() == 0; });
}

void FdTraffic::LookAfter(Duration pause) {
  look_ = loop_.At(RealClock().Now() + pause, [this, pause] {
    look_ = {};
    LookAtAll();
    if (!ended_.empty()) {
      LookAfter(std::min(2 * pause, kLongestInterval));
    }
  });
}

}  // namespace hearth::gms::server
