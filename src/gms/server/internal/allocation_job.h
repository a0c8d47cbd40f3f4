#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gms/server/internal/session.h"

namespace hearth::gms::server {

// Gives a writer memory, one piece or many, all or none. Memory that is not there now is waited
// for: the writer before may be dying, its memory on the way back. What was committed and kept for
// the case that this writer fails is let go when memory is what is missing and that is enough to go
// on. The loop serves others meanwhile; when the client hangs up or its time is over, what was made
// is given back.
class AllocationJob : public std::enable_shared_from_this<AllocationJob> {
 public:
  enum class Answer : uint8_t { kSingle, kBatch, kBatchWithFds };
  // An error when the request is refused right away.
  static Status Start(Session& session, std::vector<AllocationItem> items, Answer answer);

  AllocationJob(Session& session, std::vector<AllocationItem> items, Answer answer);
  ~AllocationJob();
  AllocationJob(const AllocationJob&) = delete;
  AllocationJob& operator=(const AllocationJob&) = delete;

 private:
  static Status Complete(Session& session, std::vector<AllocationItem>& items);
  void MakeSome();
  void OnMade(DeviceService::Created created);
  void Wait(const Status& why);
  bool MakeRoom();
  void OnTimeout();
  void Enter();
  Status EnterAll(Session& session);
  void ReplyAll(Session& session);
  void SendFds(size_t from);
  void TakeBack(Session& session);
  void Fail(const Status& status);

  std::weak_ptr<Session> session_;
  ServerState& state_;
  DeviceService& device_;
  std::vector<AllocationItem> items_;
  Answer answer_;
  std::vector<Device::Handle> made_;  // not yet in the layout
  std::vector<Device::Handle> entered_;
  SteadyTime waiting_since_;
  bool waited_ = false;
  bool failed_ = false;  // the client was told; the device may still be making something
  Status why_;           // what the device said when asked last
  uint64_t wait_ = 0;
  EpollLoop::TimerId timeout_;
};

}  // namespace hearth::gms::server
