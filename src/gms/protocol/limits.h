#pragma once

#include <chrono>
#include <cstddef>

// What one message may weigh. Both sides keep to it; what is above ends the connection.
namespace hearth::gms {

// The kernel passes no more descriptors with one message.
inline constexpr size_t kMaxFds = 253;
// A request's payload. Batches are made of several requests where they need more.
inline constexpr size_t kMaxRequestBytes = 16U << 20;
// The first request of a connection, and all of the administration: whoever they are from has
// shown nothing yet.
inline constexpr size_t kMaxFirstRequestBytes = 64U << 10;
// A response's payload: existing clients list a whole layout in one.
inline constexpr size_t kMaxResponseBytes = 256U << 20;
// Values in one message, all levels counted: bounds what decoding it takes.
inline constexpr size_t kMaxValues = 4U << 20;
inline constexpr size_t kMaxDepth = 8;
// Names that clients choose: allocation ids, tags, metadata keys.
inline constexpr size_t kMaxNameBytes = 4096;

}  // namespace hearth::gms
