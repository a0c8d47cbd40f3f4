#include "cel/internal/meter.h"

namespace hearth::cel::internal {
namespace {

thread_local Meter* current = nullptr;

}  // namespace

Meter* Meter::Current() { return current; }

Meter::Scope::Scope(Meter& meter) : outer_(current) { current = &meter; }

Meter::Scope::~Scope() { current = outer_; }

bool CountSteps(uint64_t steps) { return current == nullptr || current->Step(steps); }

}  // namespace hearth::cel::internal
