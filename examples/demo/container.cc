#include "container.h"

#include <fmt/format.h>
#include <sys/mount.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "base/process_runner.h"
#include "json/value.h"

namespace hearth::demo {
namespace {

namespace fs = std::filesystem;
using json::Value;

Status Run(std::vector<std::string> argv) {
  ProcessSpec spec;
  spec.argv = std::move(argv);
  ASSIGN_OR_RETURN(
      const ProcessOutcome done,
      RealProcessRunner().Run(spec, WaitLimit::For(RealClock(), std::chrono::minutes(1))));
  return done.ok() ? Status::Ok() : InternalError(fmt::format("{}: {}", spec.argv[0], done.errors));
}

Value Mount(const char* destination, const char* type, const Value& options = Value::Array()) {
  return Value::Object(
      {{"destination", destination}, {"type", type}, {"source", type}, {"options", options}});
}

Value Bind(const std::string& from, const std::string& to, const char* access) {
  return Value::Object({{"destination", to},
                        {"type", "bind"},
                        {"source", from},
                        {"options", Value::Array({"rbind", access})}});
}

// Folders of this machine that programs need; where they are links, the same links.
constexpr const char* kSystem[] = {"/usr", "/bin", "/sbin", "/lib", "/lib64"};

Value Mounts(const ContainerSpec& spec) {
  Value mounts = Value::Array(
      {Mount("/proc", "proc"), Mount("/dev", "tmpfs", Value::Array({"nosuid", "mode=755"})),
       Mount("/dev/pts", "devpts", Value::Array({"newinstance", "ptmxmode=0666"})),
       Mount("/dev/shm", "tmpfs", Value::Array({"nosuid", "nodev", "mode=1777"})),
       Mount("/sys", "sysfs", Value::Array({"ro"}))});
  for (const char* const folder : kSystem) {
    if (fs::is_directory(folder) && !fs::is_symlink(folder)) {
      mounts.Append(Bind(folder, folder, "ro"));
    }
  }
  for (const auto& [from, to] : spec.volumes) {
    mounts.Append(Bind(from, to, "rw"));
  }
  return mounts;
}

Value Configuration(const ContainerSpec& spec) {
  Value arguments = Value::Array();
  for (const std::string& argument : spec.argv) {
    arguments.Append(argument);
  }
  Value namespaces = Value::Array();
  for (const char* const type : {"pid", "network", "ipc", "uts", "mount"}) {
    namespaces.Append(Value::Object({{"type", type}}));
  }
  return Value::Object(
      {{"ociVersion", "1.0.2"},
       {"root", Value::Object({{"path", "rootfs"}})},
       {"hostname", spec.name},
       {"process", Value::Object({{"args", std::move(arguments)},
                                  {"cwd", "/"},
                                  {"user", Value::Object({{"uid", 0}, {"gid", 0}})},
                                  {"env", Value::Array({"PATH=/usr/sbin:/usr/bin:/sbin:/bin"})}})},
       {"mounts", Mounts(spec)},
       {"linux",
        Value::Object({{"namespaces", std::move(namespaces)},
                       {"cgroupsPath", "/hearth-demo-" + spec.name},
                       {"maskedPaths", Value::Array({"/proc/kcore", "/proc/keys", "/proc/acpi"})},
                       {"readonlyPaths", Value::Array({"/proc/sys", "/proc/bus"})}})}});
}

void MakeLower(const std::string& lower, const ContainerSpec& spec) {
  for (const char* const folder : {"proc", "sys", "dev", "tmp", "etc", "run", "var"}) {
    fs::create_directories(lower + "/" + folder);
  }
  for (const char* const folder : kSystem) {
    if (fs::is_symlink(folder)) {
      fs::copy_symlink(folder, lower + folder);
    } else if (fs::is_directory(folder)) {
      fs::create_directories(lower + folder);
    }
  }
  for (const auto& [from, to] : spec.volumes) {
    fs::create_directories(lower + to);
  }
}

}  // namespace

Result<Container> Container::Start(const ContainerSpec& spec, const std::string& runc_root) {
  const std::string& bundle = spec.directory;
  for (const char* const folder : {"lower", "rootfs", "upper", "work"}) {
    fs::create_directories(bundle + "/" + folder);
  }
  MakeLower(bundle + "/lower", spec);
  const std::string options =
      fmt::format("lowerdir={0}/lower,upperdir={0}/upper,workdir={0}/work", bundle);
  Container container;
  container.root_ = bundle + "/rootfs";
  if (::mount("overlay", container.root_.c_str(), "overlay", 0, options.c_str()) != 0) {
    return Status::FromErrno(errno, "mount the container's root; root is needed for that");
  }
  container.id_ = spec.name;
  container.runc_root_ = runc_root;
  container.log_ = bundle + "/log";
  std::ofstream(bundle + "/config.json") << Configuration(spec).WritePretty();
  // As under a kubelet, output leads out of the container through a pipe that somebody drains.
  RETURN_IF_ERROR(Run({"bash", "-c",
                       fmt::format("runc --root '{}' run --detach --bundle '{}' {} </dev/null > "
                                   ">(exec cat >'{}' 2>&1) 2>&1",
                                   runc_root, bundle, spec.name, container.log_)}));
  return container;
}

Container& Container::operator=(Container&& other) noexcept {
  if (this != &other) {
    Kill();
    runc_root_ = std::move(other.runc_root_);
    id_ = std::exchange(other.id_, "");
    root_ = std::exchange(other.root_, "");
    log_ = std::move(other.log_);
  }
  return *this;
}

void Container::Kill() {
  if (!id_.empty()) {
    static_cast<void>(Run({"runc", "--root", runc_root_, "delete", "--force", id_}));
    id_.clear();
  }
  if (!root_.empty()) {
    ::umount2(root_.c_str(), MNT_DETACH);
    root_.clear();
  }
}

}  // namespace hearth::demo
