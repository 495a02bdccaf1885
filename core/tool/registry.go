package tool

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/llm"
)

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// Set is an ordered, immutable set of tools with distinct names. It is safe for concurrent use. The
// zero Set is empty.
type Set struct {
	tools []Tool
}

// NewSet returns a set of the tools. The model sees the tools in this order.
func NewSet(tools ...Tool) (Set, error) {
	seen := make(map[string]bool, len(tools))
	for _, t := range tools {
		name := t.Spec().Name
		if !toolName.MatchString(name) {
			return Set{}, fmt.Errorf("register tool %q: the name must have 1 to 64 letters, digits, _ or -", name)
		}
		if seen[name] {
			return Set{}, fmt.Errorf("register tool %q: the name is already used", name)
		}
		seen[name] = true
	}
	return Set{tools: slices.Clone(tools)}, nil
}

// Find returns the tool with a name, or nil. It ignores case and a namespace before the name,
// because models vary both.
func (s Set) Find(name string) Tool {
	if i := strings.LastIndexAny(name, ".:/"); i >= 0 {
		name = name[i+1:]
	}
	for _, t := range s.tools {
		if strings.EqualFold(t.Spec().Name, strings.TrimSpace(name)) {
			return t
		}
	}
	return nil
}

// Only returns the set of the named tools. Without names, it returns all tools. An unknown name is
// an error.
func (s Set) Only(names ...string) (Set, error) {
	if len(names) == 0 {
		return s, nil
	}
	var selected []Tool
	for _, name := range names {
		t := s.Find(name)
		if t == nil {
			return Set{}, fmt.Errorf("there is no tool %q: the tools are %s", name, s.list())
		}
		selected = append(selected, t)
	}
	return NewSet(selected...)
}

// For returns the tools that a turn offers ([Offerer]), with their descriptions for that turn
// ([Fitter]).
func (s Set) For(scope Scope) Set {
	var offered []Tool
	for _, t := range s.tools {
		if o, ok := t.(Offerer); ok && !o.Offered(scope) {
			continue
		}
		if f, ok := t.(Fitter); ok {
			t = f.Fit(scope)
		}
		offered = append(offered, t)
	}
	return Set{tools: offered}
}

// Len returns the number of tools.
func (s Set) Len() int { return len(s.tools) }

// Tools returns the tools in their order.
func (s Set) Tools() []Tool { return slices.Clone(s.tools) }

// Specs returns the descriptions of the tools for the model, in the order of the set.
func (s Set) Specs() []llm.ToolSpec {
	var specs []llm.ToolSpec
	for _, t := range s.tools {
		specs = append(specs, t.Spec())
	}
	return specs
}

func (s Set) list() string {
	if len(s.tools) == 0 {
		return "none"
	}
	var names []string
	for _, t := range s.tools {
		names = append(names, t.Spec().Name)
	}
	return strings.Join(names, ", ")
}
