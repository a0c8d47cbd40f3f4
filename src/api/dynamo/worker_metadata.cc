#include "api/dynamo/worker_metadata.h"

#include "api/table/struct_table.h"

namespace hearth::api::dynamo {

Node WorkerMetadataRoot() {
  return Object(
      "DynamoWorkerMetadata is what a worker tells others about itself.",
      {Field("apiVersion", String(), "Version of the API this object is written in."),
       Field("kind", String(), "Kind of the object."),
       Field("metadata", Node(schema::Schema{.type = schema::Type::kObject}), ""),
       Field(
           "spec",
           Object("", {Field("data", FreeForm(), "Anything the worker wants to tell.").Required()}),
           "What the worker tells.")});
}

}  // namespace hearth::api::dynamo
