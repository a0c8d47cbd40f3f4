// Schedulers that look at pods, or at PodGangs themselves.
#include "grove/scheduler/internal/backends.h"

namespace hearth::grove::internal {
namespace {

class PlainBackend : public Backend {
 public:
  PlainBackend(std::string_view name, bool schedules_gangs)
      : name_(name), schedules_gangs_(schedules_gangs) {}

  std::string_view name() const override { return name_; }
  bool schedules_gangs() const override { return schedules_gangs_; }
  void PreparePod(const CliqueFacts& /*clique*/, json::Value& pod) const override {
    pod["spec"].Set("schedulerName", name_);
  }

 private:
  std::string_view name_;
  bool schedules_gangs_;
};

}  // namespace

std::unique_ptr<Backend> MakeDefaultBackend() {
  return std::make_unique<PlainBackend>("default-scheduler", false);
}

std::unique_ptr<Backend> MakeLpxBackend() {
  return std::make_unique<PlainBackend>("lpx-scheduler", true);
}

}  // namespace hearth::grove::internal
