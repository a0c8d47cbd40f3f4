#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "agent/files/apply_files.h"
#include "agent/files/list_files.h"
#include "agent/files/path_list.h"
#include "base/check.h"
#include "base/unique_fd.h"

namespace {

namespace fs = std::filesystem;
using hearth::UniqueFd;
using hearth::WaitLimit;

// Directories for one process, in memory where there is such a place.
class Place {
 public:
  Place() {
    const bool shm = ::access("/dev/shm", W_OK) == 0;
    std::string path = std::string(shm ? "/dev/shm" : "/tmp") + "/rootfs-archive-XXXXXX";
    CHECK(::mkdtemp(path.data()) != nullptr);
    top_ = path;
    fs::create_directory(top_ / "images");
  }
  ~Place() {
    std::error_code ignored;
    fs::remove_all(top_, ignored);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  UniqueFd Open(const char* name) const {
    return UniqueFd(::open((top_ / name).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  void Renew() const {
    fs::remove_all(top_ / "root");
    fs::create_directories(top_ / "root" / "etc");
    fs::create_symlink("..", top_ / "root" / "up");
  }
  size_t Names() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(top_), fs::directory_iterator()));
  }

 private:
  fs::path top_;
};

void WriteArchive(int images, const uint8_t* data, size_t size) {
  const UniqueFd file(::openat(images, hearth::agent::kArchiveName,
                               O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  CHECK(::write(file.get(), data, size) == static_cast<ssize_t>(size));
  // The end that every archive needs is not to be found by chance.
  const std::string end(1024, '\0');
  CHECK(::write(file.get(), end.data(), end.size()) == static_cast<ssize_t>(end.size()));
}

}  // namespace

// Whatever an archive says, nothing is touched outside the root. Beside it only `images` is.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Place place;
  place.Renew();
  const UniqueFd images = place.Open("images");
  WriteArchive(images.get(), data, size);
  (void)hearth::agent::ListFiles(images.get(), WaitLimit::Forever());
  (void)hearth::agent::ApplyFiles(images.get(), place.Open("root").get(), {}, WaitLimit::Forever());
  CHECK(place.Names() == 2);
  return 0;
}
