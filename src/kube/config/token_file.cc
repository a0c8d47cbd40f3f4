#include <mutex>
#include <utility>

#include "base/mutex.h"
#include "base/strings.h"
#include "kube/config/credentials.h"
#include "kube/config/internal/authorization.h"

namespace hearth::kube {
namespace {

constexpr Duration kRereadAfter = std::chrono::minutes(1);
constexpr uint64_t kMaxTokenBytes = 64 << 10;

class TokenFileCredentials : public Credentials {
 public:
  TokenFileCredentials(std::string path, FileSystem& files, Clock& clock, std::string_view fallback)
      : path_(std::move(path)),
        files_(files),
        clock_(clock),
        authorization_(internal::BearerHeader(fallback).value_or("")) {}

  Result<Current> Get(const WaitLimit&) override {
    MutexLock lock(mutex_);
    if (!stale_ && clock_.Now() - read_at_ < kRereadAfter) {
      return Current{authorization_, "", ""};
    }
    Result<std::string> read = Read();
    if (read.ok()) {
      authorization_ = *std::move(read);
      read_at_ = clock_.Now();
      stale_ = false;
    } else if (authorization_.empty()) {
      return read.status();
    }
    // Mounted tokens are replaced by renaming; one that is missing for a moment is no reason to
    // stop.
    return Current{authorization_, "", ""};
  }

  void Rejected() override {
    MutexLock lock(mutex_);
    stale_ = true;
  }

 private:
  Result<std::string> Read() {
    ASSIGN_OR_RETURN(const std::string text, files_.Read(path_, kMaxTokenBytes));
    return internal::BearerHeader(Trim(text)).WithContext("token file " + path_);
  }

  const std::string path_;
  FileSystem& files_;
  Clock& clock_;
  Mutex mutex_;
  std::string authorization_ GUARDED_BY(mutex_);
  SteadyTime read_at_ GUARDED_BY(mutex_);
  bool stale_ GUARDED_BY(mutex_) = true;
};

}  // namespace

std::unique_ptr<Credentials> TokenFile(std::string path, FileSystem& files, Clock& clock,
                                       std::string_view fallback) {
  return std::make_unique<TokenFileCredentials>(std::move(path), files, clock, fallback);
}

}  // namespace hearth::kube
