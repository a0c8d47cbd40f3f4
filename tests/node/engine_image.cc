#include "engine_image.h"

#include <initializer_list>

#include "base/testing/temp_directory.h"
#include "image_files.h"

namespace hearth::node {
namespace {

// The images have no Python: modules are our programs.
constexpr const char* kPython = R"(#!/bin/sh
if [ "$1" != -m ]; then
  echo "python3: this one only knows -m MODULE" >&2
  exit 2
fi
module=$2
shift 2
case $module in
  dynamo.vllm) exec engine "$@" ;;
  gpu_memory_service.cli.server) exec gms-server "$@" ;;
  gpu_memory_service.cli.snapshot.saver) exec gms-saver "$@" ;;
  gpu_memory_service.cli.snapshot.loader) exec gms-loader "$@" --linger ;;
esac
echo "python3: No module named $module" >&2
exit 1
)";
constexpr const char* kBash = "#!/bin/sh\nexec sh \"$@\"\n";

Status PutPrograms(const std::string& root, std::initializer_list<const char*> programs) {
  for (const char* const program : programs) {
    RETURN_IF_ERROR(PutProgram(root, program));
  }
  return Status::Ok();
}

}  // namespace

Status LoadEngineImage(KubeletRig& node, const std::string& name) {
  const TempDirectory root;
  RETURN_IF_ERROR(PutShell(root.path()));
  RETURN_IF_ERROR(PutScript(root.path(), "python3", kPython));
  RETURN_IF_ERROR(PutScript(root.path(), "bash", kBash));
  RETURN_IF_ERROR(PutPrograms(
      root.path(), {ENGINE_PROGRAM, GMS_SERVER_PROGRAM, GMS_SAVER_PROGRAM, GMS_LOADER_PROGRAM}));
  return node.LoadImage({.name = name,
                         .files = root.path(),
                         .command = {"/bin/sh"},
                         .environment = {"GMS_DEVICE_TYPE=host", "GMS_HOST_MEMORY=128Mi"}});
}

Status LoadMoversImage(KubeletRig& node, const std::string& name) {
  const TempDirectory root;
  RETURN_IF_ERROR(PutPrograms(root.path(), {GMS_SAVER_PROGRAM, GMS_LOADER_PROGRAM}));
  return node.LoadImage({.name = name, .files = root.path(), .command = {"/bin/gms-loader"}});
}

Status LoadInitImage(KubeletRig& node, const std::string& name) {
  const TempDirectory root;
  RETURN_IF_ERROR(PutPrograms(root.path(), {GROVE_INITC_PROGRAM}));
  return node.LoadImage({.name = name, .files = root.path(), .entrypoint = {"/bin/grove-initc"}});
}

}  // namespace hearth::node
