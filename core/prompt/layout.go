package prompt

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/tool"
)

type part struct {
	section budget.Section
	message llm.Message
	file    string // file of the newest message; empty: no such file
}

type layout struct {
	counter budget.Counter
	in      Input
	named   bool // several people speak: their names precede their text
	parts   []part
	notices []string
}

func newLayout(counter budget.Counter, in Input) *layout {
	l := &layout{counter: counter, in: in, named: severalPeople(in)}
	current := in.Question.Turn
	for _, m := range in.History {
		if m.Turn >= current {
			current = m.Turn + 1
		}
	}
	l.text(budget.System, 0, llm.System, in.system())
	if _, described := in.specs(); described != "" {
		l.text(budget.Tools, 0, llm.System, described)
	}
	l.history()
	l.text(budget.Agent, 0, llm.User, in.context())
	l.project()
	l.files(in.Question, current, true)
	l.user(in.Question, budget.User, current, true)
	for _, m := range paired(in.Steps) {
		l.step(m, current, m.Text)
	}
	l.text(budget.ToolCall, current, llm.Assistant, in.Partial)
	l.text(budget.Reminder, 0, llm.User, in.reminder())
	return l
}

func (l *layout) add(s budget.Section, m llm.Message) {
	l.parts = append(l.parts, part{section: s, message: m})
}

func (l *layout) text(kind budget.Kind, group int, role llm.Role, text string) {
	if text != "" {
		l.add(budget.Section{Kind: kind, Text: text, Group: group}, llm.Message{Role: role, Text: text})
	}
}

func (l *layout) history() {
	earlier := earlierNumbers(l.in.History)
	for _, m := range paired(l.in.History) {
		switch m.Role {
		case message.User, message.Task:
			l.files(m, m.Turn, false)
			l.user(m, budget.History, m.Turn, false)
		case message.Assistant:
			l.text(budget.History, m.Turn, llm.Assistant, said(m))
		case message.ToolCall, message.ToolResult:
			removed := RemovedResult()
			if list := earlier[m.Turn]; list != "" && m.Role == message.ToolResult {
				removed += "\n" + list
				delete(earlier, m.Turn)
			}
			l.step(m, m.Turn, removed)
		}
	}
}

const maxEarlier = 15

// earlierNumbers returns, for each earlier turn, a text that lists the documents of its answer.
// Each line has a document's number, title, heading and address. Cited documents come first.
func earlierNumbers(history []message.Message) map[int]string {
	lists := make(map[int]string)
	for _, m := range history {
		if m.Role != message.Assistant {
			continue
		}
		cited := make(map[int]bool)
		for _, c := range m.Citations {
			cited[c.ModelSees] = true
		}
		seen := make(map[int]bool)
		var lines, rest []string
		for _, r := range m.Documents {
			if r.Text == "" || seen[r.Number] {
				continue
			}
			seen[r.Number] = true
			line := fmt.Sprintf("[%d] %s", r.Number, strings.Join(strings.Fields(r.Document.Title), " "))
			if heading := strings.Join(strings.Fields(r.Heading), " "); heading != "" {
				line += " › " + heading
			}
			if link := r.Document.Link(r.Anchor); link != "" {
				line += ", " + link
			}
			if cited[r.Number] {
				lines = append(lines, line)
			} else {
				rest = append(rest, line)
			}
		}
		if lines = append(lines, rest...); len(lines) > 0 {
			lists[m.Turn] = "It held:\n" + strings.Join(lines[:min(len(lines), maxEarlier)], "\n")
		}
	}
	return lists
}

// stoppedHere marks the end of an answer that a person stopped, so that a model does not take the
// text for the whole answer.
const stoppedHere = "\n\n[A person stopped this answer here.]"

func said(m message.Message) string {
	if m.Stopped && m.Text != "" {
		return m.Text + stoppedHere
	}
	return m.Text
}

// project adds the files of the project to the prompt, all in one message.
func (l *layout) project() {
	var docs []tool.Document
	for _, p := range l.in.Project {
		if p.File.Failed != "" {
			l.notices = append(l.notices, failedFile(p.File))
			continue
		}
		doc := tool.Document{Number: p.Number, Title: p.File.Name, Metadata: tool.Metadata(p.File.Metadata), Contents: p.File.Text}
		if at := p.File.Document.UpdatedAt; !at.IsZero() {
			doc.Updated = at.Format(time.DateOnly)
		}
		docs = append(docs, doc)
	}
	if len(docs) > 0 {
		l.text(budget.Project, 0, llm.User, template("project")+"\n"+tool.DocumentsJSON(docs, ""))
	}
}

func (l *layout) files(m message.Message, group int, newest bool) {
	for _, f := range m.Files {
		switch {
		case f.Failed != "":
			if newest {
				l.notices = append(l.notices, failedFile(f))
			}
			l.text(budget.File, group, llm.User, fmt.Sprintf("File %q could not be included: %s", f.Name, f.Failed))
		case f.Image != nil:
			if !l.in.Model.Vision && newest {
				l.notices = append(l.notices, fmt.Sprintf("The model %s cannot see images, so %q was not looked at.", l.in.Model.Name, f.Name))
			}
		case f.Text == "":
			l.text(budget.File, group, llm.User, fmt.Sprintf("File %q holds no text that could be read. Do not guess what is in it.", f.Name))
		default:
			l.text(budget.File, group, llm.User, fmt.Sprintf("File: %s\n\n%s\n\nEnd of file: %s", f.Name, f.Text, f.Name))
			switch {
			case newest && f.IsCut():
				l.notices = append(l.notices, fmt.Sprintf("Only the beginning of the file %q was read: it has more text than is read with one question. Attach the part that matters.", f.Name))
			case newest:
				l.parts[len(l.parts)-1].file = f.Name
			}
		}
	}
}

func (l *layout) shortened(kept []budget.Kept) []string {
	whole := make(map[int]bool)
	for _, k := range kept {
		whole[k.Index] = !k.Trimmed
	}
	var notices []string
	for i, p := range l.parts {
		if p.file != "" && !whole[i] {
			notices = append(notices, fmt.Sprintf("The file %q is too long for the model to read at once, so this answer may rest on parts of it.", p.file))
		}
	}
	return notices
}

func failedFile(f message.File) string {
	return fmt.Sprintf("The file %q could not be included: %s", f.Name, f.Failed)
}

func (l *layout) user(m message.Message, kind budget.Kind, group int, newest bool) {
	text, fixed := m.Text, 0
	if author := oneLine(m.Author); l.named && author != "" {
		text = author + ": " + text
	}
	var images []llm.Image
	for _, f := range m.Files {
		if f.Image == nil || f.Failed != "" {
			continue
		}
		if l.in.Model.Vision {
			images = append(images, llm.Image{Media: f.Media, Data: f.Image})
			fixed += f.Tokens
			continue
		}
		text += fmt.Sprintf("\n\n[The image %q is attached, but you cannot see images. Say so if it matters.]", f.Name)
	}
	if text == "" && images == nil && !newest {
		return
	}
	l.add(budget.Section{Kind: kind, Text: text, Fixed: fixed, Group: group}, llm.Message{Role: llm.User, Text: text, Images: images})
}

// step adds the tool calls or the tool result in m to the prompt. result is the text to show for a
// tool result. If the model has no interface for tools, step writes calls and results as plain
// text.
func (l *layout) step(m message.Message, group int, result string) {
	if m.Role == message.ToolResult {
		s := budget.Section{Kind: budget.ToolResult, Text: result, Group: group}
		if l.in.Model.NativeTools {
			l.add(s, llm.Message{Role: llm.Tool, ToolCallID: m.CallID, Text: result})
			return
		}
		s.Text = "Result of the tool call:\n" + result
		l.add(s, llm.Message{Role: llm.User, Text: s.Text})
		return
	}
	if !l.in.Model.NativeTools {
		text := m.Text
		for _, c := range m.Calls {
			text += fmt.Sprintf("\n<tool_call>%s</tool_call>", callJSON(c))
		}
		text = strings.TrimSpace(text)
		l.add(budget.Section{Kind: budget.ToolCall, Text: text, Group: group}, llm.Message{Role: llm.Assistant, Text: text})
		return
	}
	fixed := 0
	var calls []llm.ToolCall
	for _, c := range m.Calls {
		calls = append(calls, llm.ToolCall{ID: c.ID, Name: c.Name, Arguments: string(c.Arguments)})
		fixed += l.counter.Count(callJSON(c)) + l.counter.Count(c.ID)
	}
	l.add(budget.Section{Kind: budget.ToolCall, Text: m.Text, Fixed: fixed, Group: group},
		llm.Message{Role: llm.Assistant, Text: m.Text, ToolCalls: calls})
}

func callJSON(c message.Call) string {
	name, _ := json.Marshal(c.Name) // strings always marshal
	return fmt.Sprintf(`{"name": %s, "arguments": %s}`, name, c.Arguments)
}

func severalPeople(in Input) bool {
	first := in.Question.Author
	for _, m := range in.History {
		if m.Role != message.User || m.Author == "" {
			continue
		}
		if first != "" && m.Author != first {
			return true
		}
		first = m.Author
	}
	return false
}

// oneLine reduces a display name to one line of at most 40 characters without colons, so that it
// cannot imitate other parts of the prompt.
func oneLine(name string) string {
	name = strings.Join(strings.Fields(strings.ReplaceAll(name, ":", " ")), " ")
	if runes := []rune(name); len(runes) > 40 {
		name = string(runes[:40])
	}
	return name
}
