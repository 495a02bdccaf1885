package prompt

import (
	"embed"
	"strings"
)

//go:embed templates/*.md
var templates embed.FS

// template returns an embedded text. The names are constants of this package, so a missing one is a mistake that every test finds.
func template(name string) string {
	text, err := templates.ReadFile("templates/" + name + ".md")
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(text))
}

// DefaultSystem is the system prompt that the product comes with. A stored one may hold the same placeholders, {{now}}, {{tools}} and
// {{citations}}; a part without a placeholder is put at the end.
func DefaultSystem() string { return template("system") }

// Placeholders are what a system prompt may hold in place of the parts that change from step to step.
func Placeholders() []string { return []string{"{{now}}", "{{tools}}", "{{citations}}"} }

// RemovedResult stands in place of the tool results of earlier turns.
func RemovedResult() string { return template("removed_result") }
