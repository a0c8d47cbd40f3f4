#include "controller/leader_elector.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/random.h"
#include "controller/internal/host_name.h"
#include "controller/internal/lease_lock.h"

namespace hearth::controller {
namespace {

using internal::LeaseLock;

// Candidates that lost their leader at the same moment must not ask at the same moment for ever.
constexpr double kJitter = 1.2;

Status Check(const LeaderElector::Options& options) {
  if (options.lease.name.empty() || options.lease.name_space.empty()) {
    return InvalidError("leader election needs the name and the name space of a lease");
  }
  const auto longest_retry = std::chrono::duration<double>(options.retry_period) * kJitter;
  if (options.retry_period <= Duration::zero() || options.renew_deadline <= longest_retry ||
      options.lease_duration <= options.renew_deadline) {
    return InvalidError(
        fmt::format("leader election of {}: lease-duration must be longer than renew-deadline, and "
                    "renew-deadline longer than {} times "
                    "retry-period",
                    options.lease.ToString(), kJitter));
  }
  return {};
}

class Elector : public LeaderElector {
 public:
  Elector(kube::Client& client, Clock& clock, Options options, const Logger& logger,
          Metrics* metrics)
      : clock_(clock),
        logger_(logger.With({{"lease", options.lease.ToString()}, {"identity", options.identity}})),
        random_(Random::Seeded()),
        lock_(client, clock, options) {
    if (metrics != nullptr) {
      status_ = metrics->gauge("leader_election_master_status", "1 while this instance leads",
                               {{"name", options.lease.name}});
    }
  }

  Status Acquire(const std::stop_token& stop) override {
    logger_.Info("waiting to lead");
    while (!stop.stop_requested()) {
      const Result<bool> leads = lock_.TryAcquire(RequestLimit(stop));
      if (leads.ok() && *leads) {
        status_.Set(1);
        logger_.Info("leading");
        return {};
      }
      Tell(leads);
      SleepFor(clock_, JitteredRetry(), stop);
    }
    return CancelledError("stopped while waiting for the lease " +
                          lock_.options().lease.ToString());
  }

  Status Hold(const std::stop_token& stop) override {
    Status lost = RenewUntilLost(stop);
    if (!lost.ok()) {
      lock_.StopLeading();
      status_.Set(0);
      logger_.Error("lost the lease", {{"error", lost.ToString()}});
    }
    return lost;
  }

  Status Release(const WaitLimit& limit) override {
    if (!lock_.leading()) {
      return {};
    }
    status_.Set(0);
    return lock_.Release(limit).WithContext("release the lease " +
                                            lock_.options().lease.ToString());
  }

  bool leading() const override { return lock_.leading(); }
  const std::string& identity() const override { return lock_.options().identity; }

 private:
  // Half of the deadline at most: one hanging request must leave time for another.
  WaitLimit RequestLimit(const std::stop_token& stop) const {
    return WaitLimit::For(clock_, lock_.options().renew_deadline / 2, stop);
  }

  Status RenewUntilLost(const std::stop_token& stop) {
    Status failure;
    while (SleepFor(clock_, std::min(lock_.options().retry_period, TimeLeft()), stop)) {
      if (!lock_.leading()) {
        return DeadlineError(fmt::format("the lease {} was not renewed in time: {}",
                                         lock_.options().lease.ToString(), failure.ToString()));
      }
      WaitLimit limit = RequestLimit(stop);
      limit.deadline = std::min(limit.deadline, lock_.leads_until());
      Status renewed = lock_.Renew(limit);
      if (renewed.reason() == internal::kLostReason) {
        return renewed;
      }
      if (!renewed.ok() && !stop.stop_requested()) {
        failure = renewed;
        logger_.Warning("could not renew the lease", {{"error", renewed.ToString()}});
      }
    }
    return {};
  }

  Duration TimeLeft() const {
    return std::max(lock_.leads_until() - clock_.Now(), Duration::zero());
  }

  Duration JitteredRetry() {
    const double factor = 1 + kJitter * random_.NextDouble();
    return std::chrono::duration_cast<Duration>(lock_.options().retry_period * factor);
  }

  // Each thing once: a standby waits for days.
  void Tell(const Result<bool>& attempt) {
    const std::string news =
        attempt.ok() ? "held by " + lock_.holder() : attempt.status().ToString();
    if (news == told_) {
      return;
    }
    told_ = news;
    if (attempt.ok()) {
      logger_.Info("another instance leads", {{"holder", lock_.holder()}});
    } else {
      logger_.Warning("could not look at the lease", {{"error", news}});
    }
  }

  Clock& clock_;
  Logger logger_;
  Random random_;
  LeaseLock lock_;
  Gauge status_;
  std::string told_;
};

}  // namespace

Result<std::unique_ptr<LeaderElector>> LeaderElector::Create(kube::Client& client, Clock& clock,
                                                             Options options, Logger logger,
                                                             Metrics* metrics) {
  RETURN_IF_ERROR(Check(options));
  if (options.identity.empty()) {
    options.identity = fmt::format("{}_{:016x}", internal::HostName(), Random::Seeded().Next());
  }
  return std::unique_ptr<LeaderElector>(
      std::make_unique<Elector>(client, clock, std::move(options), std::move(logger), metrics));
}

}  // namespace hearth::controller
