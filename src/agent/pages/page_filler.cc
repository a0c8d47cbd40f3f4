#include "agent/pages/page_filler.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <future>
#include <map>
#include <thread>

#include "agent/host/process_facts.h"
#include "agent/pages/internal/shared_view.h"
#include "agent/pages/lazy_socket.h"
#include "agent/pages/page_reader.h"
#include "agent/pages/userfault.h"
#include "base/guarded.h"
#include "disk/for_all.h"

namespace hearth::agent {
namespace {

// Enough to keep a disk busy; most of them wait for it.
constexpr size_t kThreads = 8;
// What each reads before CRIU is ready for it.
constexpr uint64_t kPortionBytes = 4ULL << 20U;

// Where pages are put.
struct Destination {
  int faults = -1;
  uint64_t base = 0;
};

}  // namespace

class PageFiller::Work {
 public:
  Work(const snapshot::Artifact& artifact, PagePlan plan, const WaitLimit& limit)
      : artifact_(artifact), plan_(std::move(plan)), limit_(limit) {}

  ~Work() {
    stop_.request_stop();
    Wake();
    LetWorkersGo({});
  }

  Status Begin(const std::string& work_directory) {
    ASSIGN_OR_RETURN(auto socket, LazySocket::Listen(work_directory));
    socket_.emplace(std::move(socket));
    wake_.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    for (const snapshot::StoredFile& file : artifact_.contents().files) {
      if (snapshot::IsPageFile(file)) {
        RETURN_IF_ERROR(AddFile(file.name));
      }
    }
    filled_ = std::async(std::launch::async, [this] {
      return disk::ForAll(kThreads, stop_.get_token(),
                          [this](size_t, const std::stop_token& stop) { return Fill(stop); });
    });
    server_ = std::jthread([this](const std::stop_token& stop) { Serve(stop); });
    return Status::Ok();
  }

  Status Finish(int first_process) {
    std::vector<Destination> destinations;
    {
      const auto processes = processes_.Lock();
      for (const uint32_t pid : plan_.processes) {
        const auto found = processes->find(static_cast<int>(pid));
        destinations.push_back({found == processes->end() ? -1 : found->second.get(), 0});
      }
    }
    RETURN_IF_ERROR(OpenShared(first_process, destinations));
    LetWorkersGo(std::move(destinations));
    RETURN_IF_ERROR(filled_.get());
    server_.request_stop();
    Wake();
    server_.join();
    // With the last descriptor, the kernel forgets that pages were missing.
    processes_.Lock()->clear();
    shared_.clear();
    return *served_.Lock();
  }

 private:
  Status AddFile(const std::string& name) {
    ASSIGN_OR_RETURN(PageReader reader, PageReader::Open(artifact_, name));
    const auto planned = std::find_if(plan_.files.begin(), plan_.files.end(),
                                      [&](const PageFile& file) { return file.name == name; });
    files_.push_back({std::move(reader), planned == plan_.files.end() ? nullptr : &*planned});
    return Status::Ok();
  }

  Status OpenShared(int first_process, std::vector<Destination>& destinations) {
    if (plan_.shared.empty()) {
      return Status::Ok();
    }
    ASSIGN_OR_RETURN(const auto tree, ProcReader().Tree(first_process));
    for (const SharedMemory& memory : plan_.shared) {
      const auto process = std::find_if(tree.begin(), tree.end(), [&](const ProcessFacts& facts) {
        return facts.ns_pids.back() == static_cast<int>(memory.process);
      });
      if (process == tree.end()) {
        return InternalError(fmt::format("process {} was not restored", memory.process));
      }
      ASSIGN_OR_RETURN(auto view, SharedView::Open(process->pid, memory));
      destinations.push_back({view.faults(), view.address()});
      shared_.push_back(std::move(view));
    }
    return Status::Ok();
  }

  void LetWorkersGo(std::vector<Destination> destinations) {
    {
      const std::lock_guard lock(mutex_);
      destinations_ = std::move(destinations);
      ready_ = true;
    }
    ready_changed_.notify_all();
  }

  // False: it will not come to that.
  bool AwaitDestinations(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    return ready_changed_.wait(lock, stop, [this] { return ready_.load(); }) &&
           !stop.stop_requested();
  }

  // ---- Reading and filling.

  struct OpenedFile {
    PageReader reader;
    const PageFile* planned;  // null: nothing of it is ours to fill
  };
  struct Portion {
    const OpenedFile* file = nullptr;  // null: nothing is left
    uint64_t begin = 0;
    uint64_t end = 0;
  };

  // A thread's.
  struct Buffers {
    std::vector<MappedBytes> chunks;
    PageReader::Scratch scratch;
  };

  Portion Next() {
    const auto next = next_.Lock();
    while (next->file < files_.size() && next->chunk >= files_[next->file].reader.chunks()) {
      *next = {.file = next->file + 1};
    }
    if (next->file == files_.size()) {
      return {};
    }
    const OpenedFile& file = files_[next->file];
    const uint64_t count = std::max<uint64_t>(1, kPortionBytes / file.reader.chunk_bytes());
    const uint64_t begin = next->chunk;
    next->chunk = std::min(begin + count, file.reader.chunks());
    return {&file, begin, next->chunk};
  }

  Status Fill(const std::stop_token& stop) {
    Buffers buffers;
    for (Portion portion = Next(); portion.file != nullptr; portion = Next()) {
      RETURN_IF_ERROR(limit_.Check(RealClock(), "fill memory"));
      RETURN_IF_ERROR(FillPortion(portion, buffers, stop));
    }
    return Status::Ok();
  }

  // Each chunk is placed while it is still in the processor's caches, once there is a place; until
  // then they are kept.
  Status FillPortion(const Portion& portion, Buffers& buffers, const std::stop_token& stop) {
    const PageReader& reader = portion.file->reader;
    const PageFile* const planned = portion.file->planned;
    std::vector<std::string_view> kept;
    uint64_t first = portion.begin;
    for (uint64_t chunk = portion.begin; chunk < portion.end; ++chunk) {
      if (buffers.chunks.size() <= kept.size()) {
        buffers.chunks.push_back(MappedBytes::Buffer(reader.chunk_bytes()));
      }
      ASSIGN_OR_RETURN(const auto bytes,
                       reader.Read(chunk, buffers.chunks[kept.size()], buffers.scratch));
      kept.push_back(bytes);
      const bool last = chunk + 1 == portion.end;
      if (planned == nullptr) {
        kept.clear();
      } else if (ready_ || last) {
        if (!AwaitDestinations(stop)) {
          return Status(Code::kCancelled, "filling memory was stopped");
        }
        for (const std::string_view one : kept) {
          RETURN_IF_ERROR(Place(*planned, first * reader.chunk_bytes(), one));
          ++first;
        }
        kept.clear();
      }
    }
    return Status::Ok();
  }

  // The bytes of a file from `offset` on, each where it belongs.
  Status Place(const PageFile& file, uint64_t offset, std::string_view bytes) const {
    auto piece = std::upper_bound(
        file.pieces.begin(), file.pieces.end(), offset,
        [](uint64_t at, const PagePiece& one) { return at < one.offset + one.bytes; });
    for (; piece != file.pieces.end() && piece->offset < offset + bytes.size(); ++piece) {
      const uint64_t begin = std::max(offset, piece->offset);
      const uint64_t end = std::min(offset + bytes.size(), piece->offset + piece->bytes);
      RETURN_IF_ERROR(Put(piece->target, piece->address + (begin - piece->offset),
                          bytes.substr(begin - offset, end - begin)));
    }
    return Status::Ok();
  }

  Status Put(size_t target, uint64_t address, std::string_view pages) const {
    const Destination& to = destinations_[target];
    if (to.faults < 0) {
      return InternalError(
          fmt::format("CRIU did not hand over the memory of process {}", plan_.processes[target]));
    }
    return userfault::Copy(to.faults, to.base + address, pages.data(), pages.size());
  }

  // ---- What somebody waits for before that.

  void Wake() const {
    const uint64_t one = 1;
    static_cast<void>(::write(wake_.get(), &one, sizeof(one)));
  }

  void Serve(const std::stop_token& stop) {
    Buffers buffers;
    buffers.chunks.push_back(MappedBytes::Buffer(artifact_.contents().chunk_bytes));
    while (!stop.stop_requested() && !stop_.stop_requested()) {
      std::vector<pollfd> waits = {{wake_.get(), POLLIN, 0}};
      if (!socket_->ended()) {
        waits.push_back({socket_->fd(), POLLIN, 0});
      }
      std::vector<size_t> targets;
      {
        const auto processes = processes_.Lock();
        for (const auto& [pid, faults] : *processes) {
          waits.push_back({faults.get(), POLLIN, 0});
          targets.push_back(TargetOf(pid));
        }
      }
      if (::poll(waits.data(), waits.size(), -1) < 0) {
        continue;
      }
      const size_t first = waits.size() - targets.size();
      for (size_t i = 0; i < targets.size(); ++i) {
        if ((waits[first + i].revents & POLLIN) != 0) {
          Remember(Answer(waits[first + i].fd, targets[i], buffers));
        }
      }
      if (first == 2 && waits[1].revents != 0) {
        Remember(TakeProcess());
      }
    }
  }

  Status TakeProcess() {
    ASSIGN_OR_RETURN(auto process, socket_->Take());
    if (process) {
      processes_.Lock()->insert_or_assign(process->pid, std::move(process->faults));
    }
    return Status::Ok();
  }

  size_t TargetOf(int pid) const {
    const auto found =
        std::find(plan_.processes.begin(), plan_.processes.end(), static_cast<uint32_t>(pid));
    return static_cast<size_t>(found - plan_.processes.begin());
  }

  // CRIU's own steps touch a page here and there.
  Status Answer(int faults, size_t target, Buffers& buffers) const {
    ASSIGN_OR_RETURN(const auto address, userfault::ReadFault(faults));
    if (!address) {
      return Status::Ok();
    }
    const auto page = FindPage(target, *address, buffers);
    if (page.ok() && !page->empty()) {
      return userfault::Copy(faults, *address, page->data(), page->size());
    }
    // Also after a failure, so that CRIU comes to the point where it is told.
    const Status zeroed = userfault::Zero(faults, *address);
    return page.ok() ? zeroed : page.status();
  }

  // Empty: there is none.
  Result<std::string_view> FindPage(size_t target, uint64_t address, Buffers& buffers) const {
    size_t number = 0;
    const PagePiece* const piece = plan_.Find(target, address, number);
    if (piece == nullptr) {
      return std::string_view();
    }
    const auto file = std::find_if(files_.begin(), files_.end(), [&](const OpenedFile& one) {
      return one.planned == &plan_.files[number];
    });
    if (file == files_.end()) {
      return DataLossError(plan_.files[number].name + " is missing");
    }
    const uint64_t offset = piece->offset + (address - piece->address);
    const uint64_t chunk_bytes = file->reader.chunk_bytes();
    ASSIGN_OR_RETURN(const auto bytes, file->reader.Read(offset / chunk_bytes,
                                                         buffers.chunks.front(), buffers.scratch));
    if (!bytes.empty() && bytes.size() <= offset % chunk_bytes) {
      return DataLossError(fmt::format("{} ends before {}", plan_.files[number].name, offset));
    }
    return bytes.empty() ? bytes : bytes.substr(offset % chunk_bytes, snapshot::images::kPageBytes);
  }

  void Remember(const Status& status) {
    const auto served = served_.Lock();
    if (served->ok()) {
      *served = status;
    }
  }

  struct Position {
    size_t file = 0;
    uint64_t chunk = 0;
  };
  const snapshot::Artifact& artifact_;
  const PagePlan plan_;
  const WaitLimit limit_;
  std::stop_source stop_;
  std::vector<OpenedFile> files_;
  Guarded<Position> next_;
  std::optional<LazySocket> socket_;
  UniqueFd wake_;
  Guarded<std::map<int, UniqueFd>> processes_;
  std::vector<SharedView> shared_;
  Guarded<Status> served_;
  std::mutex mutex_;
  std::condition_variable_any ready_changed_;
  std::atomic<bool> ready_ = false;
  std::vector<Destination> destinations_;  // set once, before `ready_`
  std::future<Status> filled_;
  std::jthread server_;
};

PageFiller::PageFiller(std::unique_ptr<Work> work) : work_(std::move(work)) {}
PageFiller::~PageFiller() = default;

Result<std::unique_ptr<PageFiller>> PageFiller::Begin(const snapshot::Artifact& artifact,
                                                      PagePlan plan,
                                                      const std::string& work_directory,
                                                      const WaitLimit& limit) {
  auto work = std::make_unique<Work>(artifact, std::move(plan), limit);
  RETURN_IF_ERROR(work->Begin(work_directory));
  return std::unique_ptr<PageFiller>(new PageFiller(std::move(work)));
}

Status PageFiller::Finish(int first_process) { return work_->Finish(first_process); }

}  // namespace hearth::agent
