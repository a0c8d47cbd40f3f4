#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "cli/bundle/redact.h"
#include "cli/bundle/tar_gz.h"
#include "json/value.h"

namespace hearth::bundle {

// A support bundle: files that are redacted on their way in, and a manifest that says what is in
// it, what was taken out, and what was left out and why. Nothing gets in past the redaction, nor
// more than kMostBytes: it is put together in memory.
class Bundle {
 public:
  struct Facts {
    std::string version;  // of the program
    std::string server;   // what was asked
    WallTime now;
  };
  static constexpr uint64_t kMostBytes = uint64_t{512} << 20;

  explicit Bundle(Facts facts) : facts_(std::move(facts)), files_(facts_.now) {}

  void AddObject(const std::string& path, json::Value object);
  void AddText(const std::string& path, std::string_view text);
  void LeaveOut(std::string what, std::string why);

  // manifest.json of the archive.
  json::Value Manifest() const;
  // The archive. Once.
  std::string Pack();

 private:
  struct File {
    std::string path;
    uint64_t bytes = 0;
    size_t redactions = 0;
  };
  struct Taken {
    std::string file;
    Redaction redaction;
  };
  struct LeftOut {
    std::string what;
    std::string why;
  };
  // False when there was no room for it.
  bool Add(const std::string& path, std::string_view bytes, size_t redactions);

  const Facts facts_;
  uint64_t bytes_ = 0;
  TarGz files_;
  std::vector<File> listed_;
  std::vector<Taken> taken_;
  std::vector<LeftOut> left_out_;
};

}  // namespace hearth::bundle
