#include "image_files.h"

#include <unistd.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "base/file_system.h"
#include "base/process_runner.h"
#include "base/strings.h"

namespace hearth::node {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBusybox = "/bin/busybox";
constexpr const char* kApplets[] = {"sh", "env",      "cat",      "ls",    "sleep", "echo",
                                    "ip", "hostname", "wget",     "httpd", "ps",    "id",
                                    "wc", "kill",     "printenv", "sort",  "grep",  "chmod",
                                    "rm", "test",     "tail",     "true",  "find"};

Result<std::string> OutputOf(std::vector<std::string> argv) {
  const ProcessSpec spec{.argv = std::move(argv)};
  ASSIGN_OR_RETURN(
      ProcessOutcome done,
      RealProcessRunner().Run(spec, WaitLimit::For(RealClock(), std::chrono::minutes(1))));
  if (!done.ok()) {
    return InternalError(spec.argv[0] + ": " + done.errors);
  }
  return std::move(done.output);
}

// "libssl.so.3 => /lib/x86_64-linux-gnu/libssl.so.3 (0x...)", "/lib64/ld-linux-x86-64.so.2 (0x...)"
Result<std::vector<std::string>> LibrariesOf(const std::string& program) {
  ASSIGN_OR_RETURN(const std::string text, OutputOf({"ldd", program}));
  std::vector<std::string> paths;
  for (const std::string_view line : Split(text, '\n')) {
    const size_t begin = line.find('/');
    if (begin != std::string_view::npos) {
      paths.emplace_back(line.substr(begin, line.find(' ', begin) - begin));
    }
  }
  return paths;
}

}  // namespace

Status PutShell(const std::string& root) {
  if (::access(kBusybox, X_OK) != 0) {
    return NotFoundError(std::string(kBusybox) +
                         " is not there; it is in the package busybox-static");
  }
  for (const char* const folder : {"bin", "tmp", "proc", "sys", "dev", "etc"}) {
    fs::create_directories(fs::path(root) / folder);
  }
  fs::copy_file(kBusybox, root + "/bin/busybox");
  for (const char* const program : kApplets) {
    fs::create_symlink("busybox", root + "/bin/" + program);
  }
  return Status::Ok();
}

Status PutProgram(const std::string& root, const std::string& program) {
  const std::string place = root + "/bin/" + fs::path(program).filename().string();
  fs::create_directories(root + "/bin");
  RETURN_IF_ERROR(OutputOf({"strip", "--strip-debug", "-o", place, program}));
  ASSIGN_OR_RETURN(const auto libraries, LibrariesOf(program));
  for (const std::string& library : libraries) {
    const std::string there = root + library;
    fs::create_directories(fs::path(there).parent_path());
    fs::copy_file(library, there, fs::copy_options::skip_existing);
  }
  return Status::Ok();
}

Status PutScript(const std::string& root, const std::string& name, const std::string& text) {
  fs::create_directories(root + "/bin");
  return RealFileSystem().Write(root + "/bin/" + name, text, 0755);
}

}  // namespace hearth::node
