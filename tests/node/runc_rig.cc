#include "runc_rig.h"

#include <fmt/format.h>
#include <sys/mount.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <utility>

#include "agent/container/oci_runtime.h"
#include "base/file_system.h"
#include "base/process_runner.h"
#include "json/value.h"

namespace hearth::node {
namespace {

namespace fs = std::filesystem;
using json::Value;

Value Mount(const char* destination, const char* type,
            const std::vector<const char*>& options = {}) {
  Value mount = Value::Object({{"destination", destination}, {"type", type}, {"source", type}});
  for (const char* const option : options) {
    mount["options"].Append(option);
  }
  return mount;
}

// Those that a container of a pod has when nobody says otherwise.
Value Capabilities(const RuncOptions& options) {
  Value names = Value::Array();
  for (const char* const name :
       {"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FSETID", "CAP_FOWNER", "CAP_MKNOD", "CAP_NET_RAW",
        "CAP_SETGID", "CAP_SETUID", "CAP_SETFCAP", "CAP_SETPCAP", "CAP_NET_BIND_SERVICE",
        "CAP_SYS_CHROOT", "CAP_KILL", "CAP_AUDIT_WRITE"}) {
    names.Append(name);
  }
  for (const char* const name : options.further_capabilities) {
    names.Append(name);
  }
  return Value::Object({{"bounding", names}, {"effective", names}, {"permitted", names}});
}

Value Bind(const std::string& from, const std::string& to, const char* access) {
  return Value::Object({{"destination", to},
                        {"type", "bind"},
                        {"source", from},
                        {"options", Value::Array({"rbind", access})}});
}

Value Namespaces(const RuncOptions& options) {
  Value namespaces = Value::Array();
  for (const char* const type : {"ipc", "uts", "mount"}) {
    namespaces.Append(Value::Object({{"type", type}}));
  }
  if (options.own_cgroups) {
    namespaces.Append(Value::Object({{"type", "cgroup"}}));
  }
  for (const auto& [type, path] :
       {std::pair("network", options.network), std::pair("pid", options.processes)}) {
    Value one = Value::Object({{"type", type}});
    if (!path.empty()) {
      one.Set("path", path);
    }
    namespaces.Append(std::move(one));
  }
  return namespaces;
}

Value Masked(const RuncOptions& options) {
  return options.unmasked ? Value::Array()
                          : Value::Array({"/proc/kcore", "/proc/keys", "/proc/acpi"});
}

// What programs of this machine need; links stay links.
constexpr const char* kSystemFolders[] = {"/usr", "/lib", "/lib64"};

void MakeSystemFolders(const std::string& root) {
  for (const char* const folder : kSystemFolders) {
    if (fs::is_symlink(root + folder) || !fs::exists(folder)) {
      continue;
    }
    if (fs::is_symlink(folder)) {
      fs::copy_symlink(folder, root + folder);
    } else {
      fs::create_directories(root + folder);
    }
  }
}

Value Mounts(const std::string& control, const RuncOptions& options) {
  Value mounts =
      Value::Array({Mount("/proc", "proc"), Mount("/dev", "tmpfs", {"nosuid", "mode=755"}),
                    Mount("/dev/pts", "devpts", {"newinstance", "ptmxmode=0666"}),
                    Mount("/dev/shm", "tmpfs", {"nosuid", "nodev", "mode=1777"}),
                    Mount("/sys", "sysfs", {"ro"}), Bind(control, "/snapshot-control", "rw")});
  for (const char* const folder : kSystemFolders) {
    if (options.system_programs && fs::is_directory(folder) && !fs::is_symlink(folder)) {
      mounts.Append(Bind(folder, folder, "ro"));
    }
  }
  return mounts;
}

Value Configuration(const std::vector<std::string>& argv, Value mounts, const std::string& name,
                    const std::string& cgroup, const RuncOptions& options) {
  Value arguments = Value::Array();
  for (const std::string& argument : argv) {
    arguments.Append(argument);
  }
  return Value::Object(
      {{"ociVersion", "1.0.2"},
       {"root", Value::Object({{"path", "rootfs"}})},
       {"hostname", name},
       {"process", Value::Object({{"args", std::move(arguments)},
                                  {"cwd", "/"},
                                  {"capabilities", Capabilities(options)},
                                  {"noNewPrivileges", options.no_new_privileges},
                                  {"user", Value::Object({{"uid", 0}, {"gid", 0}})},
                                  {"env", Value::Array({"PATH=/bin"})}})},
       {"mounts", std::move(mounts)},
       {"linux", Value::Object({{"namespaces", Namespaces(options)},
                                {"cgroupsPath", cgroup},
                                {"maskedPaths", Masked(options)},
                                {"readonlyPaths", Value::Array({"/proc/sys", "/proc/bus"})}})}});
}

}  // namespace

RuncRig::RuncRig()
    : runtime_(
          agent::MakeOciRuntime({.root = runc_root()}, RealProcessRunner(), RealFileSystem())) {}

RuncRig::~RuncRig() {
  for (const Started& container : std::exchange(started_, {})) {
    Kill(container);
  }
}

Result<ContainerRig::Started> RuncRig::Start(const std::string& name,
                                             const std::vector<std::string>& argv) {
  const std::string bundle = directory() / name;
  Started container{.id = name,
                    .upper = bundle + "/upper",
                    .control = bundle + "/control",
                    .socket = bundle + "/control/api.sock"};
  if (options_.system_programs) {
    MakeSystemFolders(root_files());
  }
  for (const char* const folder : {"rootfs", "upper", "work", "control"}) {
    fs::create_directories(bundle + "/" + folder);
  }
  const std::string options =
      fmt::format("lowerdir={},upperdir={},workdir={}/work", root_files(), container.upper, bundle);
  if (::mount("overlay", (bundle + "/rootfs").c_str(), "overlay", 0, options.c_str()) != 0) {
    return Status::FromErrno(errno, "mount the container's root");
  }
  started_.push_back(container);
  // Of this rig alone: whoever freezes a group freezes all that is in it.
  const std::string cgroup =
      fmt::format("/{}-{}", fs::path(directory().path()).filename().string(), name);
  std::ofstream(bundle + "/config.json")
      << Configuration(argv, Mounts(container.control, options_), name, cgroup, options_)
             .WritePretty();
  // As under a kubelet, output leads out of the container through a pipe that somebody drains.
  RETURN_IF_ERROR(Run(
      {"bash", "-c",
       fmt::format(
           "runc --root {} run --detach --bundle {} {} </dev/null > >(exec cat >{}/log 2>&1) 2>&1",
           runc_root(), bundle, name, bundle)}));
  return container;
}

void RuncRig::Kill(const Started& container) {
  (void)Run({"runc", "--root", runc_root(), "delete", "--force", container.id});
  ::umount2((directory() / container.id + "/rootfs").c_str(), MNT_DETACH);
}

}  // namespace hearth::node
