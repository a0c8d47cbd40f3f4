#include "gms/server/internal/allocation_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "gms/server/internal/requests.h"

namespace hearth::gms::server {
namespace {

// Pieces made before others have their turn.
constexpr size_t kSlice = 64;

Status CheckSize(int64_t size, const DeviceFacts& facts) {
  if (size <= 0) {
    return InvalidError("size must be > 0");
  }
  if (static_cast<uint64_t>(size) > facts.total_bytes) {
    return InvalidError(fmt::format("size {} is more than the {} bytes that device {} has at all",
                                    size, facts.total_bytes, facts.ordinal));
  }
  return Status::Ok();
}

int64_t AlignUp(int64_t size, uint64_t granularity) {
  const auto bytes = static_cast<uint64_t>(size);
  return static_cast<int64_t>((bytes + granularity - 1) / granularity * granularity);
}

}  // namespace

AllocationJob::AllocationJob(Session& session, std::vector<AllocationItem> items, Answer answer)
    : session_(session.weak_from_this()),
      state_(session.state()),
      device_(session.service().device()),
      items_(std::move(items)),
      answer_(answer) {}

AllocationJob::~AllocationJob() {
  state_.loop.Cancel(timeout_);
  device_.CancelWait(wait_);
  device_.Release(std::move(made_));
}

// Checks everything and fills in what the client left to us.
Status AllocationJob::Complete(Session& session, std::vector<AllocationItem>& items) {
  const DeviceFacts& facts = session.service().device().facts();
  std::set<std::string_view> ids;
  uint64_t sum = 0;
  for (AllocationItem& item : items) {
    RETURN_IF_ERROR(CheckSize(item.size, facts));
    RETURN_IF_ERROR(CheckName("tag", item.tag));
    RETURN_IF_ERROR(CheckName("allocation_id", item.allocation_id));
    if (item.allocation_id.empty()) {
      item.allocation_id = NewUuid();
    }
    if (!ids.insert(item.allocation_id).second) {
      return MakeError(ErrorCode::kAlreadyExists, "allocation ID already exists");
    }
    RETURN_IF_ERROR(session.domain().MayAllocate(session.id(), item.allocation_id));
    item.aligned_size = AlignUp(item.size, facts.granularity);
    sum += static_cast<uint64_t>(item.aligned_size);
    if (sum > facts.total_bytes) {
      return InvalidError(fmt::format("{} bytes in all are more than the {} that device {} has",
                                      sum, facts.total_bytes, facts.ordinal));
    }
  }
  return Status::Ok();
}

Status AllocationJob::Start(Session& session, std::vector<AllocationItem> items, Answer answer) {
  // Asked first, so that a reader hears that it is one, whatever else is wrong.
  RETURN_IF_ERROR(session.domain().MayAllocate(session.id(), "any"));
  RETURN_IF_ERROR(Complete(session, items));
  session.BeginWork();
  std::make_shared<AllocationJob>(session, std::move(items), answer)->MakeSome();
  return Status::Ok();
}

void AllocationJob::MakeSome() {
  if (session_.expired() || failed_) {
    return;
  }
  std::vector<uint64_t> sizes;
  const size_t end = std::min(items_.size(), made_.size() + kSlice);
  for (size_t i = made_.size(); i < end; ++i) {
    sizes.push_back(static_cast<uint64_t>(items_[i].aligned_size));
  }
  device_.Create(std::move(sizes), [self = shared_from_this()](DeviceService::Created created) {
    self->OnMade(std::move(created));
  });
}

void AllocationJob::OnMade(DeviceService::Created created) {
  made_.insert(made_.end(), created.handles.begin(), created.handles.end());
  if (session_.expired() || failed_) {
    return;  // and all that was made goes back
  }
  if (created.status.Is(Code::kExhausted)) {
    return Wait(created.status);
  }
  if (!created.status.ok()) {
    return Fail(created.status.WithReason(ReasonOf(created.status.Is(Code::kInvalid)
                                                       ? ErrorCode::kInvalidArgument
                                                       : ErrorCode::kDeviceFailed)));
  }
  if (made_.size() < items_.size()) {
    return state_.loop.Defer([self = shared_from_this()] { self->MakeSome(); });
  }
  Enter();
}

// Whether memory is on its way back by our own doing.
bool AllocationJob::MakeRoom() {
  if (device_.releasing()) {
    return true;
  }
  if (state_.handing_over) {
    return false;  // a successor is just being given it
  }
  const auto session = session_.lock();
  const auto kept = session->domain().Newest();
  const auto needed = static_cast<uint64_t>(items_[made_.size()].aligned_size);
  const uint64_t free = device_.free_bytes();
  // Where there is memory it is something else that ran out, as descriptors do.
  if (!kept || free >= needed || free + kept->layout->total_bytes() < needed) {
    return false;  // it would be lost in vain
  }
  if (!session->domain().ReclaimSuperseded()) {
    return false;
  }
  session->service().Settle();
  return true;
}

void AllocationJob::Wait(const Status& why) {
  const auto session = session_.lock();
  why_ = why;
  if (!MakeRoom() && !std::exchange(waited_, true)) {
    waiting_since_ = RealClock().Now();
    timeout_ = state_.loop.At(waiting_since_ + state_.options.alloc_retry_timeout,
                              [this] { OnTimeout(); });
    ++state_.metrics.memory_waits;
    const auto layout = session->domain().LayoutOf(session->id());
    session->domain().events().Add(EventKind::kAllocationOom,
                                   layout.ok() ? (*layout)->allocation_count() : 0);
    state_.log.Warning("out of device memory; waiting",
                       {{"session", session->id().value}, {"why", why.ToString()}});
  }
  // The wait keeps the job alive; the session's end cancels it.
  wait_ = device_.WaitForMemory([self = shared_from_this()] {
    self->wait_ = 0;
    self->MakeSome();
  });
}

void AllocationJob::OnTimeout() {
  const auto self = shared_from_this();  // cancelling lets go of us
  device_.CancelWait(std::exchange(wait_, 0));
  const AllocationItem& item = items_[std::min(made_.size(), items_.size() - 1)];
  const std::chrono::duration<double> waited = RealClock().Now() - waiting_since_;
  ++state_.metrics.memory_wait_timeouts;
  Fail(MakeError(
      ErrorCode::kOutOfMemory,
      fmt::format("Timed out waiting for GPU memory: size={} aligned_size={} tag={} "
                  "waited={:.1f}s: {}",
                  item.size, item.aligned_size, item.tag, waited.count(), why_.message())));
}

void AllocationJob::Enter() {
  state_.loop.Cancel(timeout_);
  const auto session = session_.lock();
  if (const Status status = EnterAll(*session); !status.ok()) {
    return Fail(status);
  }
  ReplyAll(*session);
}

Status AllocationJob::EnterAll(Session& session) {
  Domain& domain = session.domain();
  entered_ = std::exchange(made_, {});
  for (size_t i = 0; i < items_.size(); ++i) {
    const AllocationItem& item = items_[i];
    auto entry = domain.Allocate(session.id(), item.allocation_id, static_cast<uint64_t>(item.size),
                                 static_cast<uint64_t>(item.aligned_size), item.tag, entered_[i]);
    if (!entry.ok()) {
      for (size_t j = 0; j < i; ++j) {
        (void)domain.Free(session.id(), items_[j].allocation_id);
      }
      device_.Release({entered_.begin() + static_cast<ptrdiff_t>(i), entered_.end()});
      session.service().Settle();
      return entry.status();
    }
    items_[i].layout_slot = static_cast<int64_t>((*entry)->slot);
  }
  session.service().Settle();
  return Status::Ok();
}

void AllocationJob::ReplyAll(Session& session) {
  if (answer_ == Answer::kBatchWithFds && !items_.empty()) {
    return SendFds(0);
  }
  if (answer_ == Answer::kSingle) {
    session.Reply(AllocateResponse{items_[0].allocation_id, items_[0].size, items_[0].aligned_size,
                                   items_[0].layout_slot});
  } else {
    session.Reply(AllocateBatchResponse{.items = std::move(items_)});
  }
  session.EndWork();
}

void AllocationJob::SendFds(size_t from) {
  const auto alive = session_.lock();
  if (!alive) {
    return;
  }
  const size_t end = std::min(items_.size(), from + alive->connection().most_fds());
  std::vector<Device::Handle> handles(entered_.begin() + static_cast<ptrdiff_t>(from),
                                      entered_.begin() + static_cast<ptrdiff_t>(end));
  device_.Export(std::move(handles), Access::kReadWrite,
                 [self = shared_from_this(), from, end](Result<std::vector<LentFd>> fds) {
                   const auto session = self->session_.lock();
                   if (!session) {
                     return;
                   }
                   if (!fds.ok()) {
                     self->TakeBack(*session);
                     return self->Fail(fds.status().WithReason(ReasonOf(ErrorCode::kDeviceFailed)));
                   }
                   AllocateBatchResponse response{.more = end < self->items_.size()};
                   response.items.assign(self->items_.begin() + static_cast<ptrdiff_t>(from),
                                         self->items_.begin() + static_cast<ptrdiff_t>(end));
                   session->Reply(response, *std::move(fds));
                   if (end == self->items_.size()) {
                     return session->EndWork();
                   }
                   session->connection().WhenSent([self, end] { self->SendFds(end); });
                 });
}

// The client has no names for what it was not told of.
void AllocationJob::TakeBack(Session& session) {
  for (const AllocationItem& item : items_) {
    (void)session.domain().Free(session.id(), item.allocation_id);
  }
  session.service().Settle();
}

void AllocationJob::Fail(const Status& status) {
  failed_ = true;
  if (const auto session = session_.lock()) {
    device_.Release(std::exchange(made_, {}));
    session->Fail(status);
    session->EndWork();
  }
}

}  // namespace hearth::gms::server
