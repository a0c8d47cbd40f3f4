#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// Single images of CRIU to values. Pure. What is not there is zero or empty; kDataLoss when the
// bytes are no image of the kind.
namespace hearth::snapshot::images {

struct ProcessEntry {
  uint32_t pid = 0;
  uint32_t parent = 0;
  uint32_t group = 0;
  uint32_t session = 0;
  std::vector<uint32_t> threads;
};
Result<std::vector<ProcessEntry>> DecodeProcessTree(std::string_view image);  // pstree.img

struct Task {
  std::string name;
  bool alive = true;  // false: it had ended, and nobody had asked how
};
Result<Task> DecodeCore(std::string_view image);  // core-PID.img
// What a thread may do, whatever it asks for.
struct Rights {
  uint64_t capabilities = 0;  // that it has or can come to have, one bit each
  bool no_new_privileges = false;
};
Result<Rights> DecodeRights(std::string_view image);  // core-TID.img
// The number in the name of the table of its descriptors.
Result<uint32_t> DecodeFilesId(std::string_view image);  // ids-PID.img

enum class MappingKind : uint8_t {
  kPrivate,     // memory of its own, nothing else
  kHeap,        // the same, grown by brk
  kStack,       // the same
  kFile,        // a file, what was written to it is the process's own
  kSharedFile,  // a file, what was written to it is the file's
  kShared,      // memory shared with others, of a memfd too
  kKernel,      // vdso, vvar and the like
  kOther,
};
std::string_view MappingKindName(MappingKind kind);

struct Mapping {
  uint64_t start = 0;
  uint64_t end = 0;
  uint64_t object = 0;  // of a file: its id; of shared memory: that of its pages
  uint32_t protection = 0;
  MappingKind kind = MappingKind::kOther;
  bool memfd = false;  // `object` is the id of its file
  bool anonymous_shared =
      false;                 // `object` is the id of its pages; neither System V nor huge pages
  uint64_t saved_bytes = 0;  // in the images; filled in by whoever has the pagemap
};
struct AddressRange {
  uint64_t start = 0;
  uint64_t end = 0;
};
struct Memory {
  uint32_t program = 0;  // id of its file
  AddressRange arguments;
  AddressRange environment;
  std::vector<Mapping> mappings;
};
Result<Memory> DecodeMemory(std::string_view image);  // mm-PID.img

inline constexpr uint64_t kPageBytes = 4096;
// Pages that lie one behind the other in memory, and in the file of pages if they were saved.
struct PageRun {
  uint64_t address = 0;
  uint64_t pages = 0;
  bool saved = false;  // false: in an earlier image, or to be fetched later
  bool lazy = false;   // CRIU can be told to leave it to somebody else
};
struct Pagemap {
  uint32_t pages_file = 0;  // pages-N.img
  std::vector<PageRun> runs;

  uint64_t SavedBytes() const;
};
Result<Pagemap> DecodePagemap(std::string_view image);  // pagemap-*.img
// The same image without any run.
Result<std::string> WithoutRuns(std::string_view image);

// Memory that has descriptors and no name.
struct Memfd {
  uint64_t inode = 0;
  uint64_t pages = 0;    // pagemap-shmem-N.img
  bool writable = true;  // not sealed against it
  bool huge = false;     // of huge pages
};
Result<std::vector<Memfd>> DecodeMemfds(std::string_view image);  // memfd.img

struct Descriptor {
  uint32_t fd = 0;
  uint32_t file = 0;  // id
};
Result<std::vector<Descriptor>> DecodeDescriptors(std::string_view image);  // fdinfo-N.img

struct InetSocket {
  std::string protocol;  // "tcp", "udp", "tcp6", or a number
  std::string state;     // "listen", "established", ...
  std::string local;     // "127.0.0.1:8000", "[::]:8000"
  std::string peer;      // empty when there is none
};
struct UnixSocket {
  std::string type;   // "stream", "dgram", "seqpacket"
  std::string state;  // "listen", "established", "unconnected"
  std::string name;   // "@" in front of one that is no file; empty when it has none
  uint32_t inode = 0;
  uint32_t peer = 0;  // inode of the other end; 0: none
};
struct OpenFile {
  uint32_t id = 0;
  std::string type;  // "file", "pipe", "inet", "unix", "eventfd", ...
  std::string path;  // of a file
  uint64_t size = 0;
  uint64_t memfd = 0;      // of "memfd": its inode
  InetSocket inet;         // of "inet"
  UnixSocket unix_socket;  // of "unix"
};
Result<std::vector<OpenFile>> DecodeFiles(std::string_view image);  // files.img

struct SavedMount {
  std::string mount_point;
  std::string root;
  std::string source;
  std::string type;
  bool external = false;  // brought by whoever restores
};
Result<std::vector<SavedMount>> DecodeMounts(std::string_view image);  // mountpoints-N.img

struct Inventory {
  uint32_t version = 0;
  uint32_t root_mount_namespace = 0;
};
Result<Inventory> DecodeInventory(std::string_view image);  // inventory.img

}  // namespace hearth::snapshot::images
