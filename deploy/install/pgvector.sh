# shellcheck shell=bash
# Installing pgvector: the distribution's package where that is new enough, else
# built from the source package of a newer release. Sourced, never run.

# install_pgvector installs pgvector for the server in bindir $1.
install_pgvector() {
	local bin=$1 major package
	major=$(server_major "$bin")
	package=postgresql-$major-pgvector
	if at_least "$(apt_candidate "$package")" "$MIN_PGVECTOR"; then
		step "installing $package" apt_install "$package"
	else
		build_pgvector "$bin" "$major"
	fi
	has_pgvector "$bin" || fail "pgvector was installed, but PostgreSQL $major does not see version $MIN_PGVECTOR or newer of it." \
		"Found: '$(pgvector_version "$bin")' for $bin. The log: $LOG"
}

build_pgvector() {
	local bin=$1 major=$2
	has_compiler || step "installing a C compiler to build pgvector" apt_install gcc make libc6-dev
	mkdir -p "$WORK/pgvector"
	fetch_source
	step "unpacking the source of pgvector" tar -xf "$SOURCE" -C "$WORK/pgvector" --strip-components=1
	local include
	include=$("$bin/pg_config" --includedir-server)
	if [ ! -f "$include/postgres.h" ]; then
		step "fetching the headers of PostgreSQL $major" fetch_headers "$major"
		include=$WORK/headers$include
	fi
	# An empty OPTFLAGS replaces -march=native: the distance functions choose their
	# instructions at run time, and the disk may move to another processor.
	# Without LLVM bitcode the build needs no clang; Footnote runs with jit off.
	step "building pgvector" make -C "$WORK/pgvector" -j2 OPTFLAGS= with_llvm=no \
		PG_CONFIG="$bin/pg_config" PG_CPPFLAGS="-I$include"
	step "installing pgvector for PostgreSQL $major" as_root make -C "$WORK/pgvector" OPTFLAGS= with_llvm=no \
		PG_CONFIG="$bin/pg_config" install
}

# has_compiler: macOS keeps its headers elsewhere, and brings the compiler with make.
has_compiler() {
	command -v cc >/dev/null && command -v make >/dev/null && { [ -f /usr/include/stdio.h ] || [ "$(uname -s)" = Darwin ]; }
}

# fetch_headers unpacks the server's header files beside the source. Installing the
# -dev package instead would bring in clang and LLVM, some hundred megabytes that
# are not needed here.
fetch_headers() {
	local major=$1 version
	version=$(dpkg-query -W -f='${Version}' "postgresql-$major" 2>/dev/null) || version=
	mkdir -p "$WORK/headers"
	(
		cd "$WORK/headers" || exit 1
		apt-get -q download "postgresql-server-dev-$major${version:+=$version}" ||
			apt-get -q download "postgresql-server-dev-$major" || exit 1
		dpkg-deb -x postgresql-server-dev-*.deb .
	)
}

# SOURCE is the tar file of pgvector's source, set by fetch_source.
SOURCE=

# fetch_source finds a pgvector that is new enough in a newer release of the same
# distribution, on the mirror that this machine already uses. The package lists of
# that release live in WORK alone: the system's own apt configuration is not touched,
# and nothing but this one source is taken from it. apt verifies its signature.
fetch_source() {
	if [ -n "${PGVECTOR_SOURCE:-}" ]; then
		[ -r "$PGVECTOR_SOURCE" ] || fail "PGVECTOR_SOURCE names $PGVECTOR_SOURCE, which cannot be read."
		SOURCE=$PGVECTOR_SOURCE
		return
	fi
	local mirror suite
	mirror=$(mirror_address)
	[ -n "$mirror" ] || no_source "apt knows no mirror of $OS_ID's main archive."
	update_keyring
	for suite in $(newer_suites); do
		say "looking for pgvector >= $MIN_PGVECTOR in $suite"
		if fetch_from "$mirror" "$suite" >>"$LOG" 2>&1 </dev/null; then
			SOURCE=$(ls "$WORK/$suite"/pgvector_*.orig.tar.*[!c])
			return
		fi
	done
	tail -n 12 "$LOG" | sed 's/^/    /' >&2
	no_source "none of these releases could be used: $(newer_suites | tr '\n' ' ')"
}

no_source() {
	fail "$1" "pgvector >= $MIN_PGVECTOR has to come from elsewhere. One of these will do:" \
		"  - download its source archive and run: make deps PGVECTOR_SOURCE=/path/to/pgvector.tar.gz" \
		"  - install pgvector for this server in another way, then run 'make' again" \
		"  - set DATABASE_URL to a Postgres that has it" \
		"The log: $LOG"
}

# mirror_address prints the address from which apt gets this release's main component.
mirror_address() {
	# shellcheck disable=SC2016 # apt fills these in
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
		awk -v release="$OS_CODENAME" '$2 == release && $3 == "main" { print $1; exit }'
}

# newer_suites prints the releases to try, in order. A suite that has left the
# mirror, or whose pgvector is too old, is passed over.
newer_suites() {
	case $OS_ID in
	debian) printf '%s\n' trixie forky sid ;;
	ubuntu) printf '%s\n' resolute questing plucky ;;
	esac
}

keyring() { printf '/usr/share/keyrings/%s-archive-keyring.gpg' "$OS_ID"; }

# update_keyring brings the keys of newer releases; without them apt would rightly
# refuse the newer release's lists. Doing nothing costs nothing.
update_keyring() {
	local package
	case $OS_ID in
	debian) package=debian-archive-keyring ;;
	ubuntu) package=ubuntu-keyring ;;
	*) return ;;
	esac
	if [ ! -f "$(keyring)" ] || [ "$(apt_candidate $package)" != "$(dpkg-query -W -f='${Version}' $package 2>/dev/null)" ]; then
		step "updating the archive keys ($package)" apt_install $package
	fi
}

# fetch_from downloads the source package from one suite. It needs no root rights.
fetch_from() {
	local mirror=$1 suite=$2 dir=$WORK/$2 version
	local components=main
	[ "$OS_ID" != ubuntu ] || components='main universe'
	mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial"
	printf 'deb-src [signed-by=%s] %s %s %s\n' "$(keyring)" "$mirror" "$suite" "$components" >"$dir/sources.list"
	private_apt "$dir" -o APT::Update::Error-Mode=any update || return 1
	version=$(private_apt "$dir" --only-source --print-uris source pgvector | sed -n "s/^.*pgvector_\([0-9.]*\)-[^ ]*\.dsc .*$/\1/p")
	printf 'version in %s: %s\n' "$suite" "$version"
	at_least "$version" "$MIN_PGVECTOR" || return 1
	(cd "$dir" && private_apt "$dir" --only-source --download-only source pgvector)
}

# private_apt runs apt-get on the lists below $1, and on those alone.
private_apt() {
	local dir=$1
	shift
	apt-get -q -o Dir::Etc::sourcelist="$dir/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::State::lists="$dir/lists" -o Dir::Cache="$dir/cache" \
		-o Acquire::Languages=none -o Debug::NoLocking=true "$@"
}
