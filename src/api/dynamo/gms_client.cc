#include "api/dynamo/gms_client.h"

namespace hearth::api::dynamo {
namespace {

// A member of the common part, seen as one of T.
template <typename T, typename M>
M T::*In(M GmsClient::*member) {
  return member;
}

template <typename T>
std::vector<Field> ClientFields() {
  return {Field("image", In<T>(&GmsClient::image),
                "Image of the container. Absent: that of the workload's container."),
          Field("command", In<T>(&GmsClient::command), ListOf(String()).Atomic(),
                "The whole command line; replaces the default, nothing is put before or after it."),
          Field("envs", In<T>(&GmsClient::envs), ListOf(Kube("core.v1.EnvVar")).MapBy({"name"}),
                "Environment variables, merged by name over the defaults. GMS_SOCKET_DIR is the "
                "operator's and stays as it is."),
          Field("envFromSecret", In<T>(&GmsClient::env_from_secret),
                "Name of a Secret whose keys become environment variables."),
          Field("volumeMounts", In<T>(&GmsClient::volume_mounts),
                ListOf(Kube("core.v1.VolumeMount")).MapBy({"mountPath"}),
                "Further mounts. A path that the operator mounts itself is refused.")};
}

}  // namespace

const StructTable& GmsLoader::Fields() {
  static const StructTable table(
      "The container gms-loader, which brings GPU memory back into a pod that is restored.",
      ClientFields<GmsLoader>());
  return table;
}

const StructTable& GmsSaver::Fields() {
  static const StructTable table(
      "The container gms-saver, which saves GPU memory in a checkpoint Job.",
      ClientFields<GmsSaver>());
  return table;
}

const StructTable& GmsCheckpoint::Fields() {
  static const StructTable table(
      "The operator's own loader and saver of GPU memory. When this is set, be it empty, both are "
      "added.",
      {Field("loader", &GmsCheckpoint::loader,
             "Adjusts the container gms-loader of pods that are restored. Never part of pods that "
             "start cold."),
       Field("saver", &GmsCheckpoint::saver,
             "Adjusts the container gms-saver of the checkpoint Job. Copied to DynamoCheckpoints "
             "that are made automatically.")});
  return table;
}

}  // namespace hearth::api::dynamo
