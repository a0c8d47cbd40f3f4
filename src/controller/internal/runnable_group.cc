#include "controller/internal/runnable_group.h"

#include <exception>
#include <utility>

#include "base/stop_waker.h"
#include "base/strings.h"
#include "controller/internal/named_thread.h"

namespace hearth::controller::internal {
namespace {

Status CallGuarded(const RunnableGroup::Run& run, std::stop_token stop) {
  try {
    return run(std::move(stop));
  } catch (const std::exception& exception) {
    return InternalError(std::string("it threw an exception: ") + exception.what());
  } catch (...) {
    return InternalError("it threw an exception of an unknown type");
  }
}

}  // namespace

RunnableGroup::~RunnableGroup() { stop_.request_stop(); }

void RunnableGroup::Add(std::string name, Run run) {
  members_.push_back(std::make_unique<Member>(Member{std::move(name), std::move(run)}));
}

void RunnableGroup::Start(const std::function<void(Status)>& on_failure) {
  for (const auto& member : members_) {
    threads_.push_back(NamedThread(
        member->name, [this, member = member.get(), on_failure] { RunOne(*member, on_failure); }));
  }
}

void RunnableGroup::RunOne(Member& member, const std::function<void(Status)>& on_failure) {
  const Status status = CallGuarded(member.run, stop_.get_token());
  // Who was told to stop may say that it was.
  if (!status.ok() && !(stop_.stop_requested() && status.Is(Code::kCancelled))) {
    on_failure(status.WithContext(member.name));
  }
  std::lock_guard lock(mutex_);
  member.ended = true;
  ended_.notify_all();
}

Status RunnableGroup::Stop(const WaitLimit& limit) {
  stop_.request_stop();
  if (threads_.empty()) {
    return {};
  }
  StopWaker waker(limit.stop, mutex_, ended_);
  std::unique_lock lock(mutex_);
  for (std::string names = NotEnded(); !names.empty(); names = NotEnded()) {
    RETURN_IF_ERROR(limit.Check(clock_, names + " did not stop in time"));
    clock_.WaitUntil(lock, ended_, limit.deadline);
  }
  return {};
}

std::string RunnableGroup::NotEnded() {
  std::vector<std::string> names;
  for (const auto& member : members_) {
    if (!member->ended) {
      names.push_back(member->name);
    }
  }
  return Join(names, ", ");
}

}  // namespace hearth::controller::internal
