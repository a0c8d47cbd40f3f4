# Shell functions shared by ./test, ./bench and .ci/run. Source it; it changes nothing by itself.
# Set-up touches only the system's packages, this repository and ~/.cache/hearth, and says nothing when there is nothing to do.

HEARTH_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
HEARTH_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/hearth

HEARTH_BUILD_PACKAGES=(
  cmake ninja-build ccache g++ pkg-config
  libssl-dev libboost-dev libsimdjson-dev libyaml-dev libre2-dev libfmt-dev libspdlog-dev libcli11-dev
  libxxhash-dev libmsgpack-cxx-dev liburing-dev libprotobuf-dev protobuf-compiler libgrpc++-dev protobuf-compiler-grpc
  libarchive-dev zlib1g-dev libzstd-dev libgtest-dev libgmock-dev libbenchmark-dev
  python3 curl openssl ca-certificates runc containerd iptables
  iproute2 containernetworking-plugins busybox-static # a node with pods
  redis-tools # its redis-check-rdb is the server as well, and comes without a service that starts by itself
)
HEARTH_TEST_PACKAGES=(zsh fish) # shells that complete our commands
HEARTH_CHECK_PACKAGES=(clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev)

hearth_die() {
  echo "hearth: $*" >&2
  exit 1
}

hearth_as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    hearth_die "cannot install packages: not root and no sudo. As root, run: $*"
  fi
}

# hearth_packages NAME...: installs those that are missing.
hearth_packages() {
  local missing=() name
  for name in "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null | grep -qx installed || missing+=("$name")
  done
  [ ${#missing[@]} = 0 ] && return 0
  echo "hearth: installing ${missing[*]}" >&2
  mkdir -p "$HEARTH_CACHE"
  local log=$HEARTH_CACHE/apt.log
  {
    hearth_as_root apt-get update &&
      hearth_as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
  } >"$log" 2>&1 || hearth_die "installing ${missing[*]} failed; the end of $log: $(tail -n 3 "$log")"
}

hearth_setup_packages() { hearth_packages "${HEARTH_BUILD_PACKAGES[@]}"; }

# hearth_configure PRESET: once.
hearth_configure() {
  local preset=$1 dir=$HEARTH_ROOT/build/$1
  if [ ! -f "$dir/build.ninja" ]; then
    mkdir -p "$dir"
    (cd "$HEARTH_ROOT" && cmake --preset "$preset") >"$dir/configure.log" 2>&1 ||
      hearth_die "configuring $preset failed; the end of $dir/configure.log: $(tail -n 20 "$dir/configure.log")"
  fi
}

# hearth_build PRESET [TARGET...]: configures once, then builds; quiet unless it takes work.
hearth_build() {
  local preset=$1 dir=$HEARTH_ROOT/build/$1
  shift
  hearth_configure "$preset"
  ninja -C "$dir" "$@" >&2 || hearth_die "building $preset failed"
}

# Everything that tests take of Kubernetes.
HEARTH_KUBE_BINARIES=(kube-apiserver etcd kubectl kube-controller-manager kube-scheduler kubelet dra-example-kubeletplugin helm)

# hearth_kube_assets BINARY...: exports KUBEBUILDER_ASSETS for tests against a real API server. Without Go they are skipped, except where everything is required.
hearth_kube_assets() {
  local dir code=0
  dir=$("$HEARTH_ROOT/tools/kube-assets" "$@") || code=$?
  if [ $code = 0 ]; then
    export KUBEBUILDER_ASSETS=$dir
  elif [ $code != 3 ] || [ "${HEARTH_REQUIRE_ALL:-}" = 1 ]; then
    hearth_die "no Kubernetes to test against: tools/kube-assets failed"
  fi
}

# Names a CRIU for tests in HEARTH_CRIU. Like the Kubernetes above, it may be missing except in CI.
hearth_criu() {
  local dir code=0
  dir=$("$HEARTH_ROOT/tools/criu") || code=$?
  if [ $code = 0 ]; then
    export HEARTH_CRIU=$dir
  elif [ $code != 3 ] || [ "${HEARTH_REQUIRE_ALL:-}" = 1 ]; then
    hearth_die "no CRIU to test with: tools/criu failed"
  fi
}

# The same of a containerd that knows CDI, in HEARTH_CONTAINERD.
hearth_containerd() {
  local dir code=0
  dir=$("$HEARTH_ROOT/tools/containerd") || code=$?
  if [ $code = 0 ]; then
    export HEARTH_CONTAINERD=$dir
  elif [ $code != 3 ] || [ "${HEARTH_REQUIRE_ALL:-}" = 1 ]; then
    hearth_die "no containerd to test with: tools/containerd failed"
  fi
}
