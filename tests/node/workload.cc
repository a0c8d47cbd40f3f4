// Something to capture: memory with a pattern, threads, a child that shares memory and counts, and
// a unix socket that answers with what would be lost if a restore were not complete.
//
//   node_workload SOCKET MEBIBYTES THREADS [FILE]   makes that file and has it mapped
//   node_workload standby [FILE]   does nothing: something is restored into its container; its
//   output
//                               is FILE, which it can only read
//   node_workload impostor SOCKET DIRECTORY   has a root whose upper layer has that name
//
// Each connection gets one line: "<token> <requests> <child's count> <hash of the memory>
// <threads>". The token is made at the start and is nowhere else. Plain calls and no exceptions, so
// that it runs where nothing else is.
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
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
#include <string>
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

// As a library would be; there is nothing in it.
void MakeAndMap(const char* path) {
  const int fd = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0 || ::ftruncate(fd, 4096) != 0 ||
      ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED) {
    std::perror(path);
    std::exit(1);
  }
  ::close(fd);
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

void Must(bool done, const char* what) {
  if (!done) {
    std::perror(what);
    std::exit(1);
  }
}

void WriteText(const char* path, const char* text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  Must(fd >= 0 && ::write(fd, text, std::strlen(text)) > 0, path);
  ::close(fd);
}

void MakeDirectories(std::string path) {
  for (size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1)) {
    ::mkdir(path.substr(0, end).c_str(), 0755);
  }
  Must(::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST, path.c_str());
}

// What any process may do where user namespaces are allowed: a root of its own making, whose upper
// layer is called as a directory of the machine is.
void TakeRootWithLayerCalled(const std::string& directory) {
  Must(::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0, "unshare");
  WriteText("/proc/self/setgroups", "deny");
  WriteText("/proc/self/uid_map", "0 0 1");
  WriteText("/proc/self/gid_map", "0 0 1");
  Must(::mount("own", "/tmp", "tmpfs", 0, nullptr) == 0, "mount tmpfs");
  Must(::chdir("/tmp") == 0 && ::chroot(".") == 0, "chroot");
  for (const char* const folder : {"/lower/old", "/root", "/work"}) {
    MakeDirectories(folder);
  }
  MakeDirectories(directory);
  // The work directory is beside the upper one, in one file system.
  const std::string options = "lowerdir=/lower,workdir=/work,userxattr,upperdir=" + directory;
  Must(::mount("own", "/root", "overlay", 0, options.c_str()) == 0, "mount overlay");
  Must(::syscall(SYS_pivot_root, "/root", "/root/old") == 0 && ::chdir("/") == 0, "pivot_root");
}

int BeImpostor(const char* socket, const char* directory) {
  const int listener = Listen(socket);
  TakeRootWithLayerCalled(directory);
  const int client = ::accept(listener, nullptr, nullptr);
  (void)!::write(client, "0 1 0 0 0\n", 10);
  ::close(client);
  while (true) {
    ::pause();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if ((argc == 2 || argc == 3) && std::strcmp(argv[1], "standby") == 0) {
    Must(argc == 2 || ::dup2(::open(argv[2], O_RDONLY | O_CLOEXEC), STDOUT_FILENO) >= 0, "output");
    while (true) {
      ::pause();
    }
  }
  if (argc == 4 && std::strcmp(argv[1], "impostor") == 0) {
    return BeImpostor(argv[2], argv[3]);
  }
  if (argc == 2 && std::string_view(argv[1]) == "io_uring") {
    std::array<char, 256> parameters{};
    const long ring = ::syscall(SYS_io_uring_setup, 1, parameters.data());
    return ring < 0 ? errno : 0;
  }
  if (argc != 4 && argc != 5) {
    std::fprintf(stderr, "usage: node_workload SOCKET MEBIBYTES THREADS [FILE]\n");
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
  if (argc == 5) {
    MakeAndMap(argv[4]);
  }
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
