#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "base/strings.h"
#include "json/time.h"
#include "snapshot/ctl/internal/artifact_images.h"
#include "snapshot/ctl/internal/captured_view.h"
#include "snapshot/ctl/internal/commands.h"
#include "snapshot/ctl/internal/storage_command.h"

namespace hearth::snapshot::ctl {
namespace {

std::string Line(std::string_view title, std::string_view text) {
  return text.empty() ? "" : fmt::format("{:12}{}\n", title, text);
}

std::string SourceText(const Manifest& manifest) {
  const SourceContainer& source = manifest.source;
  std::vector<std::string> words;
  if (!source.pod_name.empty()) {
    words.push_back(fmt::format("pod {}/{}", source.pod_namespace, source.pod_name));
  }
  if (manifest.environment && !manifest.environment->container_name.empty()) {
    words.push_back("container " + manifest.environment->container_name);
  } else if (!source.container_id.empty()) {
    words.push_back("container " + source.container_id);
  } else {
    words.push_back(fmt::format("process {}", source.pid));
  }
  if (!source.node.empty()) {
    words.push_back("node " + source.node);
  }
  return Join(words, ", ");
}

std::string EnvironmentText(const Manifest& manifest) {
  if (!manifest.environment) {
    return Line("Made on", "not recorded: whoever captured it wrote nothing about the machine");
  }
  const SourceEnvironment& made = *manifest.environment;
  return Line("Image",
              made.image + (made.image_digest.empty() ? "" : " (" + made.image_digest + ")")) +
         Line("Made on", fmt::format("{} kernel {}, CRIU {}, {}", made.architecture, made.kernel,
                                     made.criu_version, made.runtime)) +
         Line("Processor", made.cpu_model);
}

std::string CudaText(const Manifest& manifest) {
  return manifest.cuda ? fmt::format("{} GPUs, {} processes use them",
                                     manifest.cuda->gpu_uuids.size(), manifest.cuda->pids.size())
                       : "";
}

// How much smaller the memory became.
double RatioOf(const Contents& contents) {
  uint64_t plain = 0;
  uint64_t packed = 0;
  for (const StoredFile& file : contents.files) {
    plain += file.packing ? file.PlainBytes() : 0;
    packed += file.packing ? file.bytes : 0;
  }
  return packed == 0 ? 0 : static_cast<double>(plain) / static_cast<double>(packed);
}

std::string CompressionText(const Contents& contents) {
  return contents.IsPacked() ? fmt::format("zstd, memory {:.2f} times smaller; {} without",
                                           RatioOf(contents), SizeText(contents.PlainBytes()))
                             : "";
}

std::string HeadText(const Artifact& artifact) {
  const Manifest& manifest = artifact.manifest();
  const uint64_t bytes = artifact.contents().TotalBytes();
  const uint64_t stored = manifest.integrity ? manifest.integrity->stored_bytes : bytes;
  return Line("Artifact", manifest.checkpoint_id + "/" + manifest.artifact_version) +
         Line("Captured", json::Time{manifest.created_at}.ToString()) +
         Line("From", SourceText(manifest)) + EnvironmentText(manifest) +
         Line("GPU", CudaText(manifest)) +
         Line("Size", fmt::format("{} in {} files, {} on disk", SizeText(bytes),
                                  artifact.contents().files.size(), SizeText(stored))) +
         Line("Compressed", CompressionText(artifact.contents())) +
         Line("Root", artifact.sealed() ? artifact.RootHex()
                                        : "none: made by a program that keeps no digests");
}

// The largest first; what is small is summed up.
std::string FilesText(const Contents& contents) {
  constexpr size_t kMost = 8;
  std::vector<StoredFile> files = contents.files;
  std::stable_sort(files.begin(), files.end(),
                   [](const StoredFile& a, const StoredFile& b) { return a.bytes > b.bytes; });
  TextTable table({{"FILE"}, {"SIZE", TextTable::Align::kRight}});
  uint64_t rest = 0;
  for (size_t i = 0; i < files.size(); ++i) {
    if (i < kMost) {
      table.Add({files[i].name, SizeText(files[i].bytes)});
    } else {
      rest += files[i].bytes;
    }
  }
  if (files.size() > kMost) {
    table.Add({fmt::format("{} others", files.size() - kMost), SizeText(rest)});
  }
  return table.Text();
}

void PrintSection(Terminal& terminal, std::string_view title, const std::string& text) {
  if (!text.empty()) {
    terminal.out << "\n" << title << "\n" << text;
  }
}

void PrintCaptured(Terminal& terminal, const Result<images::Captured>& captured) {
  if (!captured.ok()) {
    PrintSection(terminal, "Images",
                 fmt::format("  cannot be read: {}\n", captured.status().message()));
    return;
  }
  PrintSection(terminal, "Processes", ProcessTree(*captured));
  PrintSection(terminal, "Memory", MappingTable(*captured));
  PrintSection(terminal, "Sockets", SocketTable(*captured));
  PrintSection(terminal, "Open files", FileTable(*captured));
  PrintSection(terminal, "Mounts", MountTable(*captured));
  PrintSection(terminal, "Secret exposure: who reads this artifact has the values of",
               ExposureReport(*captured));
}

Value EnvironmentJson(const Manifest& manifest) {
  if (!manifest.environment) {
    return {};
  }
  const SourceEnvironment& made = *manifest.environment;
  return Value::Object({{"kernel", made.kernel},
                        {"architecture", made.architecture},
                        {"cpu_model", made.cpu_model},
                        {"cpu_features", TextArray(made.cpu_features)},
                        {"criu_version", made.criu_version},
                        {"runtime", made.runtime},
                        {"image", made.image},
                        {"image_digest", made.image_digest},
                        {"pod_uid", made.pod_uid},
                        {"container_name", made.container_name}});
}

Value JsonOf(const Artifact& artifact, const Result<images::Captured>& captured) {
  const Manifest& manifest = artifact.manifest();
  Value files = Value::Array();
  for (const StoredFile& file : artifact.contents().files) {
    Value one = Value::Object({{"name", file.name}, {"bytes", file.bytes}});
    if (file.packing) {
      one.Set("plain_bytes", file.PlainBytes());
    }
    files.Append(std::move(one));
  }
  Value value = Value::Object(
      {{"checkpoint_id", manifest.checkpoint_id},
       {"version", manifest.artifact_version},
       {"directory", artifact.directory()},
       {"created_at", json::Time{manifest.created_at}.ToString()},
       {"namespace", manifest.source.pod_namespace},
       {"pod", manifest.source.pod_name},
       {"node", manifest.source.node},
       {"container_id", manifest.source.container_id},
       {"environment", EnvironmentJson(manifest)},
       {"gpu_uuids", manifest.cuda ? TextArray(manifest.cuda->gpu_uuids) : Value::Array()},
       {"bytes", artifact.contents().TotalBytes()},
       {"root_digest", artifact.RootHex()},
       {"files", std::move(files)}});
  if (artifact.contents().IsPacked()) {
    value.Set("compression", "zstd");
    value.Set("compression_ratio", RatioOf(artifact.contents()));
  }
  value.Set("images", captured.ok() ? CapturedJson(*captured) : Value());
  if (!captured.ok()) {
    value.Set("images_error", Value(captured.status().message()));
  }
  return value;
}

class Inspect : public StorageCommand {
 public:
  Inspect() : StorageCommand("inspect") {}

 protected:
  void AddMoreOptions(OptionTable& table) override {
    table.AddPositional({.name = "artifact",
                         .help = "ID, ID/VERSION or a directory",
                         .target = &artifact_,
                         .required = true});
    table.AddNotes(
        "The last section names environment variables, files and mounts that look like secrets.\n"
        "Their values are never shown, but they are in the artifact's memory.\n");
  }

  Result<int> Work(Terminal& terminal) override {
    ASSIGN_OR_RETURN(const Artifact artifact, Open(terminal.files, artifact_));
    const Result<images::Captured> captured = ReadImages(artifact);
    if (json()) {
      Print(terminal, JsonOf(artifact, captured));
      return kExitOk;
    }
    terminal.out << HeadText(artifact);
    PrintCaptured(terminal, captured);
    PrintSection(terminal, "Files of the artifact", FilesText(artifact.contents()));
    return kExitOk;
  }

 private:
  std::string artifact_;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeInspect() { return std::make_unique<Inspect>(); }

}  // namespace hearth::snapshot::ctl
