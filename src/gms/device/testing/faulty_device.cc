#include "gms/device/testing/faulty_device.h"

namespace hearth::gms {

void FaultyDevice::FailAt(int step, Status error) {
  auto plan = plan_.Lock();
  plan->fail_at = step;
  plan->for_ever = false;
  plan->error = std::move(error);
}

void FaultyDevice::FailFrom(int step, Status error) {
  auto plan = plan_.Lock();
  plan->fail_at = step;
  plan->for_ever = true;
  plan->error = std::move(error);
}

void FaultyDevice::Recover() { plan_.Lock()->fail_at = -1; }

int FaultyDevice::steps() const { return plan_.Lock()->steps; }

std::vector<std::string> FaultyDevice::trace() const { return plan_.Lock()->trace; }

Status FaultyDevice::Step(std::string what) const {
  auto plan = plan_.Lock();
  plan->trace.push_back(std::move(what));
  int step = plan->steps++;
  bool fails =
      plan->fail_at >= 0 && (plan->for_ever ? step >= plan->fail_at : step == plan->fail_at);
  return fails ? plan->error : Status::Ok();
}

Result<Device::Handle> FaultyDevice::Create(uint64_t size) {
  RETURN_IF_ERROR(Step("create " + std::to_string(size)));
  return real_->Create(size);
}

void FaultyDevice::Release(Handle handle) {
  plan_.Lock()->trace.push_back("release " + std::to_string(handle));
  real_->Release(handle);
}

Result<UniqueFd> FaultyDevice::Export(Handle handle, Access access) {
  RETURN_IF_ERROR(Step("export " + std::to_string(handle) +
                       (access == Access::kRead ? " read" : " read-write")));
  return real_->Export(handle, access);
}

Status FaultyDevice::Seal(Handle handle) {
  RETURN_IF_ERROR(Step("seal " + std::to_string(handle)));
  return real_->Seal(handle);
}

Result<Device::Handle> FaultyDevice::Adopt(UniqueFd fd, uint64_t size) {
  RETURN_IF_ERROR(Step("adopt " + std::to_string(size)));
  return real_->Adopt(std::move(fd), size);
}

Result<uint64_t> FaultyDevice::FreeBytes() const {
  RETURN_IF_ERROR(Step("free bytes"));
  return real_->FreeBytes();
}

}  // namespace hearth::gms
