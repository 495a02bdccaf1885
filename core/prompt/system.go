package prompt

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/footnotehq/footnote/core/llm"
)

// timeFormat names the weekday, because "last Friday" needs it.
const timeFormat = "Monday, 2 January 2006, 15:04 MST"

var blankLines = regexp.MustCompile(`\n{3,}`)

// system is the system prompt of one step. What it says about tool use stands inside the tools section and nowhere else: models
// follow it there and overlook it elsewhere.
func (in Input) system() string {
	text := in.System
	if in.Agent.ReplaceSystem {
		text = in.Agent.Instructions
	} else if strings.TrimSpace(text) == "" {
		text = DefaultSystem()
	}
	now := ""
	if !in.Now.IsZero() {
		now = in.Now.Format(timeFormat)
	}
	text = section(text, "{{now}}", now, !in.Agent.ReplaceSystem, "Now: "+now+".")
	tools, citations := in.toolsSection(), ""
	if in.Citable {
		citations = template("citations")
	}
	text = section(text, "{{tools}}", tools, true, tools)
	text = section(text, "{{citations}}", citations, true, citations)
	if in.Agent.Grounding == Strict {
		text += "\n\n" + template("strict")
	}
	return strings.TrimSpace(blankLines.ReplaceAllString(text, "\n\n"))
}

// section puts a part where its placeholder stands, or to the end.
func section(text, placeholder, part string, appended bool, atEnd string) string {
	if strings.Contains(text, placeholder) {
		return strings.ReplaceAll(text, placeholder, part)
	}
	if !appended || part == "" {
		return text
	}
	return text + "\n\n" + atEnd
}

func (in Input) toolsSection() string {
	if len(in.Tools) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(template("tools"))
	for _, t := range in.Tools {
		fmt.Fprintf(&b, "\n\n## %s\n\n%s", t.Spec().Name, strings.TrimSpace(t.Guide()))
	}
	if !in.Model.NativeTools {
		b.WriteString("\n\n## Calling\n\n" + template("text_tools"))
		for _, t := range in.Tools {
			spec := t.Spec()
			fmt.Fprintf(&b, "\n\n%s: %s\n%s", spec.Name, spec.Description, spec.Parameters)
		}
	}
	return b.String()
}

// specs are what is sent beside the messages, and their text as it is counted.
func (in Input) specs() ([]llm.ToolSpec, string) {
	if !in.Model.NativeTools || len(in.Tools) == 0 {
		return nil, ""
	}
	var specs []llm.ToolSpec
	var b strings.Builder
	for _, t := range in.Tools {
		spec := t.Spec()
		specs = append(specs, spec)
		name, _ := json.Marshal(spec.Name) // strings always marshal
		text, _ := json.Marshal(spec.Description)
		fmt.Fprintf(&b, `{"type":"function","function":{"name":%s,"description":%s,"parameters":%s}}`, name, text, spec.Parameters)
	}
	return specs, b.String()
}

// reminder is the last message: the citation reminder once a search-like tool ran in this turn, what holds for this step alone, and the
// agent's own. A model that only quotes follows no instructions and would take the last message for the question.
func (in Input) reminder() string {
	if in.Model.Extractive {
		return ""
	}
	var parts []string
	if in.Citable {
		parts = append(parts, template("citation_reminder"))
	}
	if in.Last {
		parts = append(parts, template("no_calls"))
	}
	if in.Nudge != "" {
		parts = append(parts, template(string(in.Nudge)))
	}
	if r := strings.TrimSpace(in.Agent.Reminder); r != "" {
		parts = append(parts, r)
	}
	return strings.Join(parts, "\n\n")
}
