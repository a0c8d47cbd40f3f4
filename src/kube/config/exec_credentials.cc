#include <fmt/format.h>

#include <condition_variable>
#include <utility>

#include "base/mutex.h"
#include "base/stop_waker.h"
#include "base/strings.h"
#include "kube/config/credentials.h"
#include "kube/config/internal/exec_credential.h"

namespace hearth::kube {
namespace {

using internal::ExecAnswer;

class ExecPluginCredentials : public Credentials {
 public:
  ExecPluginCredentials(ExecPlugin plugin, ProcessRunner& processes, Clock& clock)
      : plugin_(std::move(plugin)), processes_(processes), clock_(clock) {}

  Result<Current> Get(const WaitLimit& limit) override {
    RETURN_IF_ERROR(internal::CheckExecPlugin(plugin_));
    StopWaker waker(limit.stop, mutex_.native(), done_);
    MutexLock lock(mutex_);
    while (!Fresh()) {
      if (!running_) {
        return RunHere(lock, limit);
      }
      RETURN_IF_ERROR(AwaitRun(lock, limit));
    }
    return answer_->current;
  }

  void Rejected() override {
    MutexLock lock(mutex_);
    // One that is running now gives a new answer anyway.
    answer_.reset();
  }

 private:
  bool Fresh() REQUIRES(mutex_) {
    return answer_.has_value() && (!answer_->expires || clock_.WallNow() < *answer_->expires);
  }

  // Somebody else runs the plugin. Its failure is ours too, unless it only ran out of its own time.
  Status AwaitRun(MutexLock& lock, const WaitLimit& limit) REQUIRES(mutex_) {
    const uint64_t awaited = runs_;
    while (running_ && runs_ == awaited) {
      RETURN_IF_ERROR(limit.Check(clock_, "credential plugin " + plugin_.command));
      clock_.WaitUntil(lock.native(), done_, limit.deadline);
    }
    if (failure_.Is(Code::kCancelled) || failure_.Is(Code::kDeadlineExceeded)) {
      return Status::Ok();
    }
    return failure_;
  }

  Result<Current> RunHere(MutexLock& lock, const WaitLimit& limit) REQUIRES(mutex_) {
    running_ = true;
    lock.native().unlock();
    Result<ExecAnswer> answer = Run(limit);
    lock.native().lock();
    running_ = false;
    ++runs_;
    failure_ = ToStatus(answer);
    done_.notify_all();
    RETURN_IF_ERROR(answer);
    answer_ = *std::move(answer);
    return answer_->current;
  }

  Result<ExecAnswer> Run(const WaitLimit& limit) {
    ProcessSpec spec;
    spec.argv = {plugin_.command};
    spec.argv.insert(spec.argv.end(), plugin_.args.begin(), plugin_.args.end());
    spec.env = plugin_.env;
    spec.env.emplace_back("KUBERNETES_EXEC_INFO", internal::WriteExecInfo(plugin_));
    auto outcome = processes_.Run(spec, limit.AtMost(clock_, plugin_.timeout));
    if (!outcome.ok()) {
      return NotRun(outcome.status());
    }
    if (!outcome->ok()) {
      return Failed(*outcome);
    }
    return internal::ParseExecAnswer(outcome->output, plugin_);
  }

  Status NotRun(const Status& status) const {
    const Status told = status.WithContext("credential plugin " + plugin_.command);
    if (!status.Is(Code::kNotFound) || plugin_.install_hint.empty()) {
      return told;
    }
    return Status(told.code(), fmt::format("{}; {}", told.message(), plugin_.install_hint));
  }

  // Standard error is for people; standard output may hold the secret and is not shown.
  Status Failed(const ProcessOutcome& outcome) const {
    const std::string end = outcome.signal != 0
                                ? fmt::format("was killed by signal {}", outcome.signal)
                                : fmt::format("ended with {}", outcome.exit_code);
    return Status(Code::kUnauthenticated, "CredentialPluginFailed",
                  fmt::format("credential plugin {} {}: {}", plugin_.command, end,
                              Excerpt(Trim(outcome.errors), 500)));
  }

  const ExecPlugin plugin_;
  ProcessRunner& processes_;
  Clock& clock_;
  Mutex mutex_;
  std::condition_variable done_;
  std::optional<ExecAnswer> answer_ GUARDED_BY(mutex_);
  bool running_ GUARDED_BY(mutex_) = false;
  uint64_t runs_ GUARDED_BY(mutex_) = 0;
  Status failure_ GUARDED_BY(mutex_);  // of the last run
};

}  // namespace

std::unique_ptr<Credentials> ExecCredentials(ExecPlugin plugin, ProcessRunner& processes,
                                             Clock& clock) {
  return std::make_unique<ExecPluginCredentials>(std::move(plugin), processes, clock);
}

}  // namespace hearth::kube
