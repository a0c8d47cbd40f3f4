#include "base/testing/no_threads.h"

#include "base/check.h"

namespace hearth {
namespace {

constexpr size_t kMoreThanThereIs = size_t{1} << 47;

}  // namespace

NoThreads::NoThreads() {
  CHECK(::pthread_getattr_default_np(&before_) == 0);
  pthread_attr_t huge;
  CHECK(::pthread_attr_init(&huge) == 0);
  CHECK(::pthread_attr_setstacksize(&huge, kMoreThanThereIs) == 0);
  CHECK(::pthread_setattr_default_np(&huge) == 0);
  ::pthread_attr_destroy(&huge);
}

NoThreads::~NoThreads() {
  ::pthread_setattr_default_np(&before_);
  ::pthread_attr_destroy(&before_);
}

}  // namespace hearth
