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

// Unit describes the service.
type Unit struct {
	Binary string // absolute path of the program
	User   string // whose account it runs as; empty: a unit of the user's own manager
	Data   string // the folder that a user's unit may write; a system's is /var/lib/footnote
	Memory string // as MemoryMax takes it, such as 2G or 80%
}

//go:embed unit.tmpl
var text string

var unit = template.Must(template.New("unit").Funcs(template.FuncMap{"quote": quote}).Parse(text))

// mark precedes the sum of a unit's other lines, which tells whether it was changed by hand.
const mark = "# footnote service install: "

// Text is the unit file.
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

// Untouched reports whether a unit file is as Text wrote it, in this version or another.
func Untouched(file string) bool {
	body, found, ok := strings.Cut(file, mark)
	return ok && strings.TrimSpace(found) == sum(body)
}

// quote writes a path for a unit file. % begins a specifier there; $ begins a variable in arguments
// alone, and there are no paths in them.
func quote(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%").Replace(path) + `"`
}

// shared are the keys of a unit that a command needs, too, to see what the service sees.
var shared = []string{"User", "StateDirectory", "StateDirectoryMode", "CacheDirectory", "Environment", "WorkingDirectory", "EnvironmentFile"}

// RunArguments are the arguments with which systemd-run starts a command as a unit file starts its
// service: as its account, with its settings, in its folder. config is the folder of a user's
// settings; empty for a unit of the system.
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
		args = append(args, strings.ReplaceAll(word, "$", "$$")) // systemd reads a variable there
	}
	return args
}

// Closed returns the folder, or the program itself, that keeps the account from running the
// program, as far as the modes of files tell; empty for none.
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

// executable is the bit that lets an account run a file or pass a folder.
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
