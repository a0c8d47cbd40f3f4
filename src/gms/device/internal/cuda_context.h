#pragma once

#include <vector>

#include "base/guarded.h"
#include "gms/device/internal/cuda_driver.h"

namespace hearth::gms::internal {

// The primary context of a device, and streams in it for copies. Thread-safe.
class CudaContext {
 public:
  static Result<std::unique_ptr<CudaContext>> Retain(std::shared_ptr<const CudaDriver> driver,
                                                     cuda::DeviceId device);
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  // Runs `work` on this thread with the context current, as most calls of the driver want it.
  template <typename Work>
  Status With(Work work) const {
    RETURN_IF_ERROR(driver_->Check(driver_->push_context(context_), "cuCtxPushCurrent"));
    Status status = work();
    cuda::Context popped = nullptr;
    driver_->pop_context(&popped);
    return status;
  }

  // Starts `copy` on a stream that no other thread uses meanwhile, and waits for its end.
  template <typename Copy>
  Status OnStream(Copy copy) const {
    return With([&]() -> Status {
      ASSIGN_OR_RETURN(cuda::Stream stream, TakeStream());
      Status status = copy(stream);
      // Also after a failure: nothing may still touch the caller's memory.
      Status done = driver_->Check(driver_->stream_synchronize(stream), "cuStreamSynchronize");
      idle_.Lock()->push_back(stream);
      return status.ok() ? done : status;
    });
  }

 private:
  CudaContext(std::shared_ptr<const CudaDriver> driver, cuda::DeviceId device,
              cuda::Context context)
      : driver_(std::move(driver)), device_(device), context_(context) {}
  Result<cuda::Stream> TakeStream() const;

  std::shared_ptr<const CudaDriver> driver_;
  cuda::DeviceId device_;
  cuda::Context context_;
  mutable Guarded<std::vector<cuda::Stream>> idle_;
};

}  // namespace hearth::gms::internal
