#include "calls.h"

#include <fmt/format.h>

#include "bare_attach.h"
#include "gms/device/host_device.h"

namespace hearth::bench {
namespace {

Result<std::unique_ptr<gms::Session>> Writer(const std::string& socket) {
  return gms::Session::Connect({.socket = socket, .lease = gms::LeaseRequest::kRw});
}

}  // namespace

Result<std::vector<double>> MeasureAllocations(const std::string& socket, size_t calls) {
  ASSIGN_OR_RETURN(const auto session, Writer(socket));
  const std::vector<gms::AllocationItem> wanted(1, {.size = kPieceBytes, .tag = "weights"});
  std::vector<double> seconds;
  for (size_t i = 0; i < calls; ++i) {
    const double begin = Now();
    ASSIGN_OR_RETURN(gms::AllocatedBatch batch, session->AllocateBatch(wanted, true));
    batch.fds.clear();
    seconds.push_back(Now() - begin);
  }
  RETURN_IF_ERROR(session->Abort());
  return seconds;
}

Result<std::vector<double>> MeasureExports(const std::string& socket, size_t calls) {
  ASSIGN_OR_RETURN(const auto session, Writer(socket));
  ASSIGN_OR_RETURN(const gms::AllocationItem piece, session->Allocate(kPieceBytes));
  std::vector<double> seconds;
  for (size_t i = 0; i < calls; ++i) {
    const double begin = Now();
    ASSIGN_OR_RETURN(gms::ExportedAllocation exported, session->Export(piece.allocation_id));
    exported.fd.reset();
    seconds.push_back(Now() - begin);
  }
  return seconds;
}

Reader::Reader(const std::string& socket)
    : space_(gms::OpenHostAddressSpace({.granularity = kPieceBytes})) {
  gms::MemoryManagerOptions options;
  options.connect.socket = socket;
  manager_ = std::make_unique<gms::MemoryManager>(*space_, options);
}

Status Reader::Attach(size_t pieces) {
  RETURN_IF_ERROR(manager_->Connect(gms::LeaseRequest::kRo));
  ASSIGN_OR_RETURN(const gms::AttachedLayout layout, manager_->OpenLayout());
  return layout.mappings.size() == pieces
             ? Status()
             : InternalError(fmt::format("{} of {} pieces", layout.mappings.size(), pieces));
}

void Reader::Touch() const {
  for (const gms::Mapping& mapping : manager_->mappings()) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers in that interface
    static_cast<void>(*reinterpret_cast<const volatile char*>(mapping.address));
  }
}

Result<double> MeasureAttach(const std::string& socket, size_t pieces) {
  const double begin = Now();
  Reader reader(socket);
  RETURN_IF_ERROR(reader.Attach(pieces));
  return Now() - begin;
}

Result<double> MeasureSleepWake(const std::string& socket, size_t pieces) {
  Reader reader(socket);
  RETURN_IF_ERROR(reader.Attach(pieces));
  const double begin = Now();
  RETURN_IF_ERROR(reader.Sleep());
  RETURN_IF_ERROR(reader.Wake());
  return Now() - begin;
}

}  // namespace hearth::bench
