// Reading a field that the projection does not declare: the cache would not have it.
#include "json/projection.h"

namespace {

using Widget = hearth::json::Projection<hearth::json::Field<"spec.replicas", int64_t>>;

#ifdef CONTROL
auto Replicas(const Widget& widget) { return widget.get<"spec.replicas">(); }
#else
auto Replicas(const Widget& widget) { return widget.get<"spec.replicsa">(); }
#endif

}  // namespace

bool HasReplicas(hearth::json::View view) { return Replicas(Widget(view)).has_value(); }
