// What is captured and restored: memory of its own and shared memory, each page filled or zero, and
// a unix socket that answers.
//
//   snapshot_subject SOCKET PRIVATE_MIB SHARED_MIB ZERO_PERCENT
//   snapshot_subject standby       does nothing: something is restored into its container
//
// Each connection sends one byte: 'q' asks for the token, 'h' for the token and a hash of all the
// memory. Plain calls and no exceptions, so that it runs where nothing else is.
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr size_t kPageWords = 512;

uint64_t Mix(uint64_t x) {
  x ^= x >> 33U;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33U;
  return x;
}

struct Memory {
  uint64_t* words = nullptr;
  size_t count = 0;

  // Zero pages are written, too: they are there and not only promised.
  void Fill(uint64_t token, size_t zero_percent) const {
    for (size_t i = 0; i < count; ++i) {
      words[i] = (i / kPageWords) % 100 < zero_percent ? 0 : Mix(token + i);
    }
  }
  uint64_t Hash(uint64_t hash) const {
    for (size_t i = 0; i < count; ++i) {
      hash = Mix(hash ^ words[i]);
    }
    return hash;
  }
};

Memory Map(size_t mebibytes, int flags, int fd) {
  const size_t bytes = mebibytes << 20U;
  if (bytes == 0) {
    return {};
  }
  void* const place = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
  if (place == MAP_FAILED) {
    std::perror("mmap");
    std::exit(1);
  }
  return {static_cast<uint64_t*>(place), bytes / sizeof(uint64_t)};
}

Memory MapShared(size_t mebibytes) {
  const int fd = ::memfd_create("subject", 0);
  if (fd < 0 || ::ftruncate(fd, static_cast<off_t>(mebibytes << 20U)) != 0) {
    std::perror("memfd");
    std::exit(1);
  }
  return Map(mebibytes, MAP_SHARED, fd);
}

int Listen(const char* path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
  ::unlink(path);
  if (fd < 0 || ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0 ||
      ::listen(fd, 16) != 0) {
    std::perror(path);
    std::exit(1);
  }
  return fd;
}

}  // namespace

int main(int argc, char** argv) {
  while (argc == 2 && std::strcmp(argv[1], "standby") == 0) {
    ::pause();
  }
  uint64_t token = 0;
  if (argc != 5 || ::getrandom(&token, sizeof(token), 0) != sizeof(token)) {
    std::fprintf(stderr, "usage: snapshot_subject SOCKET PRIVATE_MIB SHARED_MIB ZERO_PERCENT\n");
    return 2;
  }
  const auto number = [&](int index) { return std::strtoull(argv[index], nullptr, 10); };
  const Memory own = Map(number(2), MAP_PRIVATE | MAP_ANONYMOUS, -1);
  const Memory shared = number(3) == 0 ? Memory{} : MapShared(number(3));
  own.Fill(token, number(4));
  shared.Fill(~token, number(4));
  const int listener = Listen(argv[1]);
  while (true) {
    const int client = ::accept(listener, nullptr, nullptr);
    if (client < 0) {
      return 1;
    }
    char wanted = 0;
    (void)!::read(client, &wanted, 1);
    const uint64_t hash = wanted == 'h' ? shared.Hash(own.Hash(0)) : 0;
    char line[80];
    const int size = std::snprintf(line, sizeof(line), "%016lx %016lx\n", token, hash);
    (void)!::write(client, line, static_cast<size_t>(size));
    ::close(client);
  }
}
