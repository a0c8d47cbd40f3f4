# Images made from files of this machine: no engine, registry or network. Source it with `work` set to an empty directory and `die` defined.
# The same files give the same image.

files=$work/files
mkdir -p "$files"/{etc,proc,sys,dev,run,var,tmp,usr/{bin,sbin,lib,lib64}}
chmod 1777 "$files/tmp"
# As Debian has it: libraries are found under either name.
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$files/$folder"; done

# A file at the place where it is here; under the name that is asked for, too, when that is a link.
add() {
  local real asked
  real=$(realpath "$1")
  asked=$(realpath "$(dirname "$1")")/$(basename "$1")
  [ -e "$files$real" ] || install -D -m "$(stat -c %a "$real")" "$real" "$files$real"
  [ "$asked" = "$real" ] || { mkdir -p "$files$(dirname "$asked")" && ln -sf "$real" "$files$asked"; }
}
# Libraries that a program or another library asks for.
add_libraries() {
  local library
  for library in $(ldd "$@" 2>/dev/null | grep -o '/[^ )]*' | grep -v ':$' | sort -u); do add "$library"; done
}
# add_program BUILD NAME: one of ours, without what only debuggers read, and its libraries.
add_program() {
  local from
  from=$(find "$1/apps" "$1" -maxdepth 1 -type f -name "$2" -print -quit 2>/dev/null)
  [ -n "$from" ] || die "$2 is not in $1: build it first"
  objcopy --strip-debug "$from" "$files/usr/bin/$2"
  add_libraries "$from"
}

digest() { sha256sum "$1" | cut -d ' ' -f 1; }
size() { stat -c %s "$1"; }
blobs=$work/image/blobs/sha256
mkdir -p "$blobs"
# Moves a file to where its content says; prints its descriptor.
store() {
  local sum bytes
  sum=$(digest "$2") bytes=$(size "$2")
  mv "$2" "$blobs/$sum"
  printf '{"mediaType":"application/vnd.oci.image.%s","digest":"sha256:%s","size":%d' "$1" "$sum" "$bytes"
}

# write_image NAME PROGRAM OUTPUT: what was added, as an OCI archive that runs the program unless told otherwise.
write_image() {
  local name=$1 program=$2 output=$3 whole layer arch config manifest
  local steady=(--sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner)
  tar -C "$files" "${steady[@]}" -cf "$work/layer.tar" .
  whole=$(digest "$work/layer.tar")
  gzip -n1 "$work/layer.tar"
  layer=$(store layer.v1.tar+gzip "$work/layer.tar.gz")
  arch=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')
  printf '{"architecture":"%s","os":"linux","config":{"Cmd":["%s"],"Env":["PATH=/usr/sbin:/usr/bin"]},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' \
    "$arch" "$program" "$whole" >"$work/config"
  config=$(store config.v1+json "$work/config")
  printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":%s},"layers":[%s}]}' \
    "$config" "$layer" >"$work/manifest"
  manifest=$(store manifest.v1+json "$work/manifest")
  printf '{"schemaVersion":2,"manifests":[%s,"platform":{"architecture":"%s","os":"linux"},"annotations":{"io.containerd.image.name":"%s","org.opencontainers.image.ref.name":"%s"}}]}' \
    "$manifest" "$arch" "$name" "${name##*:}" >"$work/image/index.json"
  printf '{"imageLayoutVersion":"1.0.0"}' >"$work/image/oci-layout"
  tar -C "$work/image" "${steady[@]}" -cf "$output" .
  echo "$output: $name, $(($(size "$output") >> 20)) MiB"
}
