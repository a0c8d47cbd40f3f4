// A server with what servers have: forked workers that share memory and listen together,
// connections among its own processes and to others, and epoll, timers, inotify and a deleted file
// in one loop.
//
//   node_server SOCKET FOLDER [serve=ADDRESS] [pair=ADDRESS] [closed] [outside=ADDRESS,PORT]
//
//   serve    workers accept there, at a port that the kernel gives; each answers "WORKER COUNT\n"
//   pair     a TCP connection through that address, this process at one end and a worker at the
//            other; its listener stays, unless `closed`
//   outside  a TCP connection to somebody else
//
// Each connection to SOCKET makes the server use everything once and is answered with one JSON
// object. FOLDER is what inotify watches. Plain calls and no exceptions, so that it runs where
// nothing else is.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

namespace {

constexpr int kWorkers = 3;
constexpr int kPatienceMs = 30'000;
constexpr size_t kTokenSize = 16;

int Must(int result, const char* what) {
  if (result < 0) {
    std::perror(what);
    std::exit(1);
  }
  return result;
}

// ---- Addresses

struct Address {
  sockaddr_storage bytes{};
  socklen_t size = sizeof(bytes);
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&bytes); }
};

Address Parse(const std::string& text, uint16_t port) {
  Address address;
  auto& v4 = reinterpret_cast<sockaddr_in&>(address.bytes);
  if (::inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    address.size = sizeof(sockaddr_in);
    return address;
  }
  auto& v6 = reinterpret_cast<sockaddr_in6&>(address.bytes);
  Must(::inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) - 1, text.c_str());
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  address.size = sizeof(sockaddr_in6);
  return address;
}

// "10.0.0.1,80"; empty when the socket has none.
std::string Tell(int fd, int (*of)(int, sockaddr*, socklen_t*)) {
  Address address;
  char text[INET6_ADDRSTRLEN] = "";
  if (of(fd, address.get(), &address.size) != 0) {
    return "";
  }
  const bool is_v4 = address.bytes.ss_family == AF_INET;
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(address.bytes);
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address.bytes);
  ::inet_ntop(address.bytes.ss_family,
              is_v4 ? static_cast<const void*>(&v4.sin_addr) : &v6.sin6_addr, text, sizeof(text));
  return std::string(text) + "," + std::to_string(ntohs(is_v4 ? v4.sin_port : v6.sin6_port));
}

int ListenAt(Address address) {
  const int fd = Must(::socket(address.bytes.ss_family, SOCK_STREAM, 0), "socket");
  Must(::bind(fd, address.get(), address.size), "bind");
  Must(::listen(fd, 64), "listen");
  return fd;
}

int ListenAtPath(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
  ::unlink(path);
  const int fd = Must(::socket(AF_UNIX, SOCK_STREAM, 0), "socket");
  Must(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), path);
  Must(::listen(fd, 16), path);
  return fd;
}

// A connection between two processes of this server, of any kind: what goes in at `here` is counted
// and sent back at `there`.
struct Pair {
  int here = -1;
  int there = -1;
};

Pair Through(int listener) {
  Address address;
  Must(::getsockname(listener, address.get(), &address.size), "getsockname");
  Pair pair;
  pair.here = Must(::socket(address.bytes.ss_family, SOCK_STREAM, 0), "socket");
  Must(::connect(pair.here, address.get(), address.size), "connect");
  pair.there = Must(::accept(listener, nullptr, nullptr), "accept");
  return pair;
}

// A unix connection with a name that is no file's.
Pair ThroughAbstract(const char* token) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, token, kTokenSize);
  const socklen_t size = offsetof(sockaddr_un, sun_path) + 1 + kTokenSize;
  const int listener = Must(::socket(AF_UNIX, SOCK_SEQPACKET, 0), "socket");
  Must(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), "bind");
  Must(::listen(listener, 1), "listen");
  Pair pair;
  pair.here = Must(::socket(AF_UNIX, SOCK_SEQPACKET, 0), "socket");
  Must(::connect(pair.here, reinterpret_cast<sockaddr*>(&address), size), "connect");
  pair.there = Must(::accept(listener, nullptr, nullptr), "accept");
  ::close(listener);
  return pair;
}

// ---- Workers

struct Shared {
  std::atomic<uint64_t> served;
  char token[kTokenSize + 1];
};

void Echo(int fd, uint64_t& count) {
  uint64_t word = 0;
  if (::read(fd, &word, sizeof(word)) == sizeof(word)) {
    word += ++count;
    (void)!::write(fd, &word, sizeof(word));
  }
}

void Serve(int listener, int worker, Shared& shared) {
  const int client = ::accept(listener, nullptr, nullptr);
  if (client < 0) {
    return;
  }
  char line[64];
  const int size =
      std::snprintf(line, sizeof(line), "%d %lu\n", worker, shared.served.fetch_add(1) + 1);
  (void)!::write(client, line, static_cast<size_t>(size));
  ::close(client);
}

pid_t StartWorker(int worker, int listener, const std::vector<Pair>& pairs, Shared& shared) {
  const pid_t pid = Must(::fork(), "fork");
  if (pid != 0) {
    return pid;
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<pollfd> waits;
  if (listener >= 0) {
    ::fcntl(listener, F_SETFL, O_NONBLOCK);
    waits.push_back({listener, POLLIN, 0});
  }
  for (const Pair& pair : pairs) {
    ::close(pair.here);
    if (worker == 0) {
      waits.push_back({pair.there, POLLIN, 0});
    }
  }
  uint64_t count = 0;
  while (::poll(waits.data(), waits.size(), -1) > 0 || errno == EINTR) {
    for (const pollfd& wait : waits) {
      if ((wait.revents & POLLIN) != 0 && wait.fd == listener) {
        Serve(listener, worker, shared);
      } else if ((wait.revents & POLLIN) != 0) {
        Echo(wait.fd, count);
      }
    }
  }
  std::_Exit(0);
}

// ---- The loop

// The timer's signals are no answer.
bool AwaitInput(int fd) {
  pollfd wait{fd, POLLIN, 0};
  int ready = 0;
  do {
    ready = ::poll(&wait, 1, kPatienceMs);
  } while (ready < 0 && errno == EINTR);
  return ready == 1;
}

std::atomic<uint64_t> alarms;  // NOLINT: of a signal handler

int Watch(const char* folder) {
  const int fd = Must(::inotify_init1(IN_NONBLOCK), "inotify");
  Must(::inotify_add_watch(fd, folder, IN_CREATE), folder);
  return fd;
}

int EveryTenMilliseconds() {
  const int fd = Must(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK), "timerfd");
  const itimerspec spec{{0, 10'000'000}, {0, 10'000'000}};
  Must(::timerfd_settime(fd, 0, &spec, nullptr), "timerfd");
  return fd;
}

void StartAlarms() {
  struct sigaction action {};
  action.sa_handler = [](int) { alarms.fetch_add(1); };
  action.sa_flags = SA_RESTART;
  Must(::sigaction(SIGALRM, &action, nullptr), "sigaction");
  timer_t timer{};
  Must(::timer_create(CLOCK_MONOTONIC, nullptr, &timer), "timer_create");
  const itimerspec spec{{0, 10'000'000}, {0, 10'000'000}};
  Must(::timer_settime(timer, 0, &spec, nullptr), "timer_settime");
}

// Open, and nowhere else any more.
int DeletedFile(const char* token) {
  const int fd = Must(::open("/tmp/deleted", O_RDWR | O_CREAT | O_EXCL, 0600), "/tmp/deleted");
  (void)!::write(fd, token, kTokenSize);
  ::unlink("/tmp/deleted");
  return fd;
}

class Server {
 public:
  Server(const char* socket, std::string folder, Shared& shared)
      : folder_(std::move(folder)),
        shared_(shared),
        epoll_(Must(::epoll_create1(0), "epoll")),
        control_(ListenAtPath(socket)),
        timer_(EveryTenMilliseconds()),
        inotify_(Watch(folder_.c_str())),
        event_(Must(::eventfd(0, EFD_NONBLOCK), "eventfd")),
        deleted_(DeletedFile(shared.token)) {
    for (const int fd : {control_, timer_, inotify_, event_}) {
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.fd = fd;
      Must(::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
    }
  }

  void Connect(const std::string& address, uint16_t port) {
    Address to = Parse(address, port);
    outside_ = Must(::socket(to.bytes.ss_family, SOCK_STREAM, 0), "socket");
    Must(::connect(outside_, to.get(), to.size), "connect");
  }

  void Run(int listener, std::vector<Pair> pairs) {
    for (int worker = 0; worker < kWorkers; ++worker) {
      StartWorker(worker, listener, pairs, shared_);
    }
    for (Pair& pair : pairs) {
      ::close(pair.there);
    }
    listener_ = listener;
    pairs_ = std::move(pairs);
    while (true) {
      Step();
    }
  }

 private:
  void Step() {
    epoll_event event{};
    if (::epoll_wait(epoll_, &event, 1, 1000) != 1) {
      return;
    }
    uint64_t word = 0;
    char buffer[4096];
    if (event.data.fd == control_) {
      Answer();
    } else if (event.data.fd == timer_ && ::read(timer_, &word, sizeof(word)) > 0) {
      ticks_ += word;
    } else if (event.data.fd == event_ && ::read(event_, &word, sizeof(word)) > 0) {
      events_ += word;
    } else if (event.data.fd == inotify_ && ::read(inotify_, buffer, sizeof(buffer)) > 0) {
      ++notices_;
    }
  }

  // What inotify and the loop are told here is heard in the next steps.
  void UseAll() {
    const uint64_t one = 1;
    (void)!::write(event_, &one, sizeof(one));
    const std::string file = folder_ + "/touched";
    ::close(::open(file.c_str(), O_CREAT | O_WRONLY, 0600));
    ::unlink(file.c_str());
    for (const Pair& pair : pairs_) {
      uint64_t word = uint64_t{1} << 32U;
      (void)!::write(pair.here, &word, sizeof(word));
      word = 0;
      echoes_ += AwaitInput(pair.here) && ::read(pair.here, &word, sizeof(word)) == sizeof(word) &&
                         word == (uint64_t{1} << 32U) + echoes_ + 1
                     ? 1
                     : 0;
    }
  }

  std::string Deleted() const {
    std::string text(kTokenSize, '\0');
    const ssize_t size = ::pread(deleted_, text.data(), text.size(), 0);
    return size == static_cast<ssize_t>(text.size()) ? text : "";
  }

  std::string Pairs() const {
    std::string list;
    for (const Pair& pair : pairs_) {
      sockaddr any{};
      socklen_t size = sizeof(any);
      ::getsockname(pair.here, &any, &size);
      if (any.sa_family != AF_UNIX) {
        list += (list.empty() ? "\"" : ",\"") + Tell(pair.here, ::getsockname) + " " +
                Tell(pair.here, ::getpeername) + "\"";
      }
    }
    return list;
  }

  // Whether all was heard is in the answer.
  void HearAll() {
    const uint64_t ticks = ticks_;
    const time_t end = ::time(nullptr) + kPatienceMs / 1000;
    while ((events_ < requests_ || notices_ < requests_ || ticks_ == ticks) &&
           ::time(nullptr) <= end) {
      Step();
    }
  }

  void Answer() {
    const int client = ::accept(control_, nullptr, nullptr);
    ++requests_;
    UseAll();
    HearAll();
    char text[2048];
    const int size = std::snprintf(
        text, sizeof(text),
        "{\"token\":\"%s\",\"deleted\":\"%s\",\"requests\":%lu,\"served\":%lu,\"events\":%lu,"
        "\"notices\":%lu,\"ticks\":%lu,\"alarms\":%lu,\"echoes\":%lu,\"pairs\":[%s],"
        "\"listener\":\"%s\",\"outside\":\"%s\"}\n",
        shared_.token, Deleted().c_str(), requests_, shared_.served.load(), events_, notices_,
        ticks_, alarms.load(), echoes_, Pairs().c_str(), Tell(listener_, ::getsockname).c_str(),
        Tell(outside_, ::getpeername).c_str());
    (void)!::write(client, text, static_cast<size_t>(size));
    ::close(client);
  }

  const std::string folder_;
  Shared& shared_;
  const int epoll_, control_, timer_, inotify_, event_, deleted_;
  int listener_ = -1;
  int outside_ = -1;
  std::vector<Pair> pairs_;
  uint64_t requests_ = 0, ticks_ = 0, events_ = 0, notices_ = 0, echoes_ = 0;
};

Shared& MakeShared() {
  void* const memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    std::exit(1);
  }
  auto& shared = *new (memory) Shared();
  uint64_t token = 0;
  (void)!::getrandom(&token, sizeof(token), 0);
  std::snprintf(shared.token, sizeof(shared.token), "%016lx", token);
  return shared;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: node_server SOCKET FOLDER [OPTION...]\n");
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);
  Shared& shared = MakeShared();
  Server server(argv[1], argv[2], shared);
  int listener = -1;
  bool closed = false;
  std::vector<int> of_pairs;
  for (int i = 3; i < argc; ++i) {
    const std::string option = argv[i];
    const std::string value = option.substr(option.find('=') + 1);
    if (option.rfind("serve=", 0) == 0) {
      listener = ListenAt(Parse(value, 0));
    } else if (option.rfind("pair=", 0) == 0) {
      of_pairs.push_back(ListenAt(Parse(value, 0)));
    } else if (option.rfind("outside=", 0) == 0) {
      const size_t comma = value.find(',');
      server.Connect(value.substr(0, comma),
                     static_cast<uint16_t>(std::stoi(value.substr(comma + 1))));
    }
    closed = closed || option == "closed";
  }
  std::vector<Pair> pairs = {ThroughAbstract(shared.token)};
  for (const int of_pair : of_pairs) {
    pairs.push_back(Through(of_pair));
    if (closed) {
      ::close(of_pair);
    }
  }
  StartAlarms();
  server.Run(listener, std::move(pairs));
}
