#include "gms/device/internal/cuda_context.h"

namespace hearth::gms::internal {

Result<std::unique_ptr<CudaContext>> CudaContext::Retain(std::shared_ptr<const CudaDriver> driver,
                                                         cuda::DeviceId device) {
  cuda::Context context = nullptr;
  RETURN_IF_ERROR(
      driver->Check(driver->retain_context(&context, device), "cuDevicePrimaryCtxRetain"));
  return std::unique_ptr<CudaContext>(new CudaContext(std::move(driver), device, context));
}

CudaContext::~CudaContext() {
  // What a driver says that is going down does not matter any more.
  (void)With([&] {
    for (cuda::Stream stream : *idle_.Lock()) {
      driver_->stream_destroy(stream);
    }
    return Status::Ok();
  });
  driver_->release_context(device_);
}

Result<cuda::Stream> CudaContext::TakeStream() const {
  auto idle = idle_.Lock();
  if (!idle->empty()) {
    cuda::Stream stream = idle->back();
    idle->pop_back();
    return stream;
  }
  cuda::Stream stream = nullptr;
  RETURN_IF_ERROR(
      driver_->Check(driver_->stream_create(&stream, cuda::kStreamNonBlocking), "cuStreamCreate"));
  return stream;
}

}  // namespace hearth::gms::internal
