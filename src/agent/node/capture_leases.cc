#include "agent/node/capture_leases.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "agent/node/internal/lease_object.h"

namespace hearth::agent::node {
namespace {

using internal::HolderOf;

class Renewer : public HeldLeases {
 public:
  Renewer(kube::Client& client, Clock& clock, CaptureLeases::Options options, Logger logger,
          std::vector<kube::Object> leases)
      : client_(client),
        clock_(clock),
        options_(std::move(options)),
        logger_(std::move(logger)),
        leases_(std::move(leases)),
        good_until_(TimeAfter(clock.Now(), options_.duration)) {}

  ~Renewer() override { Stop(); }

  void KeepRenewing(std::function<void()> on_lost) override {
    thread_ = std::jthread([this, on_lost = std::move(on_lost)](const std::stop_token& stop) {
      ::pthread_setname_np(::pthread_self(), "node-lease");
      const Status lost = RenewUntilLost(stop);
      if (!lost.ok()) {
        *lost_.Lock() = lost;
        logger_.Warning("lost the lease of a capture", {{"error", lost.ToString()}});
        on_lost();
      }
    });
  }

  Status lost() const override { return *lost_.Lock(); }

  Status Release(const WaitLimit& limit) override {
    Stop();
    Status first;
    for (const kube::Object& lease : leases_) {
      const Status deleted = internal::DeleteLease(client_, lease, limit);
      first = first.ok() ? deleted : first;
    }
    return first;
  }

 private:
  void Stop() {
    thread_.request_stop();
    if (thread_.joinable()) {
      thread_.join();
    }
  }

  Status RenewUntilLost(const std::stop_token& stop) {
    while (SleepFor(clock_, std::min(options_.renew_period, TimeLeft()), stop)) {
      const SteadyTime sent = clock_.Now();
      const Status renewed =
          RenewAll(WaitLimit::For(clock_, std::min(options_.renew_period, TimeLeft()), stop));
      if (renewed.ok()) {
        good_until_ = TimeAfter(sent, options_.duration);
      } else if (renewed.Is(Code::kConflict) || TimeLeft() <= Duration::zero()) {
        return stop.stop_requested() ? Status::Ok() : renewed;
      }
    }
    return {};
  }

  Duration TimeLeft() const { return std::max(good_until_ - clock_.Now(), Duration::zero()); }

  Status RenewAll(const WaitLimit& limit) {
    for (kube::Object& lease : leases_) {
      RETURN_IF_ERROR(RenewOne(lease, limit));
    }
    return {};
  }

  // kConflict: it is another's.
  Status RenewOne(kube::Object& lease, const WaitLimit& limit) {
    auto written = Write(lease, limit);
    if (written.status().Is(Code::kConflict)) {
      // Our own write may have arrived although its answer did not.
      auto read = client_.Get(kube::types::Leases(), lease.meta().key(), limit);
      RETURN_IF_ERROR(read.status());
      if (HolderOf(*read) != options_.identity) {
        return ConflictError("the lease " + lease.meta().key().ToString() + " is held by " +
                             HolderOf(*read));
      }
      written = Write(*read, limit);
    }
    if (written.status().Is(Code::kNotFound)) {
      return ConflictError("the lease " + lease.meta().key().ToString() + " was deleted");
    }
    RETURN_IF_ERROR(written.status());
    lease = *std::move(written);
    return {};
  }

  Result<kube::Object> Write(const kube::Object& lease, const WaitLimit& limit) {
    return internal::Write(
        client_,
        internal::RenewedLease(lease, options_.identity, options_.duration, clock_.WallNow()),
        limit);
  }

  kube::Client& client_;
  Clock& clock_;
  const CaptureLeases::Options options_;
  const Logger logger_;
  std::vector<kube::Object> leases_;  // of the thread while it runs
  SteadyTime good_until_;
  Guarded<Status> lost_;
  std::jthread thread_;
};

}  // namespace

Result<CaptureLeases::Attempt> CaptureLeases::Take(const std::vector<kube::ObjectKey>& leases,
                                                   const WaitLimit& limit) {
  std::vector<kube::Object> taken;
  const auto give_back = [&] {
    for (const kube::Object& lease : taken) {
      static_cast<void>(internal::DeleteLease(client_, lease, limit));
    }
  };
  for (const kube::ObjectKey& key : leases) {
    auto one = TakeOne(key, limit);
    if (!one.ok() || one->lease.view().kind() != json::Kind::kObject) {
      give_back();
      RETURN_IF_ERROR(one.status());
      return Attempt{nullptr, one->retry_after, one->holder};
    }
    taken.push_back(std::move(one->lease));
  }
  return Attempt{std::make_unique<Renewer>(client_, clock_, options_, logger_, std::move(taken)),
                 Duration::zero(), options_.identity};
}

// Most captures find none: it is made at once, and looked at only when there is one.
Result<CaptureLeases::One> CaptureLeases::TakeOne(const kube::ObjectKey& key,
                                                  const WaitLimit& limit) {
  auto created = Create(key, limit);
  if (!created.status().Is(Code::kAlreadyExists)) {
    return created;
  }
  auto lease = client_.Get(kube::types::Leases(), key, limit);
  if (lease.status().Is(Code::kNotFound)) {
    created = Create(key, limit);  // given back meanwhile
    return created.status().Is(Code::kAlreadyExists) ? One{{}, options_.renew_period, "another"}
                                                     : std::move(created);
  }
  RETURN_IF_ERROR(lease.status());
  const Duration held = HeldFor(*lease);
  if (held > Duration::zero()) {
    return One{{}, held, HolderOf(*lease)};
  }
  return TakeOver(*lease, limit);
}

Result<CaptureLeases::One> CaptureLeases::Create(const kube::ObjectKey& key,
                                                 const WaitLimit& limit) {
  ASSIGN_OR_RETURN(
      kube::Object created,
      internal::Write(
          client_, internal::NewLease(key, options_.identity, options_.duration, clock_.WallNow()),
          limit));
  observed_.Lock()->erase(key);
  return One{std::move(created), Duration::zero(), options_.identity};
}

Result<CaptureLeases::One> CaptureLeases::TakeOver(const kube::Object& lease,
                                                   const WaitLimit& limit) {
  auto written = internal::Write(
      client_,
      internal::RenewedLease(lease, options_.identity, options_.duration, clock_.WallNow()), limit);
  if (written.status().Is(Code::kConflict) || written.status().Is(Code::kNotFound)) {
    return One{{}, options_.renew_period, "another"};
  }
  RETURN_IF_ERROR(written.status());
  observed_.Lock()->erase(lease.meta().key());
  return One{*std::move(written), Duration::zero(), options_.identity};
}

Duration CaptureLeases::HeldFor(const kube::Object& lease) {
  const std::string holder = HolderOf(lease);
  const Duration duration = internal::DurationOf(lease);
  if (holder.empty() || holder == options_.identity || duration <= Duration::zero()) {
    return Duration::zero();
  }
  const kube::Meta meta = lease.meta();
  const auto table = observed_.Lock();
  Observed& seen = (*table)[meta.key()];
  if (seen.version != meta.resource_version()) {
    seen = {meta.resource_version(), clock_.Now()};
  }
  return std::max(TimeAfter(seen.since, duration) - clock_.Now(), Duration::zero());
}

}  // namespace hearth::agent::node
