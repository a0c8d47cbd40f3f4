// Loads and saves weights through a memory service in this process, beside fio on the same disk.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>

#include "base/file_system.h"
#include "base/options.h"
#include "base/random.h"
#include "disk.h"
#include "gms/loader/load.h"
#include "gms/saver/save.h"
#include "gms/saver/testing/memory_service.h"
#include "gms/storage/memory.h"
#include "report.h"

namespace hearth::bench {
namespace {

using gms::HostPages;
using gms::saver::MemoryService;

struct Settings {
  std::string directory;
  OptionTable::Bytes bytes{2ULL << 30};
  int64_t rounds = 7;
  std::string pages = "small";
  std::string json;
};

constexpr uint64_t kGranularity = 2ULL << 20;
constexpr size_t kUsual = 59;   // allocations of a model
constexpr size_t kMany = 3435;  // of one with many

// Sizes that add up to `bytes`; many are smaller than the usual granularity allows.
struct Case {
  size_t allocations;
  uint64_t granularity;
};

Status Fill(MemoryService& service, uint64_t bytes, const Case& shape, uint64_t seed) {
  ASSIGN_OR_RETURN(const auto session, service.Connect(0, gms::LeaseRequest::kRw));
  const uint64_t granules = bytes / shape.granularity;
  std::vector<gms::AllocationItem> items;
  for (size_t i = 0; i < shape.allocations; ++i) {
    const uint64_t own = granules / shape.allocations + (i < granules % shape.allocations ? 1 : 0);
    items.push_back({.allocation_id = fmt::format("allocation-{}", i),
                     .size = static_cast<int64_t>(own * shape.granularity),
                     .tag = "weights"});
  }
  ASSIGN_OR_RETURN(const gms::AllocatedBatch batch, session->AllocateBatch(items, true));
  std::vector<uint64_t> block(shape.granularity / 8);
  Random random(seed);
  std::generate(block.begin(), block.end(), [&] { return random.Next(); });
  for (size_t i = 0; i < items.size(); ++i) {
    for (int64_t at = 0; at < items[i].size; at += static_cast<int64_t>(shape.granularity)) {
      block[static_cast<size_t>(at) / shape.granularity % block.size()] = random.Next();
      const auto memory = gms::storage::DescriptorMemory(UniqueFd(::dup(batch.fds[i].get())));
      RETURN_IF_ERROR(memory->Put(static_cast<uint64_t>(at),
                                  reinterpret_cast<const std::byte*>(block.data()),
                                  shape.granularity));
    }
  }
  return ToStatus(session->Commit(false));
}

double Seconds(SteadyTime since) {
  return std::chrono::duration<double>(RealClock().Now() - since).count();
}

// Bytes a second.
Result<double> Save(const MemoryService& service, const std::string& directory) {
  gms::saver::SaveGauge gauge;
  const SteadyTime begin = RealClock().Now();
  ASSIGN_OR_RETURN(const auto report,
                   gms::saver::SaveCheckpoint(
                       service.Devices(), {.directory = directory, .shard_bytes = 1ULL << 40},
                       RealFileSystem(), RealClock(), Logger::Null(), gauge, WaitLimit::Forever()));
  return static_cast<double>(report.bytes) / Seconds(begin);
}

Result<double> Load(const std::string& directory, HostPages pages, uint64_t granularity,
                    bool verify) {
  const MemoryService service(1, pages, granularity);
  gms::loader::LoadGauge gauge;
  const SteadyTime begin = RealClock().Now();
  ASSIGN_OR_RETURN(
      const auto report,
      gms::loader::LoadCheckpoint(service.Devices(), {.directory = directory, .verify = verify},
                                  RealClock(), Logger::Null(), gauge, WaitLimit::Forever()));
  return static_cast<double>(report.bytes) / Seconds(begin);
}

using Samples = std::map<std::string, std::vector<double>>;

class Bench {
 public:
  explicit Bench(const Settings& s)
      : s_(s), pages_(s.pages == "huge" ? HostPages::kHuge2M : HostPages::kSmall) {}

  Status Prepare() {
    for (const auto& [name, shape] : shapes_) {
      MemoryService service(1, HostPages::kSmall, shape.granularity);
      RETURN_IF_ERROR(Fill(service, s_.bytes.value, shape, 1));
      RETURN_IF_ERROR(Save(service, Directory(name)));
    }
    for (uint64_t seed = 0; seed < 2; ++seed) {
      sources_.push_back(std::make_unique<MemoryService>(1, HostPages::kSmall, kGranularity));
      RETURN_IF_ERROR(Fill(*sources_.back(), s_.bytes.value, shapes_.at("usual"), seed));
    }
    return {};
  }

  Status Round(size_t number) {
    const std::string shard = Directory("usual") + "/device-0/shards/shard_0000.bin";
    RETURN_IF_ERROR(Take("fio read", MeasureRead(shard)));
    RETURN_IF_ERROR(Take("load", Load(Directory("usual"), pages_, kGranularity, true)));
    RETURN_IF_ERROR(Take("load unverified", Load(Directory("usual"), pages_, kGranularity, false)));
    RETURN_IF_ERROR(Take("load one", Load(Directory("one"), HostPages::kSmall, kFine, true)));
    RETURN_IF_ERROR(Take("load many", Load(Directory("many"), HostPages::kSmall, kFine, true)));
    const std::string scratch = s_.directory + "/fio.tmp";
    RETURN_IF_ERROR(Take("fio write", MeasureWrite(scratch, s_.bytes.value)));
    RETURN_IF_ERROR(Take("save", Save(*sources_[number % 2], Directory("saved"))));
    return Take("fio plain write", MeasurePlainWrite(scratch, s_.bytes.value));
  }

  std::vector<Row> Rows() const {
    return {Compare("A1", "load, disk to committed", "load", "fio read", "fio", Better::kHigher,
                    s_.pages == "huge" ? 0.95 : 0.85),
            Compare("A5", "durable save", "save", "fio write", "fio on a fallocated file",
                    Better::kHigher, 0.95),
            Compare("A5", "durable save", "save", "fio plain write", "fio", Better::kHigher, 1.5),
            Compare("A6", "load with digests", "load", "load unverified", "without",
                    Better::kHigher, 0.97),
            Compare("A7", "time of 3,435 allocations", "load one", "load many", "one",
                    Better::kLower, 1.02)};
  }

 private:
  static constexpr uint64_t kFine = 64 << 10;

  std::string Directory(const std::string& name) const { return s_.directory + "/" + name; }

  Status Take(const std::string& name, const Result<double>& rate) {
    RETURN_IF_ERROR(rate.status().WithContext(name));
    std::cerr << fmt::format("bench: {:16} {:.2f} GB/s\n", name, *rate / 1e9);
    samples_[name].push_back(*rate);
    return {};
  }

  Row Compare(const std::string& bench, const std::string& what, const std::string& ours,
              const std::string& peer, const std::string& peer_name, Better better,
              double goal) const {
    std::vector<double> ratios;
    for (size_t i = 0; i < samples_.at(ours).size(); ++i) {
      ratios.push_back(samples_.at(ours)[i] / samples_.at(peer)[i]);
    }
    return {.bench = bench,
            .what = what,
            .better = better,
            .goal = goal,
            .ratio = Summarize(ratios),
            .ours = Summarize(samples_.at(ours)).median / 1e9,
            .peer = Summarize(samples_.at(peer)).median / 1e9,
            .peer_name = peer_name,
            .unit = "GB/s"};
  }

  const Settings& s_;
  HostPages pages_;
  std::map<std::string, Case> shapes_ = {
      {"usual", {kUsual, kGranularity}}, {"one", {1, kFine}}, {"many", {kMany, kFine}}};
  std::vector<std::unique_ptr<MemoryService>> sources_;
  Samples samples_;
};

Status Run(const Settings& s) {
  Bench bench(s);
  RETURN_IF_ERROR(bench.Prepare());
  for (int64_t round = 0; round < s.rounds; ++round) {
    RETURN_IF_ERROR(bench.Round(static_cast<size_t>(round)));
  }
  std::cout << ToTable(bench.Rows()) << std::flush;
  if (!s.json.empty()) {
    std::ofstream(s.json) << ToJsonLines(bench.Rows());
  }
  return {};
}

int Main(int argc, const char* const* argv) {
  Settings s;
  OptionTable table("bench-gms-storage", "Loads and saves weights beside fio on the same disk.");
  table.Add({.name = "dir",
             .help = "A directory on the disk to measure; what it makes there stays",
             .target = &s.directory,
             .required = true});
  table.Add({.name = "bytes", .help = "How much", .target = &s.bytes});
  table.Add(
      {.name = "rounds", .help = "How often", .target = &s.rounds, .check = Between(1, 1000)});
  table.Add({.name = "pages",
             .help = "Pages to load into",
             .target = &s.pages,
             .choices = {"small", "huge"}});
  table.Add({.name = "json", .help = "Write one object a line to this file", .target = &s.json});
  const auto parsed = table.Parse(argc, argv);
  if (parsed.ok() && *parsed != OptionTable::Parsed::kRun) {
    std::cout << table.Help();
    return 0;
  }
  const Status status = parsed.ok() ? Run(s) : parsed.status();
  if (!status.ok()) {
    std::cerr << "bench: " << status.message() << "\n";
  }
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace hearth::bench

int main(int argc, char** argv) { return hearth::bench::Main(argc, argv); }
