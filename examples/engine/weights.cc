#include "weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "base/check.h"

namespace hearth::engine {
namespace {

constexpr std::string_view kTag = "weights";

struct Tensor {
  std::string name;
  size_t rows = 0;
  size_t bytes = 0;
};

std::vector<Tensor> TensorsOf(const ModelShape& shape) {
  std::vector<Tensor> tensors{
      {"embedding.weight", size_t{ModelShape::kVocabulary}, shape.embedding_bytes()}};
  for (int layer = 0; layer < shape.layers; ++layer) {
    tensors.push_back({fmt::format("layers.{}.weight", layer), static_cast<size_t>(shape.width),
                       shape.layer_bytes()});
  }
  return tensors;
}

// As engines describe their tensors to each other.
std::string Description(const Tensor& tensor, int width) {
  return fmt::format(
      R"({{"dtype": "torch.int8", "shape": [{}, {}], "stride": [{}, 1], "tensor_type": "parameter"}})",
      tensor.rows, width, width);
}

// One thread a processor, each taking the next tensor that nobody has.
void MakeAll(uint64_t seed, int width, const std::vector<Tensor>& tensors,
             const std::vector<gms::Mapping>& mappings, const Weights::Progress& progress) {
  size_t total = 0;
  for (const Tensor& tensor : tensors) {
    total += tensor.bytes;
  }
  std::atomic<size_t> next = 0;
  std::atomic<size_t> done = 0;
  auto work = [&](bool tells) {
    for (size_t i = next++; i < tensors.size(); i = next++) {
      MakeTensor(seed, tensors[i].name, width,
                 {reinterpret_cast<int8_t*>(mappings[i].address), tensors[i].bytes});
      done += tensors[i].bytes;
      if (tells && progress) {
        progress(done, total);
      }
    }
  };
  std::vector<std::jthread> helpers;
  for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) {
    helpers.emplace_back(work, false);
  }
  work(true);
}

}  // namespace

Weights::Weights(gms::AddressSpace& space, WeightsOptions options)
    : options_(std::move(options)), memory_(space, options_.memory) {}

Result<std::unique_ptr<Weights>> Weights::Open(gms::AddressSpace& space, WeightsOptions options,
                                               const WaitLimit& limit, const Progress& progress) {
  if (!space.host_accessible()) {
    return UnsupportedError(
        "this engine computes on the processor and needs a server on host memory; start gms-server "
        "with --device-type host");
  }
  std::unique_ptr<Weights> weights(new Weights(space, std::move(options)));
  RETURN_IF_ERROR(weights->memory_.Connect(
      weights->options_.read_only ? gms::LeaseRequest::kRo : gms::LeaseRequest::kRwOrRo, limit));
  if (weights->memory_.grant() == gms::Grant::kRw) {
    RETURN_IF_ERROR(weights->Make(progress).WithContext("making the weights"));
  } else {
    RETURN_IF_ERROR(weights->Find().WithContext("mapping the published weights"));
  }
  weights->awake_ = true;
  return weights;
}

Status Weights::Make(const Progress& progress) {
  origin_ = Origin::kMade;
  const std::vector<Tensor> tensors = TensorsOf(options_.shape);
  std::vector<gms::MappingRequest> requests;
  for (const Tensor& tensor : tensors) {
    requests.push_back({.size = tensor.bytes, .tag = std::string(kTag)});
  }
  ASSIGN_OR_RETURN(const std::vector<gms::Mapping> mappings, memory_.CreateMappings(requests));
  MakeAll(options_.seed, options_.shape.width, tensors, mappings, progress);
  std::vector<gms::MetadataItem> metadata;
  for (size_t i = 0; i < tensors.size(); ++i) {
    metadata.push_back({.key = tensors[i].name,
                        .allocation_id = mappings[i].allocation_id,
                        .offset_bytes = 0,
                        .value = Description(tensors[i], options_.shape.width)});
  }
  RETURN_IF_ERROR(memory_.WithSession(
      [&](gms::Session& session) { return session.PutMetadataBatch(metadata); }));
  ASSIGN_OR_RETURN(const gms::CommittedLayout committed, memory_.Commit());
  hash_ = committed.hash;
  return Bind(metadata);
}

Status Weights::Find() {
  ASSIGN_OR_RETURN(const gms::AttachedLayout layout, memory_.OpenLayout());
  hash_ = layout.hash;
  return Bind(layout.metadata);
}

// Finds each tensor by its name and checks that it is the one this model has.
Status Weights::Bind(const std::vector<gms::MetadataItem>& metadata) {
  const std::vector<gms::Mapping> mappings = memory_.mappings();
  view_ = WeightsView{.shape = options_.shape};
  for (const Tensor& tensor : TensorsOf(options_.shape)) {
    const auto item = std::find_if(metadata.begin(), metadata.end(),
                                   [&](const auto& one) { return one.key == tensor.name; });
    if (item == metadata.end() || item->value != Description(tensor, options_.shape.width)) {
      return ConflictError(fmt::format(
          "the published weights are of another model: tensor {} of {} rows and {} columns is not "
          "among them; start this engine with the size and width of the model that is published, "
          "or "
          "on another server",
          tensor.name, tensor.rows, options_.shape.width));
    }
    const auto mapping = std::find_if(mappings.begin(), mappings.end(), [&](const auto& one) {
      return one.allocation_id == item->allocation_id;
    });
    CHECK(mapping != mappings.end());
    const std::span<const int8_t> bytes(
        reinterpret_cast<const int8_t*>(mapping->address +
                                        static_cast<uint64_t>(item->offset_bytes)),
        tensor.bytes);
    if (view_.embedding.empty()) {
      view_.embedding = bytes;
    } else {
      view_.layers.push_back(bytes);
    }
  }
  return Status::Ok();
}

Status Weights::Sleep() {
  RETURN_IF_ERROR(memory_.Sleep());
  awake_ = false;
  return Status::Ok();
}

Status Weights::Wake(const WaitLimit& limit) {
  ASSIGN_OR_RETURN(const gms::WakeReport report,
                   memory_.Wake({.lease = gms::LeaseRequest::kRo}, limit));
  static_cast<void>(report);
  awake_ = true;
  return Status::Ok();
}

}  // namespace hearth::engine
