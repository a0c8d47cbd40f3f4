#include "cli/sources.h"

#include <array>
#include <istream>

namespace hearth::cli {
namespace {

using command_line::Terminal;

constexpr int kDeepest = 64;  // a link may lead back up

bool IsManifest(std::string_view name) {
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

std::string Under(const std::string& folder, const std::string& name) {
  return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

// In pieces: input may have no end. Through the stream, not its buffer, which throws when the input
// is closed or a folder.
Result<std::string> ReadAll(std::istream& in, size_t limit) {
  std::string text;
  std::array<char, 65536> piece;
  while (in.read(piece.data(), piece.size()) || in.gcount() > 0) {
    text.append(piece.data(), static_cast<size_t>(in.gcount()));
    if (text.size() > limit) {
      return ExhaustedError("read standard input: larger than the limit of " +
                            std::to_string(limit) + " bytes");
    }
  }
  if (in.bad()) {
    return UnavailableError("read standard input: it is closed, a folder or broken");
  }
  return text;
}

class Finder {
 public:
  Finder(bool recursive, size_t limit, Terminal& terminal)
      : recursive_(recursive), limit_(limit), terminal_(terminal) {}

  void Find(const std::string& path) {
    if (path == "-") {
      AddStandardInput();
      return;
    }
    const auto info = terminal_.files.Stat(path);
    if (info.ok() && info->is_directory) {
      const size_t before = sources_.size();
      FindIn(path, 0);
      if (sources_.size() == before) {
        Fail(path, NotFoundError(path + " has no .yaml, .yml or .json files" +
                                 (recursive_ ? "" : "; -R looks into folders below")));
      }
    } else {
      sources_.push_back({.name = path, .path = path});
    }
  }

  std::vector<Source> Take() { return std::move(sources_); }

 private:
  void AddStandardInput() {
    if (!read_input_) {
      sources_.push_back({.name = "<stdin>", .text = ReadAll(terminal_.in, limit_)});
    }
    read_input_ = true;
  }

  void FindIn(const std::string& folder, int depth) {
    const auto names = terminal_.files.List(folder);
    if (!names.ok()) {
      Fail(folder, names.status());
      return;
    }
    for (const std::string& name : *names) {
      const std::string path = Under(folder, name);
      const auto info = terminal_.files.Stat(path);
      if (info.ok() && info->is_directory) {
        if (recursive_ && !info->is_link && depth < kDeepest) {
          FindIn(path, depth + 1);
        }
      } else if (IsManifest(name)) {
        sources_.push_back({.name = path, .path = path});
      }
    }
  }

  void Fail(const std::string& path, const Status& status) {
    sources_.push_back({.name = path, .text = Result<std::string>(status)});
  }

  const bool recursive_;
  const size_t limit_;
  Terminal& terminal_;
  bool read_input_ = false;
  std::vector<Source> sources_;
};

}  // namespace

std::vector<Source> FindSources(const std::vector<std::string>& paths, bool recursive, size_t limit,
                                command_line::Terminal& terminal) {
  Finder finder(recursive, limit, terminal);
  for (const std::string& path : paths) {
    finder.Find(path);
  }
  return finder.Take();
}

Result<std::string> ReadSource(const Source& source, FileSystem& files, size_t limit) {
  return source.text ? *source.text : files.Read(source.path, limit);
}

}  // namespace hearth::cli
