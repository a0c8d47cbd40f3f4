#include "kube/client/client.h"

#include <utility>

#include "kube/client/internal/client_impl.h"

namespace hearth::kube {
namespace {

using internal::Describe;
using internal::DescribeMany;

// A DELETE answers with a Status when the object went at once, and with the object when it is still
// terminating, but for some types also with the object as it last was.
bool StillThere(json::View object) {
  const json::View metadata = object["metadata"];
  if (!metadata["deletionTimestamp"].IsString()) {
    return false;
  }
  return metadata["finalizers"].size() > 0 || object["spec"]["finalizers"].size() > 0 ||
         metadata["deletionGracePeriodSeconds"].Int().value_or(0) > 0;
}

}  // namespace

Client::Client(Transport& transport, Clock& clock, ClientOptions options)
    : impl_(std::make_unique<Impl>(transport, clock, std::move(options))) {}

Client::~Client() = default;

const ClientOptions& Client::options() const { return impl_->options; }
Transport& Client::transport() { return impl_->transport; }

Result<Object> Client::Get(const ResourceType& type, const ObjectKey& key, const WaitLimit& limit,
                           const GetOptions& options) {
  return impl_->CallOn(type, key, GetRequest(type, key, options), limit,
                       Describe("get", type, key, options.subresource));
}

Result<Object> Client::Create(const ResourceType& type, std::string_view name_space,
                              json::View body, const WaitLimit& limit,
                              const WriteOptions& options) {
  const std::string name = body["metadata"]["name"].StringOr(
      body["metadata"]["generateName"].StringOr("") + "(generated)");
  return impl_->CallForObject(CreateRequest(type, name_space, body, impl_->Filled(options)), limit,
                              Describe("create", type, {std::string(name_space), name}));
}

Result<Object> Client::CreateSubresource(const ResourceType& type, const ObjectKey& key,
                                         json::View body, const WaitLimit& limit,
                                         const WriteOptions& options) {
  return impl_->CallOn(type, key, CreateSubresourceRequest(type, key, body, impl_->Filled(options)),
                       limit, Describe("create", type, key, options.subresource));
}

Result<Object> Client::Update(const ResourceType& type, const ObjectKey& key, json::View body,
                              const WaitLimit& limit, const WriteOptions& options) {
  return impl_->CallOn(type, key, UpdateRequest(type, key, body, impl_->Filled(options)), limit,
                       Describe("update", type, key, options.subresource));
}

Result<Object> Client::Patch(const ResourceType& type, const ObjectKey& key, PatchType patch,
                             json::View body, const WaitLimit& limit, const WriteOptions& options) {
  const std::string_view verb = patch == PatchType::kApply ? "apply" : "patch";
  return impl_->CallOn(type, key, PatchRequest(type, key, patch, body, impl_->Filled(options)),
                       limit, Describe(verb, type, key, options.subresource));
}

Result<Object> Client::Apply(const ResourceType& type, const ObjectKey& key, json::View body,
                             const WaitLimit& limit, WriteOptions options) {
  return Patch(type, key, PatchType::kApply, body, limit, options);
}

Result<DeleteOutcome> Client::Delete(const ResourceType& type, const ObjectKey& key,
                                     const WaitLimit& limit, const DeleteOptions& options) {
  ASSIGN_OR_RETURN(Object answer, impl_->CallOn(type, key, DeleteRequest(type, key, options), limit,
                                                Describe("delete", type, key)));
  if (answer["kind"].Equals("Status") && answer["apiVersion"].Equals("v1")) {
    return DeleteOutcome{true, Object()};
  }
  const bool gone = !StillThere(answer.view());
  return DeleteOutcome{gone, std::move(answer)};
}

Status Client::DeleteCollection(const ResourceType& type, std::string_view name_space,
                                const WaitLimit& limit, const ListOptions& which,
                                const DeleteOptions& options) {
  return impl_
      ->Call(DeleteCollectionRequest(type, name_space, which, options), limit,
             DescribeMany("delete all", type, name_space))
      .status();
}

Result<http::Response> Client::Raw(http::Request request, const WaitLimit& limit) {
  const std::string what = request.method + " " + request.target;
  return impl_->Call(std::move(request), limit, what);
}

}  // namespace hearth::kube
