#include "base/testing/faulty_file_system.h"

#include <utility>

namespace hearth {

void FaultyFileSystem::FailAt(int step, Status error) {
  std::lock_guard lock(mutex_);
  fail_at_ = step;
  error_ = std::move(error);
}

void FaultyFileSystem::KillAt(int step) {
  std::lock_guard lock(mutex_);
  kill_at_ = step;
}

int FaultyFileSystem::steps() const {
  std::lock_guard lock(mutex_);
  return steps_;
}

std::vector<std::string> FaultyFileSystem::trace() const {
  std::lock_guard lock(mutex_);
  return trace_;
}

Status FaultyFileSystem::Step(const std::string& what) {
  std::lock_guard lock(mutex_);
  const int step = steps_++;
  trace_.push_back(what);
  if (kill_at_ >= 0 && step >= kill_at_) {
    return UnavailableError(what + ": killed before step " + std::to_string(kill_at_));
  }
  return step == fail_at_ ? error_.WithContext(what) : Status();
}

Result<std::string> FaultyFileSystem::Read(const std::string& path, uint64_t limit) {
  RETURN_IF_ERROR(Step("read " + path));
  return real_.Read(path, limit);
}

Status FaultyFileSystem::Write(const std::string& path, std::string_view bytes, uint32_t mode) {
  RETURN_IF_ERROR(Step("write " + path));
  return real_.Write(path, bytes, mode);
}

Status FaultyFileSystem::Sync(const std::string& path) {
  RETURN_IF_ERROR(Step("sync " + path));
  return real_.Sync(path);
}

Status FaultyFileSystem::Rename(const std::string& from, const std::string& to) {
  RETURN_IF_ERROR(Step("rename " + from + " " + to));
  return real_.Rename(from, to);
}

Status FaultyFileSystem::Exchange(const std::string& a, const std::string& b) {
  RETURN_IF_ERROR(Step("exchange " + a + " " + b));
  return real_.Exchange(a, b);
}

Status FaultyFileSystem::MakeDirectories(const std::string& path, uint32_t mode) {
  RETURN_IF_ERROR(Step("make-directories " + path));
  return real_.MakeDirectories(path, mode);
}

Status FaultyFileSystem::Remove(const std::string& path) {
  RETURN_IF_ERROR(Step("remove " + path));
  return real_.Remove(path);
}

Status FaultyFileSystem::RemoveTree(const std::string& path) {
  RETURN_IF_ERROR(Step("remove-tree " + path));
  return real_.RemoveTree(path);
}

Result<FileSystem::Info> FaultyFileSystem::Stat(const std::string& path) {
  RETURN_IF_ERROR(Step("stat " + path));
  return real_.Stat(path);
}

Result<std::vector<std::string>> FaultyFileSystem::List(const std::string& path) {
  RETURN_IF_ERROR(Step("list " + path));
  return real_.List(path);
}

}  // namespace hearth
