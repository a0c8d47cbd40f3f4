#include "settings.h"

#include <fmt/format.h>

#include "gms/protocol/socket_path.h"
#include "net/endpoint.h"

namespace hearth::engine {
namespace {

void AddServing(Settings& settings, OptionTable& table) {
  table.Add({.name = "listen",
             .help = "Where to serve HTTP; when not given, the system port at all addresses, "
                     "otherwise http://127.0.0.1:8000",
             .target = &settings.listen,
             .value_name = "URL"});
  table.Add({.name = "system-port",
             .help = "Port at which operators ask for health",
             .target = &settings.system_port,
             .environment = "DYN_SYSTEM_PORT",
             .check = Between(0, 65535)});
  table.Add({.name = "starting-health",
             .help = "What /health says before the engine can serve or take over",
             .target = &settings.starting_health,
             .environment = "DYN_SYSTEM_STARTING_HEALTH_STATUS",
             .choices = {"ready", "notready"}});
}

void AddModel(Settings& settings, OptionTable& table) {
  table.Add({.name = "model",
             .help = "Name of the model, for metrics; the seed when not given",
             .target = &settings.model,
             .value_name = "NAME"});
  table.Add({.name = "load-format",
             .help = "Where weights come from: the memory service",
             .target = &settings.load_format,
             .choices = {"gms"}});
  table.Add({.name = "weights",
             .help = "At least so many bytes of weights",
             .target = &settings.weights});
  table.Add({.name = "width",
             .help = "Width of a layer, a multiple of 64",
             .target = &settings.width,
             .check = Between(64, 16384)});
  table.Add({.name = "seed",
             .help = "Which model: the same seed gives the same weights",
             .target = &settings.seed});
  table.Add({.name = "master-port",
             .help = "Taken from operators that give engines of a pod different ones; this engine "
                     "runs on one node and has no such port",
             .target = &settings.master_port,
             .check = Between(0, 65535)});
}

void AddMemory(Settings& settings, OptionTable& table) {
  table.Add({.name = "socket-dir",
             .help = "Directory of the memory service's sockets; TMPDIR or /tmp when not given",
             .target = &settings.socket_dir,
             .environment = "GMS_SOCKET_DIR",
             .value_name = "DIR"});
  table.Add({.name = "device",
             .help = "Number of the device",
             .target = &settings.device,
             .check = Between(0, 255)});
}

void AddFailover(Settings& settings, OptionTable& table) {
  table.Add({.name = "engine-id",
             .help = "Who this is among the engines of a group; all but 0 wait for weights and "
                     "never make them",
             .target = &settings.engine_id,
             .environment = "ENGINE_ID"});
  table.Add({.name = "failover-lock",
             .help = "File whose lock decides which engine of a group serves; the others sleep and "
                     "wait for it",
             .target = &settings.failover_lock,
             .environment = "FAILOVER_LOCK_PATH",
             .value_name = "file"});
}

void AddSnapshots(Settings& settings, OptionTable& table) {
  table.Add({.name = "control-dir",
             .help = "Directory in which capture and restore are announced; the engine is then "
                     "captured before it serves",
             .target = &settings.control_dir,
             .environment = "DYN_SNAPSHOT_CONTROL_DIR",
             .value_name = "DIR"});
  table.Add({.name = "restore-standby",
             .help = "Load nothing and wait in the control directory: a captured engine is "
                     "restored into this container",
             .target = &settings.standby,
             .environment = "DYN_SNAPSHOT_RESTORE_STANDBY"});
}

}  // namespace

OptionTable Settings::Table() {
  OptionTable table("engine",
                    "Serves a small language model whose weights live in the GPU memory service.");
  AddServing(*this, table);
  AddMemory(*this, table);
  AddModel(*this, table);
  AddFailover(*this, table);
  AddSnapshots(*this, table);
  table.AddNotes(
      "Routes: POST /v1/completions {\"prompt\": \"...\", \"max_tokens\": 8}, GET /state, POST "
      "/sleep, POST /wake,\n"
      "GET /live, GET /health, GET /healthz, GET /metrics with a failover lock.\n"
      "Exit codes: 0 told to stop, or captured; 1 failed; 2 wrong usage. In standby: those of the "
      "restored engine.");
  return table;
}

Status Settings::Check() const {
  RETURN_IF_ERROR(net::Endpoint::ParseUrl(ListenUrl()));
  if (width % 64 != 0) {
    return InvalidError("--width wants a multiple of 64");
  }
  if (standby && control_dir.empty()) {
    return InvalidError("--restore-standby wants a --control-dir to wait in");
  }
  return Status::Ok();
}

std::string Settings::ListenUrl() const {
  if (!listen.empty()) {
    return listen;
  }
  return system_port > 0 ? fmt::format("http://0.0.0.0:{}", system_port) : "http://127.0.0.1:8000";
}

std::string Settings::ModelName() const {
  return model.empty() ? fmt::format("seed-{}", seed) : model;
}

ModelShape Settings::Shape() const {
  return ModelShape::OfSize(weights.value, static_cast<int>(width));
}

std::string Settings::WeightsSocket() const {
  const std::string directory =
      socket_dir.empty() ? gms::SocketDirectory(gms::ProcessEnvironment()) : socket_dir;
  return gms::OrdinalSocketPath(directory, static_cast<int>(device), gms::kWeightsTag);
}

}  // namespace hearth::engine
