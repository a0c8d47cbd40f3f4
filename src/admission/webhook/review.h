#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

// AdmissionReview and ConversionReview, version v1: foreign bytes to values and back. Pure.
namespace hearth::admission::webhook {

// An API server takes 3 MiB from a user; a review holds the object twice and words around it. Lists
// are converted in one review, however long they are.
inline constexpr size_t kMaxAdmissionBytes = size_t{8} << 20;
inline constexpr size_t kMaxConversionBytes = size_t{64} << 20;
// Two bytes of JSON can become a value of forty, so bytes alone bound no memory. An object near
// what etcd takes has about a hundred thousand when people or controllers write it.
inline constexpr size_t kMaxObjectValues = 200'000;
// A status is stored without asking. A value takes two bytes at least and etcd takes 1.5 MiB: no
// stored object has more. Converting takes several times what reading took.
inline constexpr size_t kMaxConvertedObjectValues = 800'000;
// What is stored can be updated: the review holds it twice. But for its status it may not grow
// beyond kMaxObjectValues.
inline constexpr size_t kMaxAdmissionValues = 2 * kMaxConvertedObjectValues;
// Of what is read, and of what it becomes.
inline constexpr size_t kMaxConversionValues = 2'000'000;
// Objects are one deeper in a conversion than at the door: what passes there can be read.
inline constexpr int kMaxAdmissionDepth = 512;
inline constexpr int kMaxConversionDepth = 2'000;

struct KindName {
  std::string group;  // empty for Kubernetes' core
  std::string version;
  std::string kind;

  std::string ToString() const;  // as Go prints it: "nvidia.com/v1beta1, Kind=DynamoCheckpoint"
  friend bool operator==(const KindName&, const KindName&) = default;
};

struct AdmissionRequest {
  std::string uid;
  KindName kind;        // of the objects below: what the webhook's rule lists
  KindName asked_kind;  // what the user sent, before the server converted it for us
  std::string operation;
  std::string name;  // may be empty when the server is to make one up
  std::string name_space;
  std::string user;       // empty when the server did not say
  json::Value user_info;  // the same with groups and the rest; may be null
  bool dry_run = false;
  json::Value object;      // null on a DELETE
  json::Value old_object;  // null but on UPDATE and DELETE
};
// kInvalid says what is not as it must be; kExhausted: too large, or of too many values.
Result<AdmissionRequest> ReadAdmissionReview(std::string_view body);

struct AdmissionAnswer {
  json::Value denied;  // a Status object, or null when allowed
  std::vector<std::string> warnings;
  json::Value patch;  // a JSON patch; null or empty when nothing is to change
};
std::string WriteAdmissionReview(const std::string& uid, const AdmissionAnswer& answer);

// The Status object for an answer: `status` with the object it is about.
json::Value DenialOf(const Status& status, const KindName& kind, const std::string& name);

struct ConversionRequest {
  std::string uid;
  std::string desired_api_version;
  std::vector<json::Value> objects;
};
Result<ConversionRequest> ReadConversionReview(std::string_view body);

// All of them, or the reason why there are none.
std::string WriteConversionReview(const std::string& uid,
                                  Result<std::vector<json::Value>> converted);

}  // namespace hearth::admission::webhook
