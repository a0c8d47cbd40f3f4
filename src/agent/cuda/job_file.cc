#include "agent/cuda/job_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/unique_fd.h"

namespace hearth::agent::cuda {
namespace {

constexpr size_t kLargest = 16 << 20;

const char* Name() { return kJobFile.data(); }

Status Missing() {
  return InvalidError(
      fmt::format("missing CUDA launch-job state: several GPUs need {}, which is not there; start "
                  "the workload through cuda-checkpoint --launch-job",
                  kJobFile));
}

// A plain file under the name, nothing else.
Result<UniqueFd> OpenPlain(int directory, int flags) {
  UniqueFd file(::openat(directory, Name(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!file.valid() && errno == ENOENT) {
    return NotFoundError(fmt::format("there is no {}", kJobFile));
  }
  if (!file.valid() || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_nlink != 1) {
    return Status(Code::kPermissionDenied, fmt::format("{} is not a plain file", kJobFile));
  }
  return file;
}

Result<std::string> ReadAll(int file) {
  std::string bytes(kLargest + 1, '\0');
  size_t size = 0;
  for (ssize_t count = 1; count > 0 && size < bytes.size(); size += static_cast<size_t>(count)) {
    count = ::read(file, bytes.data() + size, bytes.size() - size);
    if (count < 0) {
      return Status::FromErrno(errno, fmt::format("read {}", kJobFile));
    }
  }
  if (size > kLargest) {
    return ExhaustedError(fmt::format("{} has more than {} bytes", kJobFile, kLargest));
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

Result<bool> SaveJobFile(const ControlDirectory& container, int artifact, size_t gpus) {
  auto content = container.Read(kJobFile, kLargest);
  if (content.status().Is(Code::kNotFound)) {
    return gpus > 1 ? Result<bool>(Missing()) : Result<bool>(false);
  }
  RETURN_IF_ERROR(content.status());
  ASSIGN_OR_RETURN(ControlDirectory saved, ControlDirectory::Hold(artifact));
  RETURN_IF_ERROR(saved.Write(kJobFile, *content, 0600));
  return true;
}

Result<UniqueFd> OpenJobFile(const std::string& container_root) {
  ASSIGN_OR_RETURN(
      const ControlDirectory container,
      ControlDirectory::Open(container_root, std::string(snapshot::kControlDirectory)));
  return OpenPlain(container.fd(), O_RDWR);
}

Result<std::optional<std::string>> ReadSavedJobFile(int artifact, size_t gpus) {
  const auto file = OpenPlain(artifact, O_RDONLY);
  if (file.status().Is(Code::kNotFound)) {
    return gpus > 1 ? Result<std::optional<std::string>>(Missing()) : std::optional<std::string>();
  }
  RETURN_IF_ERROR(file.status());
  ASSIGN_OR_RETURN(std::string content, ReadAll(file->get()));
  return std::optional<std::string>(std::move(content));
}

Status PlaceJobFile(ControlDirectory& container, std::string_view content) {
  return container.Write(kJobFile, content, 0600);
}

Status GiveJobFile(const ControlDirectory& container, uid_t user, gid_t group) {
  ASSIGN_OR_RETURN(const UniqueFd file, OpenPlain(container.fd(), O_RDONLY));
  return ::fchown(file.get(), user, group) == 0
             ? Status::Ok()
             : Status::FromErrno(errno, fmt::format("give {} to user {}", kJobFile, user));
}

}  // namespace hearth::agent::cuda
