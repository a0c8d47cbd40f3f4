#include <algorithm>
#include <utility>

#include "agent/node/testing/node_stand_in.h"
#include "base/clock.h"
#include "base/stop_waker.h"

namespace hearth::agent::node {
namespace {

std::string Path(std::string_view container_id, std::string_view name) {
  return std::string(container_id) + "/" + std::string(name);
}

std::string Address(const PodContainer& which) {
  return Path(Path(which.pod_namespace, which.pod_name), Path(which.pod_uid, which.name));
}

}  // namespace

void NodeState::Store(const std::string& id, const std::string& version, Stored stored) {
  const std::lock_guard lock(mutex_);
  store_[{id, version}] = std::move(stored);
}

NodeState::Stored NodeState::Find(std::string_view id, std::string_view version) const {
  const std::lock_guard lock(mutex_);
  const auto found = store_.find({std::string(id), std::string(version)});
  return found == store_.end() ? Stored{} : found->second;
}

void NodeState::Erase(std::string_view id, std::string_view version) {
  const std::lock_guard lock(mutex_);
  store_.erase({std::string(id), std::string(version)});
}

void NodeState::Start(const PodContainer& which, const std::string& container_id) {
  const std::lock_guard lock(mutex_);
  containers_[Address(which)] = container_id;
}

std::string NodeState::Runs(const PodContainer& which) const {
  const std::lock_guard lock(mutex_);
  const auto found = containers_.find(Address(which));
  return found == containers_.end() ? "" : found->second;
}

void NodeState::MakeFile(std::string_view container_id, std::string_view name) {
  const std::lock_guard lock(mutex_);
  files_.insert(Path(container_id, name));
  changed_.notify_all();
}

void NodeState::RemoveFile(std::string_view container_id, std::string_view name) {
  const std::lock_guard lock(mutex_);
  files_.erase(Path(container_id, name));
}

bool NodeState::HasFile(std::string_view container_id, std::string_view name) const {
  const std::lock_guard lock(mutex_);
  return files_.count(Path(container_id, name)) > 0;
}

Status NodeState::AwaitFile(std::string_view container_id, std::string_view name,
                            const WaitLimit& limit) {
  const StopWaker waker(limit.stop, mutex_, changed_);
  std::unique_lock lock(mutex_);
  while (files_.count(Path(container_id, name)) == 0) {
    RETURN_IF_ERROR(limit.Check(RealClock(), "wait for " + Path(container_id, name)));
    RealClock().WaitUntil(lock, changed_, limit.deadline);
  }
  return {};
}

void NodeState::Kill(std::string_view container_id) {
  const std::lock_guard lock(mutex_);
  killed_.emplace(container_id);
}

bool NodeState::Killed(std::string_view container_id) const {
  const std::lock_guard lock(mutex_);
  return killed_.count(std::string(container_id)) > 0;
}

void NodeState::Note(std::string_view container_id, std::string note) {
  const std::lock_guard lock(mutex_);
  notes_[std::string(container_id)] = std::move(note);
}

std::string NodeState::NoteOf(std::string_view container_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = notes_.find(std::string(container_id));
  return found == notes_.end() ? "" : found->second;
}

void NodeState::CutOff(std::string_view content_uid, std::string_view container_id) {
  const std::lock_guard lock(mutex_);
  cut_off_.emplace(content_uid);
  cut_off_.emplace(container_id);
}

bool NodeState::WasCutOff(std::string_view content_uid, std::string_view container_id) const {
  const std::lock_guard lock(mutex_);
  return cut_off_.count(std::string(content_uid)) > 0 ||
         cut_off_.count(std::string(container_id)) > 0;
}

std::vector<std::string> NodeState::History() const {
  const std::lock_guard lock(mutex_);
  return history_;
}

void NodeState::Happened(std::string what) {
  const std::lock_guard lock(mutex_);
  history_.push_back(std::move(what));
  changed_.notify_all();
}

void NodeState::Await(const std::string& what, size_t times) const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return CountLocked(what) >= times; });
}

size_t NodeState::Count(const std::string& what) const {
  const std::lock_guard lock(mutex_);
  return CountLocked(what);
}

size_t NodeState::CountLocked(const std::string& what) const {
  return static_cast<size_t>(std::count(history_.begin(), history_.end(), what));
}

}  // namespace hearth::agent::node
