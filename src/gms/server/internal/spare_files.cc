#include "gms/server/internal/spare_files.h"

#include <sys/eventfd.h>

#include <utility>

namespace hearth::gms::server {

SpareFiles::SpareFiles(size_t count) : count_(count) { Refill(); }

void SpareFiles::Refill() {
  while (files_.size() < count_) {
    UniqueFd file(::eventfd(0, EFD_CLOEXEC));
    if (!file.valid()) {
      return;
    }
    files_.push_back(std::move(file));
  }
}

bool SpareFiles::GiveOne() {
  if (files_.empty()) {
    return false;
  }
  files_.pop_back();
  return true;
}

}  // namespace hearth::gms::server
