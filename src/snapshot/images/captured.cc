#include "snapshot/images/captured.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace hearth::snapshot::images {
namespace {

constexpr uint64_t kMaxStartBytes = 1ULL << 20U;  // of arguments, of the environment
constexpr size_t kMaxShown = 4096;

// An image by its name, decoded; a failure names it.
template <typename Decode>
auto Load(const ImageFolder& folder, const std::string& name, Decode decode)
    -> decltype(decode(std::string_view())) {
  ASSIGN_OR_RETURN(const std::string bytes, folder.Read(name));
  auto decoded = decode(std::string_view(bytes));
  if (!decoded.ok()) {
    return decoded.status().WithContext(name);
  }
  return decoded;
}

std::vector<std::string_view> Texts(std::string_view block) {
  while (block.ends_with('\0')) {
    block.remove_suffix(1);
  }
  return block.empty() ? std::vector<std::string_view>() : Split(block, '\0');
}

// What a process was started with, as far as it lies in saved pages: the kernel keeps it in the
// process's own memory, and so it is not always there.
void ReadStart(const ImageFolder& folder, const Memory& memory, const Pagemap& pagemap,
               CapturedProcess& process) {
  const auto arguments = folder.MemoryAt(pagemap, memory.arguments, kMaxStartBytes);
  for (const std::string_view text : Texts(arguments.ok() ? *arguments : std::string_view())) {
    process.arguments.push_back(Excerpt(text, kMaxShown));
  }
  const auto environment = folder.MemoryAt(pagemap, memory.environment, kMaxStartBytes);
  for (const std::string_view text : Texts(environment.ok() ? *environment : std::string_view())) {
    // Without '=' it is no variable, and might be a value.
    if (const size_t equals = text.find('='); equals != std::string_view::npos && equals > 0) {
      process.environment_names.push_back(Excerpt(text.substr(0, equals), kMaxShown));
    }
  }
}

// Which mappings the saved pages are of. A run may go over the end of one.
void CountSaved(const Pagemap& pagemap, std::vector<Mapping>& mappings) {
  std::sort(mappings.begin(), mappings.end(),
            [](const Mapping& a, const Mapping& b) { return a.start < b.start; });
  for (const PageRun& run : pagemap.runs) {
    const uint64_t run_end = run.address + run.pages * kPageBytes;
    auto mapping = std::partition_point(mappings.begin(), mappings.end(),
                                        [&](const Mapping& m) { return m.end <= run.address; });
    for (; run.saved && mapping != mappings.end() && mapping->start < run_end; ++mapping) {
      mapping->saved_bytes +=
          std::min(run_end, mapping->end) - std::max(run.address, mapping->start);
    }
  }
}

Status ReadMemory(const ImageFolder& folder, Captured& captured, CapturedProcess& process) {
  ASSIGN_OR_RETURN(Memory memory,
                   Load(folder, fmt::format("mm-{}.img", process.pid), DecodeMemory));
  ASSIGN_OR_RETURN(const Pagemap pagemap,
                   Load(folder, fmt::format("pagemap-{}.img", process.pid), DecodePagemap));
  process.program = captured.PathOf(memory.program);
  process.saved_bytes = pagemap.SavedBytes();
  for (const Mapping& mapping : memory.mappings) {
    process.mapped_bytes += mapping.end - mapping.start;
  }
  ReadStart(folder, memory, pagemap, process);
  CountSaved(pagemap, memory.mappings);
  process.mappings = std::move(memory.mappings);
  return Status::Ok();
}

Status ReadProcess(const ImageFolder& folder, const ProcessEntry& entry, Captured& captured) {
  CapturedProcess process{
      .pid = entry.pid, .parent = entry.parent, .threads = entry.threads.size()};
  ASSIGN_OR_RETURN(Task task, Load(folder, fmt::format("core-{}.img", entry.pid), DecodeCore));
  process.name = std::move(task.name);
  process.alive = task.alive;
  if (task.alive) {
    RETURN_IF_ERROR(ReadMemory(folder, captured, process));
    ASSIGN_OR_RETURN(const uint32_t files,
                     Load(folder, fmt::format("ids-{}.img", entry.pid), DecodeFilesId));
    ASSIGN_OR_RETURN(process.descriptors,
                     Load(folder, fmt::format("fdinfo-{}.img", files), DecodeDescriptors));
  }
  captured.processes.push_back(std::move(process));
  return Status::Ok();
}

Status ReadMounts(const ImageFolder& folder, uint32_t root_namespace, Captured& captured) {
  ASSIGN_OR_RETURN(const auto names, folder.Names("mountpoints-", ".img"));
  if (names.empty()) {
    return Status::Ok();  // a process that has no mounts of its own
  }
  const std::string own = fmt::format("mountpoints-{}.img", root_namespace);
  const bool there = std::find(names.begin(), names.end(), own) != names.end();
  ASSIGN_OR_RETURN(captured.mounts, Load(folder, there ? own : names.front(), DecodeMounts));
  return Status::Ok();
}

Status ReadShared(const ImageFolder& folder, Captured& captured) {
  ASSIGN_OR_RETURN(const auto names, folder.Names("pagemap-shmem-", ".img"));
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const Pagemap pagemap, Load(folder, name, DecodePagemap));
    captured.shared_bytes += pagemap.SavedBytes();
  }
  return Status::Ok();
}

}  // namespace

std::string Captured::PathOf(uint64_t file) const {
  const auto found = file <= UINT32_MAX ? files.find(static_cast<uint32_t>(file)) : files.end();
  return found == files.end() ? "" : found->second.path;
}

Result<Captured> ReadCaptured(const std::string& directory, PageSource pages) {
  ASSIGN_OR_RETURN(ImageFolder folder, ImageFolder::Open(directory));
  folder.TakePagesFrom(std::move(pages));
  Captured captured;
  ASSIGN_OR_RETURN(const Inventory inventory, Load(folder, "inventory.img", DecodeInventory));
  captured.image_version = inventory.version;
  ASSIGN_OR_RETURN(std::vector<OpenFile> files, Load(folder, "files.img", DecodeFiles));
  for (OpenFile& file : files) {
    captured.files.insert_or_assign(file.id, std::move(file));
  }
  ASSIGN_OR_RETURN(const auto tree, Load(folder, "pstree.img", DecodeProcessTree));
  for (const ProcessEntry& entry : tree) {
    RETURN_IF_ERROR(ReadProcess(folder, entry, captured));
  }
  RETURN_IF_ERROR(ReadMounts(folder, inventory.root_mount_namespace, captured));
  RETURN_IF_ERROR(ReadShared(folder, captured));
  return captured;
}

}  // namespace hearth::snapshot::images
