#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "agent/files/internal/pax_header.h"
#include "agent/files/path_list.h"
#include "agent/files/save_files.h"
#include "base/check.h"
#include "base/unique_fd.h"

namespace hearth::agent {
namespace {

namespace fs = std::filesystem;

// A layer of `count` files of `size` bytes, a hundred in a directory, and a place to save it to.
class Layer {
 public:
  Layer(int64_t count, int64_t size) {
    std::string path = fs::temp_directory_path() / "save-files-bench-XXXXXX";
    CHECK(::mkdtemp(path.data()) != nullptr);
    top_ = path;
    fs::create_directory(top_ / "images");
    const std::string content(static_cast<size_t>(size), 'x');
    for (int64_t i = 0; i < count; ++i) {
      const fs::path directory = top_ / "upper" / std::to_string(i / 100);
      fs::create_directories(directory);
      std::ofstream(directory / std::to_string(i)) << content;
    }
  }
  ~Layer() { fs::remove_all(top_); }
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  UniqueFd Open(const char* name) const {
    return UniqueFd(::open((top_ / name).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  std::string upper() const { return top_ / "upper"; }
  std::string archive() const { return top_ / "images" / kArchiveName; }

 private:
  fs::path top_;
};

// Both until the bytes are on disk.
void Sync(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  CHECK(::fsync(file.get()) == 0);
}

void BM_SaveFiles(benchmark::State& state) {
  const Layer layer(state.range(0), state.range(1));
  for (auto _ : state) {
    CHECK(SaveFiles(layer.Open("upper").get(), layer.Open("images").get(), {}, WaitLimit::Forever())
              .ok());
    Sync(layer.archive());
    state.PauseTiming();
    fs::remove(layer.archive());
    state.ResumeTiming();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * state.range(1));
}

// What others do.
void BM_GnuTar(benchmark::State& state) {
  const Layer layer(state.range(0), state.range(1));
  const std::string command = "tar --xattrs -cf " + layer.archive() + " -C " + layer.upper() + " .";
  for (auto _ : state) {
    CHECK(std::system(command.c_str()) == 0);  // NOLINT(cert-env33-c): paths of our own
    Sync(layer.archive());
    state.PauseTiming();
    fs::remove(layer.archive());
    state.ResumeTiming();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0) * state.range(1));
}

void BM_TarHeader(benchmark::State& state) {
  FileEntry entry;
  entry.path = "usr/lib/python3/dist-packages/package/module.py";
  entry.size = 4096;
  entry.modified = {.tv_sec = 1794852640, .tv_nsec = 412188535};
  entry.accessed = entry.modified;
  std::string header;
  for (auto _ : state) {
    header.clear();
    files::AppendTarHeader(header, entry);
    benchmark::DoNotOptimize(header.data());
  }
}

BENCHMARK(BM_TarHeader);
BENCHMARK(BM_SaveFiles)->Args({10'000, 4096})->Args({1, 256 << 20})->UseRealTime();
BENCHMARK(BM_GnuTar)->Args({10'000, 4096})->Args({1, 256 << 20})->UseRealTime();

}  // namespace
}  // namespace hearth::agent
