#include "gms/storage/verify.h"

#include <algorithm>

#include "base/guarded.h"

namespace hearth::gms::storage {
namespace {

std::string OwnerOf(const ArtifactReader& reader, const std::vector<uint64_t>& first_chunks,
                    uint64_t chunk) {
  const auto after = std::upper_bound(first_chunks.begin(), first_chunks.end(), chunk);
  return reader.manifest().allocations[static_cast<size_t>(after - first_chunks.begin()) - 1].id;
}

Damage Describe(const Piece& piece, const Status& status) {
  return {.file = piece.file->name(),
          .chunk = piece.chunk,
          .offset = piece.file_offset,
          .bytes = piece.bytes,
          .message = std::string(status.message())};
}

}  // namespace

Result<VerifyReport> VerifyChunks(const ArtifactReader& reader, TransferEngine& engine,
                                  Clock& clock, const WaitLimit& limit,
                                  std::atomic<uint64_t>* progress) {
  Guarded<std::vector<Damage>> damages;
  const auto transfer = engine.Begin({.direction = Direction::kLoad,
                                      .records = reader.records(),
                                      .on_damage =
                                          [&](const Piece& piece, const Status& status) {
                                            damages.Lock()->push_back(Describe(piece, status));
                                          },
                                      .progress = progress});
  for (size_t i = 0; i < reader.manifest().allocations.size(); ++i) {
    transfer->Add(0, reader.PiecesOf(i, NoMemory()));
  }
  RETURN_IF_ERROR(transfer->Finish(clock, limit));
  VerifyReport report{.bytes = reader.records().empty() ? 0 : transfer->bytes_done(),
                      .chunks = reader.records().size(),
                      .damages = std::move(*damages.Lock())};
  const std::vector<uint64_t> first_chunks = FirstChunks(reader.manifest());
  for (Damage& damage : report.damages) {
    damage.allocation_id = OwnerOf(reader, first_chunks, damage.chunk);
  }
  std::sort(report.damages.begin(), report.damages.end(),
            [](const Damage& a, const Damage& b) { return a.chunk < b.chunk; });
  return report;
}

}  // namespace hearth::gms::storage
