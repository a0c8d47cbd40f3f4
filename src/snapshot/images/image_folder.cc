#include "snapshot/images/image_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace hearth::snapshot::images {
namespace {

// Descriptions, not pages: a thousand processes with a thousand mappings each need less.
constexpr uint64_t kMaxImageBytes = 256ULL << 20U;

Result<std::string> ReadAt(int fd, const std::string& name, uint64_t offset, uint64_t bytes) {
  std::string text(bytes, '\0');
  uint64_t done = 0;
  while (done < bytes) {
    const ssize_t got =
        ::pread(fd, text.data() + done, bytes - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return Status::FromErrno(errno, name);
    }
    if (got == 0) {
      return DataLossError(fmt::format("{} ends at byte {}", name, offset + done));
    }
    done += static_cast<uint64_t>(got);
  }
  return text;
}

// Where a page lies in the file of pages. kNotFound: it was not saved.
Result<uint64_t> OffsetOf(const Pagemap& pagemap, uint64_t address) {
  uint64_t offset = 0;
  for (const PageRun& run : pagemap.runs) {
    const uint64_t bytes = run.pages * kPageBytes;
    if (address >= run.address && address - run.address < bytes && run.saved) {
      return offset + (address - run.address);
    }
    offset += run.saved ? bytes : 0;
  }
  return NotFoundError(fmt::format("the page at {:#x} was not saved", address));
}

}  // namespace

Result<ImageFolder> ImageFolder::Open(const std::string& directory) {
  UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) {
    return Status::FromErrno(errno, directory);
  }
  return ImageFolder(std::move(fd));
}

Result<UniqueFd> ImageFolder::OpenFile(const std::string& name) const {
  UniqueFd fd(
      ::openat(directory_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid()) {
    return Status::FromErrno(errno, name);
  }
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) {
    return Status::FromErrno(errno, name);
  }
  if (!S_ISREG(info.st_mode)) {
    return DataLossError(name + " is no regular file");
  }
  return fd;
}

Result<std::string> ImageFolder::Read(const std::string& name) const {
  ASSIGN_OR_RETURN(const UniqueFd fd, OpenFile(name));
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) {
    return Status::FromErrno(errno, name);
  }
  const auto bytes = static_cast<uint64_t>(info.st_size);
  if (bytes > kMaxImageBytes) {
    return ExhaustedError(
        fmt::format("{} has {} bytes, and {} are the most that an image which "
                    "describes something may have",
                    name, bytes, kMaxImageBytes));
  }
  return ReadAt(fd.get(), name, 0, bytes);
}

Result<std::vector<std::string>> ImageFolder::Names(std::string_view prefix,
                                                    std::string_view suffix) const {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(
      ::fdopendir(::openat(directory_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      &::closedir);
  if (stream == nullptr) {
    return Status::FromErrno(errno, "reading the directory of images");
  }
  std::vector<std::string> names;
  while (const dirent* const entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name.size() >= prefix.size() + suffix.size() && name.starts_with(prefix) &&
        name.ends_with(suffix)) {
      names.emplace_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> ImageFolder::ReadPages(const std::string& name, uint64_t offset,
                                           uint64_t bytes) const {
  if (pages_) {
    return pages_(name, offset, bytes);
  }
  ASSIGN_OR_RETURN(const UniqueFd fd, OpenFile(name));
  return ReadAt(fd.get(), name, offset, bytes);
}

Result<std::string> ImageFolder::MemoryAt(const Pagemap& pagemap, AddressRange range,
                                          uint64_t limit) const {
  if (range.end <= range.start) {
    return std::string();
  }
  const std::string name = fmt::format("pages-{}.img", pagemap.pages_file);
  const uint64_t end = range.start + std::min(range.end - range.start, limit);
  std::string memory;
  for (uint64_t at = range.start; at < end;) {
    const uint64_t page_end = std::min(end, (at / kPageBytes + 1) * kPageBytes);
    ASSIGN_OR_RETURN(const uint64_t offset, OffsetOf(pagemap, at));
    ASSIGN_OR_RETURN(const std::string piece, ReadPages(name, offset, page_end - at));
    memory += piece;
    at = page_end;
  }
  return memory;
}

}  // namespace hearth::snapshot::images
