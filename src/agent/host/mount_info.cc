#include "agent/host/mount_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/strings.h"

namespace hearth::agent {
namespace {

// "\040" is a blank.
std::string Unescape(std::string_view text) {
  const auto is_octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      plain.push_back(static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                        (text[i + 3] - '0')));
      i += 3;
    } else {
      plain.push_back(text[i]);
    }
  }
  return plain;
}

bool ReadNumber(std::string_view text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// id parent device root point options [optional...] - type source super-options
bool ReadLine(std::string_view line, MountEntry& entry) {
  const std::vector<std::string_view> words = Split(line, ' ');
  const auto dash = std::find(words.begin(), words.end(), "-");
  if (dash - words.begin() < 6 || words.end() - dash < 4) {
    return false;
  }
  entry = {.device = std::string(words[2]),
           .root = Unescape(words[3]),
           .mount_point = Unescape(words[4]),
           .options = std::string(words[5]),
           .type = std::string(dash[1]),
           .source = Unescape(dash[2]),
           .super_options = Unescape(dash[3])};
  return ReadNumber(words[0], entry.id) && ReadNumber(words[1], entry.parent);
}

Result<std::string> UpperOf(const MountEntry& overlay) {
  constexpr std::string_view kUpper = "upperdir=";
  for (const std::string_view option : Split(overlay.super_options, ',')) {
    if (option.starts_with(kUpper)) {
      return std::string(option.substr(kUpper.size()));
    }
  }
  return Status(Code::kUnsupported, "the container's root is an overlay that cannot be written");
}

}  // namespace

Result<std::vector<MountEntry>> ParseMountInfo(std::string_view text) {
  std::vector<MountEntry> mounts;
  for (const std::string_view line : Split(text, '\n')) {
    MountEntry entry;
    if (line.empty()) {
      continue;
    }
    if (!ReadLine(line, entry)) {
      return InvalidError(fmt::format("mountinfo: '{}' is no mount", Excerpt(line, 200)));
    }
    mounts.push_back(std::move(entry));
  }
  return mounts;
}

Result<std::string> OverlayUpperDirectory(const std::vector<MountEntry>& container,
                                          const std::vector<MountEntry>& outside) {
  // The last one covers the others.
  const auto root = std::find_if(container.rbegin(), container.rend(),
                                 [](const MountEntry& mount) { return mount.mount_point == "/"; });
  if (root == container.rend()) {
    return Status(Code::kUnsupported, "the container has no root mount");
  }
  if (root->type != "overlay") {
    return Status(Code::kUnsupported,
                  fmt::format("the container's root is {} on {}, not an overlay: which files it "
                              "changed cannot be told",
                              root->type, root->source));
  }
  const auto same = std::find_if(outside.begin(), outside.end(), [&root](const MountEntry& mount) {
    return mount.type == "overlay" && mount.device == root->device;
  });
  if (same == outside.end()) {
    return Status(Code::kUnsupported, "ForeignRoot",
                  fmt::format("the container's root ({}) is an overlay that its runtime did not "
                              "mount: where its changed files are cannot be believed",
                              root->device));
  }
  return UpperOf(*same);
}

}  // namespace hearth::agent
