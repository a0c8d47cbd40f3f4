#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "controller/event_recorder.h"
#include "controller/internal/event_series.h"
#include "json/value.h"

// Events as the API has them (events.k8s.io/v1).
namespace hearth::controller::internal {

inline constexpr size_t kMostNoteBytes = 1024;  // the API's limit

// "<subject>.<time in hexadecimal>", made to fit the rules for names.
std::string EventName(const EventSubject& about, WallTime time);
// With a series when it counts more than one.
json::Value EventObject(const EventRecord& record, const EventRecorder::Options& options);
// A merge patch with the series.
json::Value SeriesPatch(const EventRecord& record);
// At most `limit` bytes of it, cut between characters, valid UTF-8.
std::string CutText(std::string_view text, size_t limit);

}  // namespace hearth::controller::internal
