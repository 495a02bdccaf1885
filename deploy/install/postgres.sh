# shellcheck shell=bash
# Finding and installing the Postgres server. Sourced, never run.

# server_bindir prints the directory of the server to use: the newest one that
# has a fitting pgvector, else the newest that is new enough. Empty when there is
# none. adapters/postgres/local looks in the same places.
server_bindir() {
	local dir version best='' best_version=0 rank
	for dir in $(server_dirs); do
		if [ ! -x "$dir/initdb" ] || [ ! -x "$dir/postgres" ] || [ ! -x "$dir/pg_ctl" ]; then continue; fi
		version=$(server_major "$dir")
		[ "${version:-0}" -ge "$MIN_POSTGRES" ] || continue
		rank=$version
		if has_pgvector "$dir"; then rank=$((rank + 1000)); fi
		if [ "$rank" -gt "$best_version" ]; then
			best=$dir best_version=$rank
		fi
	done
	printf '%s' "$best"
}

server_dirs() {
	local dir file
	for dir in /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /opt/homebrew/opt/postgresql@*/bin /usr/local/opt/postgresql@*/bin; do
		[ ! -d "$dir" ] || printf '%s\n' "$dir"
	done
	if command -v pg_config >/dev/null; then
		pg_config --bindir 2>/dev/null || true
	fi
	if file=$(command -v initdb); then
		dirname "$file"
	fi
}

# server_major prints 15 for "postgres (PostgreSQL) 15.18 (Debian …)".
server_major() { "$1/postgres" --version 2>/dev/null | sed -n 's/^.*) \([0-9][0-9]*\).*$/\1/p'; }

# pgvector_version prints the version of the pgvector that belongs to a server.
pgvector_version() {
	local share
	share=$("$1/pg_config" --sharedir 2>/dev/null) || share=/usr/share/postgresql/$(server_major "$1")
	sed -n "s/^default_version *= *'\(.*\)'.*$/\1/p" "$share/extension/vector.control" 2>/dev/null || true
}

has_pgvector() { at_least "$(pgvector_version "$1")" "$MIN_PGVECTOR"; }

# apt_install runs apt without questions, and waits for another apt to finish.
apt_install() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -q \
		-o DPkg::Lock::Timeout=120 -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold \
		install --no-install-recommends "$@"
}

apt_update() { as_root apt-get -q -o DPkg::Lock::Timeout=120 update; }

# apt_candidate prints the version that apt would install, if any.
apt_candidate() { LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: *//p' | grep -v '(none)' || true; }

# distribution_major prints the major version that the package "postgresql" stands for.
distribution_major() {
	LC_ALL=C apt-cache depends postgresql 2>/dev/null | sed -n 's/^ *Depends: postgresql-\([0-9][0-9]*\)$/\1/p' | sort -n | tail -n 1
}

# install_server installs the distribution's server. Its package would also set up
# and start a server for the whole machine, which Footnote does not use: that is
# switched off for the length of the installation, and the setting put back after.
install_server() {
	local major
	major=$(distribution_major)
	[ -n "$major" ] || fail "this system offers no package 'postgresql'." \
		"Install PostgreSQL >= $MIN_POSTGRES and pgvector >= $MIN_PGVECTOR yourself, or set DATABASE_URL."
	[ "$major" -ge "$MIN_POSTGRES" ] || fail "this system offers PostgreSQL $major; Footnote needs $MIN_POSTGRES or newer." \
		"Use Debian 12 or Ubuntu 24.04 or newer, or set DATABASE_URL to a newer server."
	step "installing what PostgreSQL $major shares between versions" apt_install postgresql-common
	switch_off_main_cluster
	step "installing PostgreSQL $major" apt_install "postgresql-$major"
	restore_cluster_config
}

CLUSTER_CONFIG=/etc/postgresql-common/createcluster.conf
CLUSTER_CONFIG_COPY=

switch_off_main_cluster() {
	[ -f "$CLUSTER_CONFIG" ] || return 0
	cp -p "$CLUSTER_CONFIG" "$WORK/createcluster.conf"
	CLUSTER_CONFIG_COPY=$WORK/createcluster.conf
	{
		grep -v '^[[:space:]]*create_main_cluster' "$CLUSTER_CONFIG_COPY"
		echo 'create_main_cluster = false'
	} | as_root tee "$CLUSTER_CONFIG" >/dev/null
}

# restore_cluster_config also runs at exit, so that a failed installation leaves
# the setting as it was.
restore_cluster_config() {
	[ -n "$CLUSTER_CONFIG_COPY" ] || return 0
	as_root cp "$CLUSTER_CONFIG_COPY" "$CLUSTER_CONFIG"
	CLUSTER_CONFIG_COPY=
}
