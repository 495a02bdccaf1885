# shellcheck shell=bash
# The same on macOS, with Homebrew. Sourced, never run.

# install_with_homebrew installs everything; the formulas are all new enough.
install_with_homebrew() {
	local formulas=(postgresql@17 pgvector)
	[ "$1" = no ] || formulas+=(redis pgbouncer)
	command -v brew >/dev/null || fail "Homebrew is not installed, so nothing was installed." \
		"Install Homebrew, then run: brew install ${formulas[*]}"
	confirm "with Homebrew: ${formulas[*]}"
	open_work
	step "installing ${formulas[*]}" brew install "${formulas[@]}"
}
