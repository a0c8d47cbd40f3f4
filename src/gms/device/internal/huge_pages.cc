#include "gms/device/internal/huge_pages.h"

#include <charconv>

#include "base/strings.h"

namespace hearth::gms::internal {
namespace {

constexpr uint64_t kSmallFile = 4096;

std::string ReadText(FileSystem& files, const std::string& path) {
  return files.Read(path, kSmallFile).value_or(std::string());
}

SharedHugePages FromWord(std::string_view word) {
  if (word == "always" || word == "within_size" || word == "force") {
    return SharedHugePages::kAlways;
  }
  return word == "advise" ? SharedHugePages::kOnAdvice : SharedHugePages::kNever;
}

}  // namespace

std::string_view ChosenWord(std::string_view choices) {
  size_t open = choices.find('[');
  size_t close = choices.find(']', open == std::string_view::npos ? choices.size() : open);
  if (close == std::string_view::npos) {
    return {};
  }
  return choices.substr(open + 1, close - open - 1);
}

SharedHugePages TransparentSharedPages(FileSystem& files, const std::string& root) {
  std::string dir = root + "/transparent_hugepage";
  std::string general = ReadText(files, dir + "/shmem_enabled");
  if (ChosenWord(general) == "deny") {
    return SharedHugePages::kNever;
  }
  // Newer kernels have a setting per size; it defers to the general one or overrides it.
  std::string of_size = ReadText(files, dir + "/hugepages-2048kB/shmem_enabled");
  std::string_view word = ChosenWord(of_size);
  return FromWord(word.empty() || word == "inherit" ? ChosenWord(general) : word);
}

uint64_t ReservedHuge2MBytes(FileSystem& files, const std::string& root) {
  std::string text = ReadText(files, root + "/hugepages/hugepages-2048kB/nr_hugepages");
  std::string_view digits = Trim(text);
  uint64_t pages = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), pages);
  return pages << 21;
}

Status CheckPagesOffered(HostPages pages, FileSystem& files, const std::string& root) {
  if (pages == HostPages::kHuge2M && ReservedHuge2MBytes(files, root) == 0) {
    return UnavailableError(
        "this machine has no huge pages of 2 MiB set aside: write their number to "
        "/proc/sys/vm/nr_hugepages, or use small pages");
  }
  if (pages == HostPages::kTransparentHuge &&
      TransparentSharedPages(files, root) == SharedHugePages::kNever) {
    return UnavailableError(
        "this machine gives shared memory no transparent huge pages: write advise to "
        "/sys/kernel/mm/transparent_hugepage/shmem_enabled, or use small pages");
  }
  return Status::Ok();
}

}  // namespace hearth::gms::internal
