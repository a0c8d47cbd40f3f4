#include "image_archive.h"

#include <filesystem>
#include <fstream>
#include <utility>

#include "base/process_runner.h"
#include "base/strings.h"
#include "json/value.h"

namespace hearth::node {
namespace {

using json::Value;

Value Strings(const std::vector<std::string>& texts, Value list = Value::Array()) {
  for (const std::string& text : texts) {
    list.Append(text);
  }
  return list;
}

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

}  // namespace

// One layer, its configuration, a list of both.
Status WriteImageArchive(const ImageContent& image, const std::string& output) {
  const std::string parts = output + ".parts";
  std::filesystem::create_directories(parts);
  RETURN_IF_ERROR(OutputOf({"tar", "-C", image.files, "-cf", parts + "/layer.tar", "."}));
  ASSIGN_OR_RETURN(const std::string sum, OutputOf({"sha256sum", parts + "/layer.tar"}));
  const std::string digest = "sha256:" + std::string(Split(sum, ' ').front());
  Value settings =
      Value::Object({{"Cmd", Strings(image.command)},
                     {"Env", Strings(image.environment, Value::Array({"PATH=/bin"}))}});
  if (!image.entrypoint.empty()) {
    settings.Set("Entrypoint", Strings(image.entrypoint));
  }
  std::ofstream(parts + "/config.json")
      << Value::Object({{"architecture", "amd64"},
                        {"os", "linux"},
                        {"config", std::move(settings)},
                        {"rootfs", Value::Object({{"type", "layers"},
                                                  {"diff_ids", Value::Array({Value(digest)})}})}})
             .Write();
  std::ofstream(parts + "/manifest.json")
      << Value::Array({Value::Object({{"Config", "config.json"},
                                      {"RepoTags", Value::Array({Value(image.name)})},
                                      {"Layers", Value::Array({"layer.tar"})}})})
             .Write();
  return OutputOf({"tar", "-C", parts, "-cf", output, "manifest.json", "config.json", "layer.tar"})
      .status();
}

}  // namespace hearth::node
