// Package systemd writes the unit that runs footnote serve as a service.
package systemd

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/template"
)

// Unit describes the systemd service that runs footnote.
type Unit struct {
	Binary string // absolute path of the program
	// account that the service runs as; empty: the unit belongs to the user's own systemd
	User   string
	Data   string // writable folder of a user's unit; a system unit has /var/lib/footnote
	Memory string // value of MemoryMax, such as 2G or 80%
}

//go:embed unit.tmpl
var text string

var unit = template.Must(template.New("unit").Funcs(template.FuncMap{"quote": quote}).Parse(text))

// mark precedes a checksum of the other lines, which shows whether a unit file was edited.
const mark = "# footnote service install: "

// Text returns the content of the unit file. Its last line is a checksum, which [Untouched]
// verifies.
func (u Unit) Text() (string, error) {
	var b strings.Builder
	if err := unit.Execute(&b, u); err != nil {
		return "", fmt.Errorf("write the unit: %w", err)
	}
	return b.String() + mark + sum(b.String()) + "\n", nil
}

func sum(body string) string {
	s := sha256.Sum256([]byte(body))
	return hex.EncodeToString(s[:8])
}

// Untouched reports whether a unit file was not edited since this or an earlier version of Text
// wrote it.
func Untouched(file string) bool {
	body, found, ok := strings.Cut(file, mark)
	return ok && strings.TrimSpace(found) == sum(body)
}

// quote escapes %, which begins a specifier. It does not escape $, which begins a variable only in
// arguments.
func quote(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%").Replace(path) + `"`
}

// shared lists the unit-file keys that also apply to commands run by systemd-run.
var shared = []string{"User", "StateDirectory", "StateDirectoryMode", "CacheDirectory", "Environment", "WorkingDirectory", "EnvironmentFile"}

// RunArguments returns the arguments with which systemd-run runs a command as the service of a unit
// file would run: with its account, settings and folder. config is the user's configuration folder,
// or "" for a system unit.
func RunArguments(file, config, binary string, command []string) []string {
	args := []string{"--quiet", "--pipe", "--wait", "--collect"}
	if config != "" {
		args = append(args, "--user")
	}
	expand := strings.NewReplacer("%%", "%", "%E", config) // systemd-run expands nothing
	for line := range strings.Lines(file) {
		key, _, _ := strings.Cut(line, "=")
		if slices.Contains(shared, key) {
			args = append(args, "--property="+expand.Replace(strings.TrimSpace(line)))
		}
	}
	args = append(args, "--", binary)
	for _, word := range command {
		args = append(args, strings.ReplaceAll(word, "$", "$$")) // systemd expands $
	}
	return args
}

// Closed returns the first file or folder on the path to the program that u.User may not execute or
// enter. It returns "" if u.User may run the program.
func (u Unit) Closed() (string, error) {
	account, err := user.Lookup(u.User)
	if err != nil {
		account = &user.User{Uid: "-1", Gid: "-1"} // it is created later
	}
	if account.Uid == "0" {
		return "", nil
	}
	for place := u.Binary; ; place = filepath.Dir(place) {
		about, err := os.Stat(place)
		if err != nil {
			return "", fmt.Errorf("look whether %s can run the program: %w", u.User, err)
		}
		if about.Mode().Perm()&executable(about, account) == 0 {
			return place, nil
		}
		if place == filepath.Dir(place) {
			return "", nil
		}
	}
}

func executable(about fs.FileInfo, account *user.User) fs.FileMode {
	owner, ok := about.Sys().(*syscall.Stat_t)
	switch {
	case ok && strconv.FormatUint(uint64(owner.Uid), 10) == account.Uid:
		return 0o100
	case ok && strconv.FormatUint(uint64(owner.Gid), 10) == account.Gid:
		return 0o010
	}
	return 0o001
}
