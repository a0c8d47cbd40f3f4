#include "model.h"

#include <gtest/gtest.h>

namespace hearth::engine {
namespace {

struct OwnedModel {
  explicit OwnedModel(uint64_t seed) : embedding(shape.embedding_bytes()) {
    MakeTensor(seed, "embedding.weight", shape.width, embedding);
    view = {.shape = shape, .embedding = embedding};
    for (int i = 0; i < shape.layers; ++i) {
      layers.emplace_back(shape.layer_bytes());
      MakeTensor(seed, "layers." + std::to_string(i), shape.width, layers.back());
    }
    for (const auto& layer : layers) {
      view.layers.emplace_back(layer);
    }
  }
  std::string Say(std::string_view prompt) const {
    return Generate(view, Calibrate(view), prompt, 16);
  }

  ModelShape shape{.layers = 3, .width = 128};
  std::vector<int8_t> embedding;
  std::vector<std::vector<int8_t>> layers;
  WeightsView view;
};

TEST(Model, SameSeedGivesTheSameAnswer) {
  EXPECT_EQ(OwnedModel(7).Say("hello"), OwnedModel(7).Say("hello"));
}

TEST(Model, AnswersDependOnPromptAndWeights) {
  const OwnedModel model(7);
  EXPECT_NE(model.Say("hello"), model.Say("good bye"));
  EXPECT_NE(model.Say("hello"), OwnedModel(8).Say("hello"));
}

TEST(Model, AChangedLayerChangesTheAnswer) {
  OwnedModel model(7);
  const std::string before = model.Say("hello");
  for (int8_t& weight : model.layers[1]) {
    weight = static_cast<int8_t>(-weight);
  }
  EXPECT_NE(model.Say("hello"), before);
}

TEST(Model, SizeIsRoundedUpToWholeLayers) {
  const ModelShape shape = ModelShape::OfSize(1 << 20, 256);
  EXPECT_GE(shape.total_bytes(), size_t{1} << 20);
  EXPECT_LT(shape.total_bytes() - shape.layer_bytes(), size_t{1} << 20);
  EXPECT_EQ(ModelShape::OfSize(0, 256).layers, 1);
}

}  // namespace
}  // namespace hearth::engine
