#include "snapshot/images/testing/sample_images.h"

#include <arpa/inet.h>

#include <cstring>

namespace hearth::snapshot::images {
namespace {

constexpr uint32_t kCommon = 0x54564319, kInventory = 0x58313116;
constexpr uint64_t kPage = 4096;
constexpr uint64_t kStack = 0x7ffc00000000, kHeap = 0x10000000, kText = 0x400000,
                   kShared = 0x7f0000000000;
constexpr uint32_t kRegular = 1;

enum FileId : uint32_t { kEngine = 1, kToken, kListener, kConnection, kUnixListener, kPipe, kLog };

std::string Word(uint32_t word) {
  std::string bytes(sizeof(word), '\0');
  std::memcpy(bytes.data(), &word, sizeof(word));
  return bytes;
}

std::string Mapping(uint64_t start, uint64_t pages, uint32_t status, uint64_t object = 0) {
  return MessageWriter()
      .Number(1, start)
      .Number(2, start + pages * kPage)
      .Number(3, 0)
      .Number(4, object)
      .Number(5, 3)
      .Number(6, 2)
      .Number(7, status)
      .Number(8, 1)
      .Take();
}

// Arguments and environment lie at the beginning of the stack's page.
std::string MemoryImage(std::string_view arguments, std::string_view environment) {
  MessageWriter memory;
  for (int field = 1; field <= 7; ++field) {
    memory.Number(field, 0);
  }
  memory.Number(8, kStack)
      .Number(9, kStack + arguments.size())
      .Number(10, kStack + arguments.size())
      .Number(11, kStack + arguments.size() + environment.size())
      .Number(12, kEngine);
  memory.Bytes(14, Mapping(kText, 16, kRegular | 1U << 6U, kEngine))
      .Bytes(14, Mapping(kHeap, 512, kRegular | 1U << 5U | 1U << 9U))
      .Bytes(14, Mapping(kShared, 256, kRegular | 1U << 8U, 77))
      .Bytes(14, Mapping(kStack, 32, kRegular | 1U << 1U | 1U << 9U))
      .Bytes(14, Mapping(0x7ffd00000000, 2, kRegular | 1U << 3U));
  return ImageOf(0x57492820, {memory.Take()});
}

std::string Run(uint64_t address, uint64_t pages, uint32_t flags) {
  return MessageWriter()
      .Number(1, address)
      .Number(2, pages)
      .Number(4, flags)
      .Number(5, pages)
      .Take();
}

std::string PagemapImage(uint32_t pages_file, const std::vector<std::string>& runs) {
  std::vector<std::string> entries = {MessageWriter().Number(1, pages_file).Take()};
  entries.insert(entries.end(), runs.begin(), runs.end());
  return ImageOf(0x56084025, entries);
}

std::string File(uint32_t type, FileId id, int member, const std::string& message) {
  return MessageWriter().Number(1, type).Number(2, id).Bytes(member, message).Take();
}

std::string Regular(FileId id, std::string_view path, uint64_t size) {
  return File(1, id, 3, MessageWriter().Number(1, id).Bytes(6, path).Number(8, size).Take());
}

std::string Tcp(FileId id, uint32_t state, const char* local, uint16_t local_port, const char* peer,
                uint16_t peer_port) {
  return File(4, id, 4,
              MessageWriter()
                  .Number(1, id)
                  .Number(2, 100 + id)
                  .Number(3, AF_INET)
                  .Number(4, 1)
                  .Number(5, 6)
                  .Number(6, state)
                  .Number(7, local_port)
                  .Number(8, peer_port)
                  .Number(11, ::inet_addr(local))
                  .Number(12, ::inet_addr(peer))
                  .Take());
}

std::string UnixListener(FileId id, std::string_view name) {
  return File(5, id, 16,
              MessageWriter()
                  .Number(1, id)
                  .Number(2, 100 + id)
                  .Number(3, 1)
                  .Number(4, 10)
                  .Number(8, 0)
                  .Bytes(11, std::string(name) + '\0')
                  .Take());
}

std::string Descriptors(const std::vector<FileId>& files) {
  std::vector<std::string> entries;
  for (uint32_t fd = 0; fd < files.size(); ++fd) {
    entries.push_back(
        MessageWriter().Number(1, files[fd]).Number(2, 0).Number(3, 1).Number(4, fd).Take());
  }
  return ImageOf(0x56213732, entries);
}

std::string Mount(std::string_view point, std::string_view source, uint32_t type, bool external) {
  return MessageWriter()
      .Number(1, type)
      .Number(2, 1)
      .Bytes(6, "/")
      .Bytes(7, point)
      .Bytes(8, source)
      .Bytes(9, "")
      .Number(13, external ? 1 : 0)
      .Take();
}

std::string Process(uint32_t pid, uint32_t parent, const std::vector<uint32_t>& threads) {
  MessageWriter process;
  process.Number(1, pid).Number(2, parent).Number(3, 1).Number(4, 1);
  for (const uint32_t thread : threads) {
    process.Number(5, thread);
  }
  return process.Take();
}

std::string CoreImage(std::string_view name) {
  return ImageOf(0x55053847, {MessageWriter()
                                  .Number(1, 1)
                                  .Bytes(3, MessageWriter().Number(1, 1).Bytes(6, name).Take())
                                  .Take()});
}

std::string IdsImage(uint32_t files) {
  return ImageOf(0x54432030, {MessageWriter().Number(1, 1).Number(2, files).Number(9, 3).Take()});
}

// Pages of the heap, then that of the stack.
std::string Pages(uint64_t heap_pages, std::string stack) {
  stack.resize(kPage);
  return std::string(heap_pages * kPage, 'h') + stack;
}

}  // namespace

void MessageWriter::Varint(uint64_t value) {
  while (value >= 0x80) {
    bytes_ += static_cast<char>(value | 0x80U);
    value >>= 7U;
  }
  bytes_ += static_cast<char>(value);
}

MessageWriter& MessageWriter::Number(int field, uint64_t value) {
  Varint(static_cast<uint64_t>(field) << 3U);
  Varint(value);
  return *this;
}

MessageWriter& MessageWriter::Bytes(int field, std::string_view bytes) {
  Varint((static_cast<uint64_t>(field) << 3U) | 2U);
  Varint(bytes.size());
  bytes_ += bytes;
  return *this;
}

std::string ImageOf(uint32_t magic, const std::vector<std::string>& entries) {
  std::string image = magic == kInventory ? "" : Word(kCommon);
  image += Word(magic);
  for (const std::string& entry : entries) {
    image += Word(static_cast<uint32_t>(entry.size())) + entry;
  }
  return image;
}

std::map<std::string, std::string> SampleImages(std::string_view secret) {
  using namespace std::string_literals;
  const std::string arguments = "engine\0--port\0008000\0"s;
  const std::string environment = "PATH=/bin\0HF_TOKEN="s + std::string(secret) + "\0"s;
  std::map<std::string, std::string> images;
  images["inventory.img"] =
      ImageOf(kInventory, {MessageWriter()
                               .Number(1, 2)
                               .Bytes(3, MessageWriter().Number(1, 1).Number(9, 3).Take())
                               .Take()});
  images["pstree.img"] = ImageOf(0x50273030, {Process(1, 0, {1, 8, 9}), Process(2, 1, {2})});
  images["core-1.img"] = CoreImage("engine");
  images["core-2.img"] = CoreImage("worker");
  images["ids-1.img"] = IdsImage(1);
  images["ids-2.img"] = IdsImage(2);
  images["mm-1.img"] = MemoryImage(arguments, environment);
  images["mm-2.img"] = MemoryImage("", "");
  images["pagemap-1.img"] = PagemapImage(1, {Run(kHeap, 64, 4), Run(kStack, 1, 4)});
  images["pagemap-2.img"] = PagemapImage(2, {Run(kHeap, 4, 4), Run(kText, 2, 1)});
  images["pagemap-shmem-77.img"] = PagemapImage(3, {Run(0, 128, 4)});
  images["pages-1.img"] = Pages(64, arguments + environment);
  images["pages-2.img"] = std::string(4 * kPage, 'c');
  images["pages-3.img"] = std::string(128 * kPage, 's');
  images["fdinfo-1.img"] =
      Descriptors({kPipe, kLog, kLog, kListener, kConnection, kToken, kUnixListener});
  images["fdinfo-2.img"] = Descriptors({kPipe, kLog, kLog});
  images["files.img"] = ImageOf(
      0x56303138, {Regular(kEngine, "/app/engine", 65536),
                   Regular(kToken, "/var/run/secrets/kubernetes.io/serviceaccount/token", 900),
                   Tcp(kListener, 10, "0.0.0.0", 8000, "0.0.0.0", 0),
                   Tcp(kConnection, 1, "10.0.0.4", 41000, "10.0.0.9", 4222),
                   UnixListener(kUnixListener, "/run/engine.sock"),
                   File(2, kPipe, 18, MessageWriter().Number(1, kPipe).Number(2, 5).Take()),
                   Regular(kLog, "/tmp/engine.log", 12)});
  images["mountpoints-3.img"] = ImageOf(
      0x55563928, {Mount("/", "overlay", 17, true), Mount("/dev/shm", "shm", 5, false),
                   Mount("/var/run/secrets/kubernetes.io/serviceaccount", "tmpfs", 5, true)});
  return images;
}

}  // namespace hearth::snapshot::images
