// Package readfile implements the tool read_file, which reads the files of a conversation in parts.
// With it, a model can read files that do not fit into its window.
package readfile

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/tool"
)

// Name is the name by which models call the tool.
const Name = "read_file"

const maxRunes = 16_000

//go:embed description.md
var description string

//go:embed guide.md
var guide string

const parameters = `{"type":"object","properties":{"name":{"type":"string","description":"The file's name."},` +
	`"start":{"type":"integer","minimum":0,"description":"Where to begin; 0 is the beginning."},` +
	`"length":{"type":"integer","minimum":1,"description":"How many characters, at most 16000."}},"required":["name"]}`

// Tool implements the tool read_file. It is safe for concurrent use.
type Tool struct {
	counter budget.Counter
}

var (
	_ tool.Tool    = (*Tool)(nil)
	_ tool.Offerer = (*Tool)(nil)
)

// New returns the tool. It uses counter to fit results into the remaining tokens of a turn.
func New(counter budget.Counter) *Tool { return &Tool{counter: counter} }

// Spec implements tool.Tool.
func (t *Tool) Spec() llm.ToolSpec {
	return llm.ToolSpec{Name: Name, Description: strings.TrimSpace(description), Parameters: json.RawMessage(parameters)}
}

// Guide implements tool.Tool.
func (t *Tool) Guide() string { return strings.TrimSpace(guide) }

// Offered implements tool.Offerer. It returns true if the conversation has files to read.
func (t *Tool) Offered(scope tool.Scope) bool { return len(readableFiles(scope.Files)) > 0 }

// part is a part of a file, as the model reads it. Start, End and Total are in characters.
type part struct {
	// number under which the model cites the file; empty for files that people attached
	Number int    `json:"document,omitempty"`
	File   string `json:"file"`
	Start  int    `json:"start"`
	End    int    `json:"end"`
	Total  int    `json:"total"`
	Text   string `json:"text"`
}

// Run implements tool.Tool.
func (t *Tool) Run(_ context.Context, call tool.Call, emit *packet.Emitter) (tool.Result, error) {
	emit.Emit(packet.FileReaderStart{})
	var args struct {
		Name   string `json:"name"`
		Start  int    `json:"start"`
		Length int    `json:"length"`
	}
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return tool.Result{}, fmt.Errorf("parse the arguments: %w", err)
	}
	file, err := findFile(readableFiles(call.Scope.Files), args.Name)
	if err != nil {
		return tool.Result{}, err
	}
	text := []rune(file.Text)
	if args.Start < 0 || args.Start >= len(text) {
		return tool.Result{}, fmt.Errorf("%q has %d characters: begin between 0 and %d", file.Name, len(text), len(text)-1)
	}
	length := min(len(text)-args.Start, maxRunes)
	if args.Length > 0 {
		length = min(length, args.Length)
	}
	p := part{File: file.Name, Start: args.Start, Total: len(text)}
	ref := file.Document
	if ref.ID != "" && call.Scope.Citations != nil {
		p.Number = call.Scope.Citations.Add(cite.Source{Document: ref.ID, Title: ref.Title, URL: ref.URL, Kind: string(ref.Kind)})
	}
	for {
		p.End = p.Start + length
		p.Text = string(text[p.Start:p.End])
		size := t.counter.Count(p.Text)
		if call.Scope.Budget <= 0 || size <= call.Scope.Budget || length <= 1 {
			break
		}
		// The ratio of tokens to characters varies, so this may need a second round. Each round
		// shortens the text.
		length = max(1, min(length-1, length*call.Scope.Budget/size))
	}
	var content strings.Builder
	enc := json.NewEncoder(&content)
	enc.SetEscapeHTML(false) // escapes cost tokens
	if err := enc.Encode(p); err != nil {
		return tool.Result{}, fmt.Errorf("encode the result: %w", err)
	}
	emit.Emit(packet.FileReaderResult{Name: p.File, Start: p.Start, End: p.End, Total: p.Total})
	result := tool.Result{Content: strings.TrimSpace(content.String())}
	// the answer uses a document of the index, so its access is checked again
	if p.Number > 0 {
		result.References = []message.Reference{{Number: p.Number, Document: ref, Text: p.Text}}
		result.Citable, result.Evidence = true, true
	}
	return result, nil
}

// readableFiles returns the files with text, newest first. Of files with the same name, it returns
// the newest.
func readableFiles(files []message.File) []message.File {
	var out []message.File
	seen := make(map[string]bool)
	for i := len(files) - 1; i >= 0; i-- {
		f := files[i]
		if f.Text != "" && f.Failed == "" && !seen[f.Name] {
			seen[f.Name] = true
			out = append(out, f)
		}
	}
	return out
}

// findFile returns the file with a name, or else the only file whose name contains it. The text of
// the error lists all files.
func findFile(files []message.File, name string) (message.File, error) {
	var names []string
	var alike []message.File
	for _, f := range files {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
		if name != "" && strings.Contains(strings.ToLower(f.Name), strings.ToLower(name)) {
			alike = append(alike, f)
		}
	}
	if len(alike) == 1 {
		return alike[0], nil
	}
	return message.File{}, fmt.Errorf("there is no file %q; the files are: %s", name, strings.Join(names, ", "))
}
