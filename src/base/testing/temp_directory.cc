#include "base/testing/temp_directory.h"

#include <cstdlib>
#include <filesystem>

#include "base/check.h"
#include "base/file_system.h"

namespace hearth {

TempDirectory::TempDirectory()
    : path_(std::filesystem::temp_directory_path().string() + "/hearth-XXXXXX") {
  CHECK(::mkdtemp(path_.data()) != nullptr) << "no temporary directory at " << path_;
}

// What cannot be removed stays below the temporary directory; a test must not fail for it.
TempDirectory::~TempDirectory() { static_cast<void>(RealFileSystem().RemoveTree(path_)); }

}  // namespace hearth
