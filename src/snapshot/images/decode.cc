#include "snapshot/images/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "snapshot/images/framing.h"
#include "snapshot/images/internal/describe.h"
#include "snapshot/images/wire/images.pb.h"

namespace hearth::snapshot::images {
namespace {

constexpr size_t kMaxName = 4096;

template <typename Message>
Result<Message> Parse(std::string_view entry) {
  Message message;
  if (!message.ParseFromArray(entry.data(), static_cast<int>(entry.size()))) {
    return DataLossError("an entry is no message of CRIU");
  }
  return message;
}

// Every entry of an image as one kind of message, given to `take`.
template <typename Message, typename Take>
Status ForEach(std::string_view image, Magic kind, Take take) {
  ASSIGN_OR_RETURN(const auto entries, SplitImage(image, kind));
  for (const std::string_view entry : entries) {
    ASSIGN_OR_RETURN(const Message message, Parse<Message>(entry));
    take(message);
  }
  return Status::Ok();
}

template <typename Message>
Result<Message> First(std::string_view image, Magic kind) {
  ASSIGN_OR_RETURN(const auto entries, SplitImage(image, kind));
  if (entries.empty()) {
    return DataLossError("it has no entry");
  }
  return Parse<Message>(entries.front());
}

// Names come from whoever was captured.
std::string Name(const std::string& text) { return Excerpt(text, kMaxName); }

constexpr uint32_t kAnonymousShared = 1U << 8U, kMemfd = 1U << 14U;
constexpr uint32_t kHugePages = 0x40000;  // MAP_HUGETLB
constexpr uint32_t kVdso = 1U << 3U, kVsyscall = 1U << 2U, kVvar = 1U << 12U;

MappingKind KindOf(uint32_t status) {
  // The first that fits: a heap is private memory, too.
  struct Row {
    uint32_t bits;
    MappingKind kind;
  };
  constexpr std::array<Row, 8> kRows = {{{kVdso | kVsyscall | kVvar, MappingKind::kKernel},
                                         {1U << 5U, MappingKind::kHeap},
                                         {1U << 1U, MappingKind::kStack},
                                         {1U << 14U, MappingKind::kShared},
                                         {1U << 6U, MappingKind::kFile},
                                         {1U << 7U, MappingKind::kSharedFile},
                                         {(1U << 8U) | (1U << 10U), MappingKind::kShared},
                                         {1U << 9U, MappingKind::kPrivate}}};
  for (const Row& row : kRows) {
    if ((status & row.bits) != 0) {
      return row.kind;
    }
  }
  return MappingKind::kOther;
}

std::string_view FileTypeName(int type) {
  constexpr std::array<std::string_view, 21> kNames = {
      "unknown", "file",    "pipe",     "fifo",    "inet",  "unix",     "eventfd",
      "epoll",   "inotify", "signalfd", "packet",  "tty",   "fanotify", "netlink",
      "ns",      "tun",     "external", "timerfd", "memfd", "bpfmap",   "pidfd"};
  return type >= 0 && static_cast<size_t>(type) < kNames.size() ? kNames[static_cast<size_t>(type)]
                                                                : kNames[0];
}

}  // namespace

std::string_view MappingKindName(MappingKind kind) {
  constexpr std::array<std::string_view, 8> kNames = {"private",     "heap",   "stack",  "file",
                                                      "shared file", "shared", "kernel", "other"};
  return kNames[static_cast<size_t>(kind)];
}

Result<std::vector<ProcessEntry>> DecodeProcessTree(std::string_view image) {
  std::vector<ProcessEntry> processes;
  RETURN_IF_ERROR(
      ForEach<wire::Process>(image, Magic::kProcessTree, [&](const wire::Process& process) {
        processes.push_back({.pid = process.pid(),
                             .parent = process.parent(),
                             .group = process.group(),
                             .session = process.session(),
                             .threads = {process.threads().begin(), process.threads().end()}});
      }));
  return processes;
}

Result<Task> DecodeCore(std::string_view image) {
  constexpr uint32_t kDead = 2;
  ASSIGN_OR_RETURN(const auto core, First<wire::Core>(image, Magic::kCore));
  return Task{.name = Name(core.task().name()), .alive = core.task().state() != kDead};
}

Result<Rights> DecodeRights(std::string_view image) {
  ASSIGN_OR_RETURN(const auto core, First<wire::Core>(image, Magic::kCore));
  const wire::Credentials& has = core.thread().credentials();
  Rights rights{.capabilities = 0, .no_new_privileges = has.no_new_privileges() != 0};
  for (const auto* const words :
       {&has.inheritable(), &has.permitted(), &has.effective(), &has.bounding()}) {
    for (int i = 0; i < std::min(words->size(), 2); ++i) {
      rights.capabilities |= uint64_t{words->Get(i)} << (32U * static_cast<unsigned>(i));
    }
  }
  return rights;
}

Result<uint32_t> DecodeFilesId(std::string_view image) {
  ASSIGN_OR_RETURN(const auto ids, First<wire::KernelObjects>(image, Magic::kIds));
  return ids.files();
}

Result<Memory> DecodeMemory(std::string_view image) {
  ASSIGN_OR_RETURN(const auto message, First<wire::Memory>(image, Magic::kMemory));
  Memory memory{.program = message.program(),
                .arguments = {message.arguments_start(), message.arguments_end()},
                .environment = {message.environment_start(), message.environment_end()},
                .mappings = {}};
  for (const wire::Mapping& mapping : message.mappings()) {
    if (mapping.end() <= mapping.start()) {
      return DataLossError(fmt::format("a mapping ends at {:#x} before it begins", mapping.end()));
    }
    memory.mappings.push_back({.start = mapping.start(),
                               .end = mapping.end(),
                               .object = mapping.object(),
                               .protection = mapping.protection(),
                               .kind = KindOf(mapping.status()),
                               .memfd = (mapping.status() & kMemfd) != 0,
                               .anonymous_shared = (mapping.status() & kAnonymousShared) != 0 &&
                                                   (mapping.flags() & kHugePages) == 0});
  }
  return memory;
}

uint64_t Pagemap::SavedBytes() const {
  uint64_t bytes = 0;
  for (const PageRun& run : runs) {
    bytes += run.saved ? run.pages * kPageBytes : 0;
  }
  return bytes;
}

Result<Pagemap> DecodePagemap(std::string_view image) {
  constexpr uint32_t kInParent = 1U << 0U, kLazy = 1U << 1U, kPresent = 1U << 2U;
  constexpr uint64_t kMaxPages = 1ULL << 40U;
  ASSIGN_OR_RETURN(const auto entries, SplitImage(image, Magic::kPagemap));
  if (entries.empty()) {
    return DataLossError("it has no entry");
  }
  ASSIGN_OR_RETURN(const auto head, Parse<wire::PagesHead>(entries.front()));
  Pagemap pagemap{.pages_file = head.pages(), .runs = {}};
  uint64_t pages = 0;
  for (size_t i = 1; i < entries.size(); ++i) {
    ASSIGN_OR_RETURN(const auto run, Parse<wire::PageRun>(entries[i]));
    const uint64_t count = run.has_count() ? run.count() : run.short_count();
    pages += std::min(count, kMaxPages);
    if (pages >= kMaxPages) {
      return DataLossError(fmt::format("run {} has {} pages", i - 1, count));
    }
    const bool saved = run.has_flags()
                           ? (run.flags() & kPresent) != 0 && (run.flags() & kInParent) == 0
                           : !run.in_parent();
    pagemap.runs.push_back({.address = run.address(),
                            .pages = count,
                            .saved = saved,
                            .lazy = (run.flags() & kLazy) != 0});
  }
  return pagemap;
}

Result<std::string> WithoutRuns(std::string_view image) {
  ASSIGN_OR_RETURN(const auto entries, SplitImage(image, Magic::kPagemap));
  if (entries.empty()) {
    return DataLossError("it has no entry");
  }
  const std::string_view head = entries.front();
  return std::string(
      image.substr(0, static_cast<size_t>(head.data() - image.data()) + head.size()));
}

Result<std::vector<Memfd>> DecodeMemfds(std::string_view image) {
  constexpr uint32_t kSealedWrite = 0x8U | 0x10U;  // F_SEAL_WRITE, F_SEAL_FUTURE_WRITE
  std::vector<Memfd> memfds;
  RETURN_IF_ERROR(
      ForEach<wire::MemfdInode>(image, Magic::kMemfds, [&](const wire::MemfdInode& inode) {
        memfds.push_back({.inode = inode.inode(),
                          .pages = inode.pages(),
                          .writable = (inode.seals() & kSealedWrite) == 0,
                          .huge = inode.huge() != 0});
      }));
  return memfds;
}

Result<std::vector<Descriptor>> DecodeDescriptors(std::string_view image) {
  std::vector<Descriptor> descriptors;
  RETURN_IF_ERROR(
      ForEach<wire::Descriptor>(image, Magic::kDescriptors, [&](const wire::Descriptor& one) {
        descriptors.push_back({.fd = one.fd(), .file = one.id()});
      }));
  return descriptors;
}

Result<std::vector<OpenFile>> DecodeFiles(std::string_view image) {
  std::vector<OpenFile> files;
  RETURN_IF_ERROR(ForEach<wire::File>(image, Magic::kFiles, [&](const wire::File& file) {
    OpenFile& open = files.emplace_back();
    open.id = file.id();
    open.type = FileTypeName(file.type());
    open.path = Name(file.regular().name());
    open.size = file.regular().size();
    open.memfd = file.memfd().inode();
    if (file.has_inet()) {
      open.inet = DescribeInet(file.inet());
    }
    if (file.has_unix_socket()) {
      open.unix_socket = DescribeUnix(file.unix_socket());
    }
  }));
  return files;
}

Result<std::vector<SavedMount>> DecodeMounts(std::string_view image) {
  std::vector<SavedMount> mounts;
  RETURN_IF_ERROR(ForEach<wire::Mount>(image, Magic::kMounts, [&](const wire::Mount& mount) {
    mounts.push_back({.mount_point = Name(mount.mount_point()),
                      .root = Name(mount.root()),
                      .source = Name(mount.source()),
                      .type = MountTypeName(mount),
                      // The root is always that of whoever restores.
                      .external = mount.external() || !mount.external_key().empty() ||
                                  mount.mount_point() == "/"});
  }));
  return mounts;
}

Result<Inventory> DecodeInventory(std::string_view image) {
  ASSIGN_OR_RETURN(const auto inventory, First<wire::Inventory>(image, Magic::kInventory));
  return Inventory{.version = inventory.image_version(),
                   .root_mount_namespace = inventory.root().mount_namespace()};
}

}  // namespace hearth::snapshot::images
