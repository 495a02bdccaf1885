package extract

import (
	_ "embed"
	"strings"

	"github.com/footnotehq/footnote/core/llm"
)

//go:embed instructions.md
var instructions string

const (
	longestPassage = 12_000 // characters of a passage that are read
	// ReplyTokens is the maximum length of a model's reply. Twenty relations and their entities
	// take about 1,500 tokens.
	ReplyTokens = 2_000
)

// Passage is a text that the model reads: a chunk of a document with its title and headings.
// Everyone who may read the chunk may read the title and headings.
type Passage struct {
	Title   string
	Heading []string
	Text    string
}

// fullText puts the title and headings above the text, so that names in them count as names in the
// passage.
func (p Passage) fullText() string {
	var lines []string
	for _, line := range append([]string{p.Title}, p.Heading...) {
		if line = strings.TrimSpace(line); line != "" && (len(lines) == 0 || lines[len(lines)-1] != line) {
			lines = append(lines, line)
		}
	}
	text := p.Text
	if runes := []rune(text); len(runes) > longestPassage {
		text = string(runes[:longestPassage])
	}
	return strings.Join(append(lines, "", text), "\n")
}

// request returns the model request for a passage. It replaces every "</" in the passage, so that
// the passage cannot close the tag around it.
func (s Schema) request(passage string) llm.Request {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(instructions))
	list := func(heading string, types []Type) {
		b.WriteString("\n\n" + heading + "\n")
		for _, t := range types {
			b.WriteString("\n- " + t.Name + ": " + t.Means)
		}
	}
	list("Types of entities:", s.Entities)
	list("Relations, which read from subject to object:", s.Relations)
	if s.Notes != "" {
		b.WriteString("\n\n" + s.Notes)
	}
	return llm.Request{MaxTokens: ReplyTokens, Messages: []llm.Message{
		{Role: llm.System, Text: b.String()},
		{Role: llm.User, Text: "<passage>\n" + strings.ReplaceAll(passage, "</", "< ") + "\n</passage>\n\nWhat does the passage state?"},
	}}
}
