#include "agent/pages/page_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace hearth::agent {
namespace {

namespace images = snapshot::images;

// What forked processes may have twice after a restore rather than be slow.
constexpr uint64_t kMostDoubled = 64ULL << 20U;

struct Process {
  images::ProcessEntry entry;
  images::Pagemap pages;
  images::Memory memory;
};

// Pages at the same addresses in both. Runs are in the order of their addresses.
uint64_t CommonBytes(const images::Pagemap& one, const images::Pagemap& other) {
  uint64_t bytes = 0;
  auto a = one.runs.begin();
  auto b = other.runs.begin();
  while (a != one.runs.end() && b != other.runs.end()) {
    const uint64_t end_a = a->address + a->pages * images::kPageBytes;
    const uint64_t end_b = b->address + b->pages * images::kPageBytes;
    const uint64_t begin = std::max(a->address, b->address);
    const uint64_t end = std::min(end_a, end_b);
    bytes += a->lazy && b->lazy && begin < end ? end - begin : 0;
    end_a < end_b ? ++a : ++b;
  }
  return bytes;
}

class Planner {
 public:
  explicit Planner(const images::ImageFolder& images) : images_(images) {}

  Result<PagePlan> Run() {
    RETURN_IF_ERROR(ReadProcesses());
    plan_.left_to_criu = WhyNot();
    if (!plan_.left_to_criu.empty()) {
      return std::move(plan_);
    }
    for (const Process& process : processes_) {
      plan_.processes.push_back(process.entry.pid);
      AddPieces(process.pages, plan_.processes.size() - 1, /*all=*/false);
    }
    RETURN_IF_ERROR(AddShared());
    for (auto& [number, file] : files_) {
      std::sort(file.pieces.begin(), file.pieces.end(),
                [](const PagePiece& a, const PagePiece& b) { return a.offset < b.offset; });
      plan_.files.push_back(std::move(file));
    }
    return std::move(plan_);
  }

 private:
  Status ReadProcesses() {
    ASSIGN_OR_RETURN(const std::string tree, images_.Read("pstree.img"));
    ASSIGN_OR_RETURN(const auto entries, images::DecodeProcessTree(tree));
    for (const images::ProcessEntry& entry : entries) {
      const auto pagemap = images_.Read(fmt::format("pagemap-{}.img", entry.pid));
      if (pagemap.status().Is(Code::kNotFound)) {
        continue;  // it had ended
      }
      RETURN_IF_ERROR(pagemap.status());
      ASSIGN_OR_RETURN(const std::string memory, images_.Read(fmt::format("mm-{}.img", entry.pid)));
      Process& process = processes_.emplace_back();
      process.entry = entry;
      ASSIGN_OR_RETURN(process.pages, images::DecodePagemap(*pagemap));
      ASSIGN_OR_RETURN(process.memory, images::DecodeMemory(memory));
    }
    return Status::Ok();
  }

  std::string WhyNot() const {
    uint64_t doubled = 0;
    for (const Process& child : processes_) {
      for (const Process& parent : processes_) {
        if (parent.entry.pid == child.entry.parent) {
          doubled += CommonBytes(parent.pages, child.pages);
        }
      }
    }
    return doubled <= kMostDoubled
               ? ""
               : fmt::format("forked processes have up to {} MiB in common", doubled >> 20U);
  }

  // CRIU leaves what it calls lazy to us, and everything else only if its image is hidden from it.
  // A piece may lie in several mappings: CRIU saves what lies side by side as one run.
  void AddPieces(const images::Pagemap& pagemap, size_t target, bool all) {
    PageFile& file = files_[pagemap.pages_file];
    file.name = fmt::format("pages-{}.img", pagemap.pages_file);
    uint64_t offset = 0;
    for (const images::PageRun& run : pagemap.runs) {
      const uint64_t bytes = run.pages * images::kPageBytes;
      if (run.saved && (run.lazy || all)) {
        file.pieces.push_back({offset, bytes, run.address, target});
      }
      offset += run.saved ? bytes : 0;
    }
  }

  Status AddShared() {
    constexpr std::string_view kPrefix = "pagemap-shmem-";
    constexpr std::string_view kSuffix = ".img";
    ASSIGN_OR_RETURN(const auto names, images_.Names(kPrefix, kSuffix));
    ASSIGN_OR_RETURN(const auto memfds, WritableMemfds());
    for (const std::string& name : names) {
      const std::string_view middle = std::string_view(name).substr(
          kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
      SharedMemory shared;
      const auto read = std::from_chars(middle.data(), middle.data() + middle.size(), shared.id);
      if (read.ec != std::errc() || !FindMapping(memfds, shared)) {
        continue;
      }
      ASSIGN_OR_RETURN(const std::string image, images_.Read(name));
      ASSIGN_OR_RETURN(const images::Pagemap pagemap, images::DecodePagemap(image));
      for (const images::PageRun& run : pagemap.runs) {
        shared.bytes = std::max(shared.bytes, run.address + run.pages * images::kPageBytes);
      }
      if (shared.bytes == 0) {
        continue;
      }
      plan_.shared.push_back(shared);
      AddPieces(pagemap, plan_.processes.size() + plan_.shared.size() - 1, /*all=*/true);
    }
    return Status::Ok();
  }

  // By the id of their file; what it stands for is the id of their memory.
  Result<std::map<uint64_t, uint64_t>> WritableMemfds() const {
    std::map<uint64_t, uint64_t> memfds;
    const auto image = images_.Read("memfd.img");
    if (image.status().Is(Code::kNotFound)) {
      return memfds;
    }
    RETURN_IF_ERROR(image.status());
    ASSIGN_OR_RETURN(const auto inodes, images::DecodeMemfds(*image));
    ASSIGN_OR_RETURN(const std::string files_image, images_.Read("files.img"));
    ASSIGN_OR_RETURN(const auto files, images::DecodeFiles(files_image));
    for (const images::OpenFile& file : files) {
      for (const images::Memfd& memfd : inodes) {
        if (file.type == "memfd" && file.memfd == memfd.inode && memfd.writable && !memfd.huge) {
          memfds[file.id] = memfd.pages;
        }
      }
    }
    return memfds;
  }

  // The first that somebody has of it.
  bool FindMapping(const std::map<uint64_t, uint64_t>& memfds, SharedMemory& shared) const {
    for (const Process& process : processes_) {
      for (const images::Mapping& mapping : process.memory.mappings) {
        const auto memfd = memfds.find(mapping.object);
        const bool of_memfd = mapping.memfd && memfd != memfds.end() && memfd->second == shared.id;
        if (of_memfd || (mapping.anonymous_shared && mapping.object == shared.id)) {
          shared.process = process.entry.pid;
          shared.mapped_at = mapping.start;
          return true;
        }
      }
    }
    return false;
  }

  const images::ImageFolder& images_;
  std::vector<Process> processes_;
  std::map<uint32_t, PageFile> files_;
  PagePlan plan_;
};

}  // namespace

bool PageFile::Covers(uint64_t begin, uint64_t end) const {
  auto piece = std::upper_bound(
      pieces.begin(), pieces.end(), begin,
      [](uint64_t at, const PagePiece& one) { return at < one.offset + one.bytes; });
  for (; begin < end && piece != pieces.end() && piece->offset <= begin; ++piece) {
    begin = piece->offset + piece->bytes;
  }
  return begin >= end;
}

const PagePiece* PagePlan::Find(size_t target, uint64_t address, size_t& file) const {
  for (file = 0; file < files.size(); ++file) {
    for (const PagePiece& piece : files[file].pieces) {
      if (piece.target == target && address >= piece.address &&
          address - piece.address < piece.bytes) {
        return &piece;
      }
    }
  }
  return nullptr;
}

Result<PagePlan> PlanPages(const images::ImageFolder& images) { return Planner(images).Run(); }

}  // namespace hearth::agent
