#include "agent/pages/internal/shared_view.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>

#include "agent/pages/userfault.h"

namespace hearth::agent {
namespace {

// The mapping may have become one with its neighbours.
Result<UniqueFd> OpenMapped(int pid, uint64_t address) {
  const std::string path = fmt::format("/proc/{}/map_files", pid);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir(path.c_str()), &::closedir);
  if (stream == nullptr) {
    return Status::FromErrno(errno, path);
  }
  while (const dirent* const entry = ::readdir(stream.get())) {
    uint64_t begin = 0;
    uint64_t end = 0;
    if (std::sscanf(entry->d_name, "%lx-%lx", &begin, &end) == 2 && begin <= address &&
        address < end) {
      UniqueFd fd(::openat(::dirfd(stream.get()), entry->d_name, O_RDWR | O_CLOEXEC));
      return fd.valid() ? Result<UniqueFd>(std::move(fd))
                        : Status::FromErrno(errno, fmt::format("{}/{}", path, entry->d_name));
    }
  }
  return InternalError(fmt::format("process {} has nothing mapped at {:#x}", pid, address));
}

}  // namespace

Result<SharedView> SharedView::Open(int pid, const SharedMemory& memory) {
  ASSIGN_OR_RETURN(const UniqueFd fd, OpenMapped(pid, memory.mapped_at));
  void* const mapped =
      ::mmap(nullptr, memory.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (mapped == MAP_FAILED) {
    return Status::FromErrno(errno, fmt::format("map {} bytes of shared memory", memory.bytes));
  }
  SharedView view(mapped, memory.bytes, UniqueFd());
  ASSIGN_OR_RETURN(view.faults_, userfault::Open());
  RETURN_IF_ERROR(userfault::Register(view.faults(), view.address(), memory.bytes));
  return view;
}

SharedView::SharedView(SharedView&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)),
      bytes_(other.bytes_),
      faults_(std::move(other.faults_)) {}

SharedView::~SharedView() {
  if (memory_ != nullptr) {
    ::munmap(memory_, bytes_);
  }
}

}  // namespace hearth::agent
