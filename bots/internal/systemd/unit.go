// Package systemd writes the unit that runs footnote serve as a service.
package systemd

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"strings"
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

// quote writes a path for a unit file. % begins a specifier there; $ begins a variable in arguments alone, and there are no paths in them.
func quote(path string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%").Replace(path) + `"`
}
