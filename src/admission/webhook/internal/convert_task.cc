#include <fmt/format.h>

#include <utility>

#include "admission/webhook/internal/tasks.h"
#include "admission/webhook/internal/value_count.h"
#include "admission/webhook/review.h"
#include "base/strings.h"
#include "kube/model/names.h"

namespace hearth::admission::webhook::internal {
namespace {

using json::Value;

constexpr size_t kExcerptBytes = 80;

std::string Text(const Value& object, std::string_view path) {
  const Value* found = object.FindPath(path);
  return Excerpt(found != nullptr ? found->StringOr("") : "", 256);
}

// DynamoGraphDeployment models/llm
std::string Describe(const Value& object) {
  const kube::ObjectKey key{Text(object, "metadata.namespace"), Text(object, "metadata.name")};
  return fmt::format("{} {}", Text(object, "kind"), key.ToString());
}

Status CheckGroup(const Value& object, const kube::GroupVersion& wanted) {
  const auto group = kube::GroupVersion::Parse(Text(object, "apiVersion"));
  RETURN_IF_ERROR(group);
  return group->group == wanted.group
             ? Status::Ok()
             : InvalidError(fmt::format("an object of group \"{}\" cannot become one of \"{}\"",
                                        group->group, wanted.group));
}

Status CheckSize(const Value& object) {
  const size_t count = CountValues(object);
  return count <= kMaxConvertedObjectValues
             ? Status::Ok()
             : ExhaustedError(fmt::format("it has {} values, and {} are converted at most; shorten "
                                          "it, or split it into several objects",
                                          count, kMaxConvertedObjectValues));
}

Result<Value> ConvertOne(const Value& object, const kube::GroupVersion& wanted,
                         const Services& services) {
  if (!object.IsObject()) {
    return InvalidError("not an object");
  }
  RETURN_IF_ERROR(CheckGroup(object, wanted));
  RETURN_IF_ERROR(CheckSize(object));
  return services.convert(object, wanted.version);
}

Result<std::vector<Value>> ConvertAll(std::vector<Value> objects, const std::string& api_version,
                                      const Services& services) {
  ASSIGN_OR_RETURN(const kube::GroupVersion wanted, kube::GroupVersion::Parse(api_version));
  size_t values = 0;
  for (size_t i = 0; i < objects.size(); ++i) {
    auto converted = ConvertOne(objects[i], wanted, services);
    // An annotation is one text when it is read, and may become a large part of an object.
    values += converted.ok() ? CountValues(*converted) : 0;
    if (values > kMaxConversionValues) {
      converted = ExhaustedError(fmt::format(
          "the objects of the review have more than {} values when they are converted; list fewer "
          "at a time",
          kMaxConversionValues));
    }
    if (!converted.ok()) {
      return converted.status().WithContext(fmt::format("converting {} (object {} of {}) to {}",
                                                        Describe(objects[i]), i + 1, objects.size(),
                                                        Excerpt(api_version, kExcerptBytes)));
    }
    objects[i] = *std::move(converted);
  }
  return objects;
}

}  // namespace

Answer Convert(ConversionRequest request, const Services& services) {
  auto converted = ConvertAll(std::move(request.objects), request.desired_api_version, services);
  Answer answer{.verdict = converted.ok() ? Verdict::kConverted : Verdict::kFailed,
                .cause = std::string(converted.status().message())};
  answer.response = {.status = 200,
                     .body = WriteConversionReview(request.uid, std::move(converted))};
  answer.response.headers.Set("Content-Type", "application/json");
  return answer;
}

}  // namespace hearth::admission::webhook::internal
