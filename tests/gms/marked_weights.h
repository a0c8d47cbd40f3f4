#pragma once

#include <cstdint>
#include <string>

#include "gms/client/session.h"

namespace hearth::gms {

// Weights that can be told from any others: every word says which writer's they are, of which
// allocation, and where they stand.

// Allocates a few pieces, fills them and describes them; commits nothing.
Status WriteMarked(Session& session, uint64_t seed, int pieces);
// Every byte of what the session sees is what one writer wrote, all of it. kDataLoss otherwise.
Status CheckMarked(Session& session);
// The same; the writer's seed.
Result<uint64_t> ReadMarked(Session& session);
// Which writer an entry of the metadata is of; 0 when it is not of such weights.
uint64_t SeedOf(const std::string& metadata_value);

}  // namespace hearth::gms
