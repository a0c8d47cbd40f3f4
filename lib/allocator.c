/* The two functions that PyTorch's pluggable allocator looks up by name. Everything behind them is
 * libgms; a framework that is given a stream has no use for it here, because memory is mapped for
 * all streams at once. */
#include <sys/types.h>

#include "gms.h"

GMS_PUBLIC void* my_malloc(ssize_t size, int device, void* stream);
GMS_PUBLIC void my_free(void* block, ssize_t size, int device, void* stream);

void* my_malloc(ssize_t size, int device, void* stream) {
  (void)stream;
  return gms_allocator_malloc(size, device);
}

void my_free(void* block, ssize_t size, int device, void* stream) {
  (void)device;
  (void)stream;
  gms_allocator_free(block, size);
}
