// Writes the generated files of the repository, or with --check tells which of them are stale.
#include <iostream>

#include "base/file_system.h"
#include "base/options.h"
#include "deployment.h"
#include "files.h"

namespace hearth::generate {
namespace {

struct Settings {
  std::string root = HEARTH_SOURCE_DIR;
  bool check = false;
};

OptionTable Options(Settings& settings) {
  OptionTable table("generate",
                    "Writes what follows from the tables in the code and from manifests in "
                    "deploy/: deploy/crds, deploy/webhooks, docs/reference, files of the chart.");
  table.Add({.name = "root", .help = "Root of the repository", .target = &settings.root});
  table.Add({.name = "check",
             .help = "Write nothing; fail when a file is not up to date",
             .target = &settings.check});
  return table;
}

constexpr uint64_t kMostBytes = 16 << 20;

bool UpToDate(const std::string& path, const std::string& text) {
  const auto found = RealFileSystem().Read(path, kMostBytes);
  return found.ok() && *found == text;
}

Status Put(const Settings& settings, const GeneratedFile& file) {
  const std::string path = settings.root + "/" + file.path;
  if (UpToDate(path, file.text)) {
    return {};
  }
  if (settings.check) {
    return {Code::kConflict, "Stale",
            file.path + " is not up to date; run build/dev/tools/generate/generate and commit it"};
  }
  RETURN_IF_ERROR(RealFileSystem().MakeDirectories(path.substr(0, path.rfind('/')), 0755));
  std::cout << "wrote " << file.path << "\n";
  return RealFileSystem().Write(path, file.text, 0644);
}

Result<std::vector<GeneratedFile>> AllFiles(const std::string& root) {
  std::vector<GeneratedFile> all = GenerateAll();
  ASSIGN_OR_RETURN(const auto more, DeploymentFiles(RealFileSystem(), root, all));
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

int Main(int argc, const char* const* argv) {
  Settings settings;
  const OptionTable table = Options(settings);
  const auto parsed = table.Parse(argc, argv);
  if (parsed.ok() && *parsed != OptionTable::Parsed::kRun) {
    std::cout << table.Help();
    return 0;
  }
  const auto files = AllFiles(settings.root);
  Status status = parsed.ok() ? files.status() : parsed.status();
  if (!files.ok()) {
    std::cerr << "generate: " << status.message() << "\n";
    return 1;
  }
  for (const GeneratedFile& file : *files) {
    if (const Status put = status.ok() || settings.check ? Put(settings, file) : Status();
        !put.ok()) {
      std::cerr << "generate: " << put.message() << "\n";
      status = put;
    }
  }
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace hearth::generate

int main(int argc, char** argv) { return hearth::generate::Main(argc, argv); }
