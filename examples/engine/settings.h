#pragma once

#include <cstdint>
#include <string>

#include "base/options.h"
#include "model.h"

namespace hearth::engine {

// What the command line and the environment say. Operators say most of it by variables, which
// differ between the container that was captured and those that are restored from it: a restored
// engine reads its settings again (restore_context.h).
struct Settings {
  std::string listen;
  int64_t system_port = 0;
  std::string starting_health = "notready";
  std::string socket_dir;
  int64_t device = 0;
  std::string model;
  std::string load_format = "gms";
  int64_t master_port = 0;
  OptionTable::Bytes weights{64ULL << 20};
  int64_t width = 2048;
  int64_t seed = 1;
  std::string engine_id = "0";
  std::string failover_lock;
  std::string control_dir;
  bool standby = false;

  // Options whose values go here.
  OptionTable Table();
  // kInvalid: a usage error.
  Status Check() const;

  // Where to serve. Checked.
  std::string ListenUrl() const;
  // The engine that makes weights when there are none; all others wait for them.
  bool MakesWeights() const { return engine_id == "0"; }
  std::string ModelName() const;
  ModelShape Shape() const;
  // The weights' socket, by the device's number and not by its UUID: a restored engine may find
  // itself on another device.
  std::string WeightsSocket() const;
};

}  // namespace hearth::engine
