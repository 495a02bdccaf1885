package prompt

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/plural"
)

// dayFormat includes the weekday, which "last Friday" needs. It excludes the hour, so that all
// prompts of a day begin with the same text.
const dayFormat = "Monday, 2 January 2006"

var blankLines = regexp.MustCompile(`\n{3,}`)

// system returns the system prompt. It is the same in each step and for each person, so that a
// provider can cache it.
func (in Input) system() string {
	text := in.System
	if in.Agent.ReplaceSystem {
		text = in.Agent.Instructions
	} else if strings.TrimSpace(text) == "" {
		text = DefaultSystem()
	}
	text = strings.ReplaceAll(text, "{{now}}", in.day())
	tools, citations := in.toolsSection(), ""
	if in.Citable || len(in.Tools) > 0 {
		citations = template("citations")
	}
	text = section(text, "{{tools}}", tools)
	text = section(text, "{{citations}}", citations)
	if in.Agent.Grounding == Strict {
		text += "\n\n" + template("strict")
	}
	return strings.TrimSpace(blankLines.ReplaceAllString(text, "\n\n"))
}

func section(text, placeholder, part string) string {
	if strings.Contains(text, placeholder) {
		return strings.ReplaceAll(text, placeholder, part)
	}
	if part == "" {
		return text
	}
	return text + "\n\n" + part
}

func (in Input) day() string {
	if in.Now.IsZero() {
		return ""
	}
	return in.Now.Format(dayFormat)
}

func (in Input) context() string {
	var parts []string
	if !in.Agent.ReplaceSystem {
		parts = append(parts, strings.TrimSpace(in.Agent.Instructions))
	}
	if !in.Model.Extractive {
		parts = append(parts, in.Circumstances())
	}
	return joined(parts...)
}

func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "\n\n")
}

// Circumstances returns when, where and by whom the question was asked, and which sources can be
// searched. It returns "" if none of these is known.
func (in Input) Circumstances() string { return joined(in.asked(), in.searchable()) }

func (in Input) asked() string {
	var lines []string
	say := func(name, value string) {
		if value = oneLine(value); value != "" {
			lines = append(lines, name+": "+value)
		}
	}
	say("Date", in.day())
	say("Asked by", in.Question.Author)
	say("Asked in", in.Place)
	return strings.Join(lines, "\n")
}

const maxSources = 30

// searchable returns a list of the sources that a search covers, or "" if nothing can be searched.
func (in Input) searchable() string {
	if len(in.Sources) == 0 || len(in.Tools) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("What can be searched:")
	for i, s := range in.Sources {
		if i == maxSources {
			b.WriteString("\n- and " + plural.Count(len(in.Sources)-i, "more source"))
			break
		}
		fmt.Fprintf(&b, "\n- %s (%s): %s", oneLine(s.Name), oneLine(s.Kind), plural.Count(s.Documents, "document"))
		if !s.Newest.IsZero() {
			b.WriteString(", the newest of " + s.Newest.Format(time.DateOnly))
		}
	}
	return b.String()
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

// reminder returns the last message of the prompt. It returns "" for an extractive model, which
// quotes passages and would read the message as the question.
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
