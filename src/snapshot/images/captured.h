#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "snapshot/images/decode.h"
#include "snapshot/images/image_folder.h"

namespace hearth::snapshot::images {

struct CapturedProcess {
  uint32_t pid = 0;  // in its own pid namespace
  uint32_t parent = 0;
  std::string name;
  std::string program;                 // path of its executable
  std::vector<std::string> arguments;  // empty when they are not among the saved pages
  bool alive = true;
  size_t threads = 0;
  std::vector<Mapping> mappings;
  std::vector<Descriptor> descriptors;
  uint64_t mapped_bytes = 0;
  uint64_t saved_bytes = 0;  // of its own memory, in the images
  // Names of its environment's variables. Values are not kept.
  std::vector<std::string> environment_names;
};

// What was captured, as far as images tell it.
struct Captured {
  uint32_t image_version = 0;
  std::vector<CapturedProcess> processes;  // parents before children
  std::map<uint32_t, OpenFile> files;      // by id: open or mapped
  std::vector<SavedMount> mounts;          // of the first process's mount namespace
  uint64_t shared_bytes = 0;               // of shared memory, in the images

  // "" for an id that no image has.
  std::string PathOf(uint64_t file) const;
};

// Reads the images of a directory, without following links in it. kNotFound: there are none.
// kDataLoss names the image that is damaged. `pages` as for ImageFolder::TakePagesFrom.
Result<Captured> ReadCaptured(const std::string& directory, PageSource pages = {});

}  // namespace hearth::snapshot::images
