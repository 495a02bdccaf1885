package index

import (
	_ "embed"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
)

// contextPrompts is the version of the prompts. A new version makes the model describe all
// documents again.
const contextPrompts = 1

//go:embed contextual.md
var contextInstructions string

// Limits of what the model reads and of its stored replies. They are in characters, except
// contextTokens and contextTimeout.
const (
	contextOpening = 12_000 // of a document, from its beginning
	contextEnding  = 2_000  // from its end
	contextAround  = 1_000  // of each neighbouring passage
	maxSummary     = 600
	maxPlace       = 400

	contextTokens  = 250
	contextTimeout = 20 * time.Second
)

func summaryRequest(d *document.Document, chunks []document.Chunk) llm.Request {
	var b strings.Builder
	for _, c := range chunks {
		b.WriteString(c.Words())
		b.WriteString(document.BlockSeparator)
	}
	return contextRequest("What is this document about? Answer in at most three sentences: its subject, what it is for, and the names of what it deals with.",
		fenced("title", d.Title), fenced("document", middleOut(b.String())))
}

func passageRequest(d *document.Document, summary string, chunks []document.Chunk, i int) llm.Request {
	parts := []string{fenced("title", d.Title), fenced("summary", summary)}
	if heading := strings.Join(chunks[i].Heading, " › "); heading != "" {
		parts = append(parts, fenced("headings", heading))
	}
	if i > 0 {
		runes := []rune(chunks[i-1].Words())
		parts = append(parts, fenced("before", string(runes[max(0, len(runes)-contextAround):])))
	}
	parts = append(parts, fenced("passage", chunks[i].Words()))
	if i+1 < len(chunks) {
		runes := []rune(chunks[i+1].Words())
		parts = append(parts, fenced("after", string(runes[:min(len(runes), contextAround)])))
	}
	return contextRequest("Where in the document does the passage stand, and what does it speak of? Answer in one or two sentences. "+
		"Name what it refers to without naming it.", parts...)
}

func contextRequest(question string, parts ...string) llm.Request {
	return llm.Request{MaxTokens: contextTokens, Messages: []llm.Message{
		{Role: llm.System, Text: strings.TrimSpace(contextInstructions)},
		{Role: llm.User, Text: strings.Join(parts, "\n") + "\n\n" + question},
	}}
}

// fenced encloses a text in tags. It replaces every "</" in the text, so that the text cannot close
// the tag.
func fenced(tag, text string) string {
	return "<" + tag + ">\n" + strings.ReplaceAll(text, "</", "< ") + "\n</" + tag + ">"
}

// middleOut replaces the middle of a long text with "[…]".
func middleOut(text string) string {
	runes := []rune(text)
	if len(runes) <= contextOpening+contextEnding {
		return text
	}
	return string(runes[:contextOpening]) + "\n[…]\n" + string(runes[len(runes)-contextEnding:])
}
