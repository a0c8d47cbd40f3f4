// Stands in for libFuzzer's main: runs the fuzz target once over each file given, and over each
// file of each directory given. Arguments that begin with a dash are libFuzzer's and are ignored.
// Fails when something given is missing, unreadable or holds no file, so that a corpus cannot get
// lost unnoticed.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

// Sorted, so that a failure comes at the same place every time.
std::vector<fs::path> FilesOf(const fs::path& given) {
  std::error_code error;
  if (fs::is_regular_file(given, error)) {
    return {given};
  }
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(given, error)) {
    if (entry.is_regular_file(error)) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool Replay(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in.is_open() || in.bad()) {
    std::fprintf(stderr, "fuzz replay: cannot read %s\n", file.c_str());
    return false;
  }
  // A copy of exactly this size on the heap lets the address sanitizer see a read past the end.
  const std::vector<uint8_t> input(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(input.data(), input.size());
  return true;
}

// How many files ran; negative when something went wrong.
int ReplayAll(const fs::path& given) {
  const std::vector<fs::path> files = FilesOf(given);
  if (files.empty()) {
    std::fprintf(stderr, "fuzz replay: %s is missing or holds no file\n", given.c_str());
    return -1;
  }
  const bool fine = std::all_of(files.begin(), files.end(), Replay);
  return fine ? static_cast<int>(files.size()) : -1;
}

}  // namespace

int main(int argc, char** argv) {
  int runs = 0;
  for (const std::string& argument : std::vector<std::string>(argv + 1, argv + argc)) {
    if (argument.starts_with("-")) {
      continue;
    }
    const int ran = ReplayAll(argument);
    if (ran < 0) {
      return 1;
    }
    runs += ran;
  }
  if (runs == 0) {
    std::fprintf(stderr, "fuzz replay: no corpus given\n");
    return 1;
  }
  std::printf("fuzz replay: %d inputs\n", runs);
  return 0;
}
