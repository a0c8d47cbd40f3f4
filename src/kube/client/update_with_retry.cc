#include "json/value.h"
#include "kube/client/client.h"

namespace hearth::kube {

Result<Object> UpdateWithRetry(Client& client, const ResourceType& type, const ObjectKey& key,
                               const WaitLimit& limit,
                               const std::function<Status(json::Value&)>& change,
                               const WriteOptions& options) {
  constexpr int kTries = 5;
  const GetOptions read{.resource_version = "",
                        .subresource = options.subresource == "scale" ? "scale" : ""};
  for (int tried = 1;; ++tried) {
    ASSIGN_OR_RETURN(const Object object, client.Get(type, key, limit, read));
    json::Value value = object.ToValue();
    RETURN_IF_ERROR(change(value));
    const json::Blob body = value.ToBlob();
    auto updated = client.Update(type, key, body.view(), limit, options);
    if (updated.ok() || !updated.status().Is(Code::kConflict) || tried == kTries) {
      return updated;
    }
  }
}

}  // namespace hearth::kube
