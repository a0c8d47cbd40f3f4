// Something to capture: memory with a pattern, threads, a child that shares memory and counts, and
// a unix socket that answers with what would be lost if a restore were not complete.
//
//   node_workload SOCKET MEBIBYTES THREADS
//   node_workload standby       does nothing: something is restored into its container
//
// Each connection gets one line: "<token> <requests> <child's count> <hash of the memory>
// <threads>". The token is made at the start and is nowhere else. Plain calls and no exceptions, so
// that it runs where nothing else is.
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

namespace {

uint64_t Mix(uint64_t x) {
  x ^= x >> 33U;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33U;
  return x;
}

void Fill(uint64_t* words, size_t count, uint64_t token) {
  for (size_t i = 0; i < count; ++i) {
    words[i] = Mix(token + i);
  }
}

uint64_t HashOf(const uint64_t* words, size_t count) {
  uint64_t hash = 0;
  for (size_t i = 0; i < count; ++i) {
    hash = Mix(hash ^ words[i]);
  }
  return hash;
}

template <typename T>
T* Map(size_t bytes, int flags) {
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("mmap");
    std::exit(1);
  }
  return static_cast<T*>(memory);
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

// Counts while its parent lives.
void StartChild(std::atomic<uint64_t>& count) {
  if (::fork() == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (true) {
      count.fetch_add(1);
      ::poll(nullptr, 0, 5);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "standby") == 0) {
    while (true) {
      ::pause();
    }
  }
  if (argc == 2 && std::string_view(argv[1]) == "io_uring") {
    std::array<char, 256> parameters{};
    const long ring = ::syscall(SYS_io_uring_setup, 1, parameters.data());
    return ring < 0 ? errno : 0;
  }
  if (argc != 4) {
    std::fprintf(stderr, "usage: node_workload SOCKET MEBIBYTES THREADS\n");
    return 2;
  }
  uint64_t token = 0;
  if (::getrandom(&token, sizeof(token), 0) != sizeof(token)) {
    return 1;
  }
  const size_t words = std::strtoull(argv[2], nullptr, 10) * (1U << 20U) / sizeof(uint64_t);
  auto* const memory = Map<uint64_t>(words * sizeof(uint64_t) + 1, MAP_PRIVATE);
  Fill(memory, words, token);
  auto& count = *Map<std::atomic<uint64_t>>(sizeof(std::atomic<uint64_t>), MAP_SHARED);
  StartChild(count);
  const unsigned long threads = std::strtoul(argv[3], nullptr, 10);
  std::atomic<unsigned long> alive = 0;
  std::vector<std::thread> sleepers;
  for (unsigned long i = 0; i < threads; ++i) {
    sleepers.emplace_back([&] {
      alive.fetch_add(1);
      while (true) {
        ::pause();
      }
    });
  }
  const int listener = Listen(argv[1]);
  for (uint64_t requests = 1;; ++requests) {
    const int client = ::accept(listener, nullptr, nullptr);
    if (client < 0) {
      return 1;
    }
    char line[160];
    const int size = std::snprintf(line, sizeof(line), "%016lx %lu %lu %016lx %lu\n", token,
                                   requests, count.load(), HashOf(memory, words), alive.load());
    (void)!::write(client, line, static_cast<size_t>(size));
    ::close(client);
  }
}
