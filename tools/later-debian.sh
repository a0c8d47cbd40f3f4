# Shell functions for tools that take programs from later Debian suites than this machine's: a private apt, made from this machine's own
# sources. The system's lists, cache and packages are left alone. Source it; whoever uses it has a directory $work of its own and a $log.

# This machine's sources with another suite: no host is named here, keys and proxies stay as they are.
later_debian_sources() {
	local suite=$1 file
	for file in /etc/apt/sources.list.d/*.sources; do
		[[ -f $file ]] || continue
		sed -E "s/^Suites:.*/Suites: $suite/" "$file" | awk 'BEGIN { RS = ""; ORS = "\n\n" } !/-security/'
	done
}

later_debian_one_line_sources() {
	[[ -f /etc/apt/sources.list ]] || return 0
	grep -E '^deb ' /etc/apt/sources.list | grep -v -e -security -e -updates -e -backports |
		sed -E "s#^(deb( +\[[^]]*\])? +[^ ]+) +[^ ]+ #\1 $1 #" | sort -u
}

# later_debian_apt COMMAND...: apt-get or apt-cache, for the suite that was asked last.
later_debian_apt() {
	local command=$1
	shift
	"$command" -o Dir::State="$work/state" -o Dir::State::lists="$work/lists" -o Dir::State::status="$work/state/status" \
		-o Dir::Cache="$work" -o Dir::Cache::archives="$work/archives" -o Dir::Etc::sourcelist="$work/etc/sources.list" \
		-o Dir::Etc::sourceparts="$work/etc/parts" -o Dir::Etc::preferencesparts=/dev/null -o APT::Sandbox::User=root \
		-o APT::Install-Recommends=false -o Acquire::Languages=none -o APT::Get::List-Cleanup=false -o Debug::NoLocking=true "$@"
}

# later_debian_newest PACKAGE SUITE: prints the version that the suite offers; fails when there is none.
later_debian_newest() {
	local package=$1 suite=$2
	rm -rf "$work/lists"
	mkdir -p "$work"/{lists,archives}/partial "$work"/{etc/parts,state}
	: >"$work/state/status"
	later_debian_sources "$suite" >"$work/etc/parts/private.sources"
	later_debian_one_line_sources "$suite" >"$work/etc/sources.list"
	later_debian_apt apt-get update >>"$log" 2>&1 || return 1
	later_debian_apt apt-cache policy "$package" 2>>"$log" | sed -n 's/^ *Candidate: //p' | grep -v '(none)'
}
