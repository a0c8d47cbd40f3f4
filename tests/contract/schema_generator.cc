#include "base/random.h"
#include "schema_rig.h"

namespace hearth::schema {
namespace {

using json::Value;

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  Value Damaged(const Value& good) {
    Value object = good;
    for (uint64_t i = 0; i <= random_.Below(3); ++i) {
      Damage(Pick(object["spec"]));
    }
    return object;
  }

 private:
  // Some value of the tree, deep ones as likely as those above them.
  Value& Pick(Value& value) {
    std::vector<Value*> all;
    Collect(value, all);
    return *all[random_.Below(all.size())];
  }
  static void Collect(Value& value, std::vector<Value*>& all) {
    all.push_back(&value);
    if (value.IsArray()) {
      for (Value& item : value.items()) {
        Collect(item, all);
      }
    } else if (value.IsObject()) {
      for (auto& member : value.members()) {
        Collect(member.second, all);
      }
    }
  }

  void Damage(Value& value) {
    switch (random_.Below(6)) {
      case 0:
        value = Odd();
        break;
      case 1:
        value = nullptr;
        break;
      case 2:
        Grow(value);
        break;
      case 3:
        Shrink(value);
        break;
      case 4:
        value = random_.Below(2) == 0 ? Value::Array({value}) : Value::Object({{"nested", value}});
        break;
      default:
        Replace(value);
        break;
    }
  }

  Value Odd() {
    static const std::vector<Value> kOdd = {"",
                                            "x",
                                            "abcdefghij",
                                            "red",
                                            "5m",
                                            "2026-01-01",
                                            "10.0.0.1",
                                            "80%",
                                            "\n",
                                            0,
                                            1,
                                            -1,
                                            5,
                                            100,
                                            65,
                                            int64_t{9007199254740993},
                                            Value(Value::Number{"9223372036854775808"}),
                                            Value(Value::Number{"1.0"}),
                                            Value(Value::Number{"1.5"}),
                                            Value(Value::Number{"-0.5"}),
                                            Value(Value::Number{"1e30"}),
                                            true,
                                            false,
                                            Value::Array(),
                                            Value::Object(),
                                            Value::Array({1, 1}),
                                            Value::Array({"a", "a"}),
                                            Value::Array({nullptr}),
                                            Value::Object({{"a", 1}}),
                                            Value::Object({{"name", "a"}, {"b", nullptr}})};
    return kOdd[random_.Below(kOdd.size())];
  }

  void Grow(Value& value) {
    if (value.IsArray()) {
      const bool twice = !value.items().empty() && random_.Below(2) == 0;
      value.Append(twice ? Value(value.items()[random_.Below(value.items().size())]) : Odd());
    } else if (value.IsObject()) {
      static const char* kNames[] = {"extra", "a", "b", "name", "x.y/z", "apiVersion", "metadata"};
      value.Set(kNames[random_.Below(7)], Odd());
    } else if (value.IsString()) {
      value = value.string() + value.string() + "z";
    } else if (value.Int()) {
      value = *value.Int() * 10 + 1;
    }
  }

  void Shrink(Value& value) {
    if (value.IsArray() && !value.items().empty()) {
      value.items().pop_back();
    } else if (value.IsObject() && !value.members().empty()) {
      value.members().erase(value.members().begin() +
                            static_cast<long>(random_.Below(value.members().size())));
    } else if (value.IsString()) {
      size_t half = value.string().size() / 2;
      while (half > 0 && (static_cast<unsigned char>(value.string()[half]) & 0xC0) == 0x80) {
        --half;
      }
      value = value.string().substr(0, half);
    }
  }

  // One value of an object or a list takes the place of another.
  void Replace(Value& value) {
    const Value copy = Pick(value);
    Pick(value) = copy;
  }

  Random random_;
};

}  // namespace

std::vector<Value> Generate(const std::vector<Value>& good, uint64_t seed, int count) {
  Generator generator(seed);
  std::vector<Value> objects;
  for (int i = 0; i < count; ++i) {
    objects.push_back(generator.Damaged(good[static_cast<size_t>(i) % good.size()]));
  }
  return objects;
}

}  // namespace hearth::schema
