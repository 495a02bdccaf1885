package extractive

import (
	"encoding/json"
	"strings"

	"github.com/footnotehq/footnote/core/llm"
)

// turn is what a request holds of the question that is being answered.
type turn struct {
	question string
	before   string   // the question before it
	queries  []string // what the searches of this turn looked for beside the question
	searched bool     // a tool has answered in this turn
	passages []passage
}

// passage is one found document.
type passage struct {
	Number  int    `json:"document"`
	Title   string `json:"title"`
	Heading string `json:"heading"`
	Match   string `json:"match"`
	Text    string `json:"contents"`
	rank    int    // its place in the result that it came with, from 0: the best first
}

// readTurn finds the newest question and the documents that came with it or after it. Earlier turns end with an answer.
func readTurn(messages []llm.Message) turn {
	start := 0
	for i, m := range messages {
		if m.Role == llm.Assistant && len(m.ToolCalls) == 0 {
			start = i + 1
		}
	}
	var t turn
	for _, m := range messages[:start] {
		if m.Role == llm.User && strings.TrimSpace(m.Text) != "" && len(readDocuments(m.Text)) == 0 {
			t.before = m.Text
		}
	}
	calling := false
	seen := map[string]bool{}
	for _, m := range messages[start:] {
		switch m.Role {
		case llm.User:
			// Project documents stand before the question, reminders behind the calls.
			if docs := readDocuments(m.Text); len(docs) > 0 {
				t.add(docs, seen)
			} else if text := strings.TrimSpace(m.Text); text != "" && !calling {
				t.question = text
			}
		case llm.Assistant:
			calling = true
			for _, call := range m.ToolCalls {
				t.queries = append(t.queries, readQueries(call)...)
			}
		case llm.Tool:
			t.searched = true
			t.add(readDocuments(m.Text), seen)
		case llm.System:
		}
	}
	return t
}

// loose marks a passage that the search found without matching the question closely. A model that reads can judge whether it answers; whoever
// chooses sentences by their words would quote something that merely shares some.
const loose = "loose"

// add keeps passages that can be cited, each once: two searches often find the same.
func (t *turn) add(docs []passage, seen map[string]bool) {
	for _, p := range docs {
		if p.Number > 0 && p.Match != loose && strings.TrimSpace(p.Text) != "" && !seen[p.Text] {
			seen[p.Text] = true
			t.passages = append(t.passages, p)
		}
	}
}

func readQueries(call llm.ToolCall) []string {
	var arguments struct {
		Queries []string `json:"queries"`
	}
	if call.Name != SearchTool || json.Unmarshal([]byte(call.Arguments), &arguments) != nil {
		return nil
	}
	return arguments.Queries
}

// documentsMark begins the JSON form in which models are given documents.
const documentsMark = `{"documents":[`

// readDocuments returns the documents of a message. A result that was shortened to fit is no JSON any more; since each document is a line
// of its own, those that are whole are still read.
func readDocuments(text string) []passage {
	start := strings.Index(text, documentsMark)
	if start < 0 {
		return nil
	}
	var list struct {
		Documents []passage `json:"documents"`
	}
	if json.NewDecoder(strings.NewReader(text[start:])).Decode(&list) == nil {
		return list.Documents
	}
	var whole []passage
	for line := range strings.Lines(text[start+len(documentsMark):]) {
		var p passage
		if json.Unmarshal([]byte(strings.TrimRight(strings.TrimSpace(line), ",]}")+"}"), &p) == nil {
			whole = append(whole, p)
		}
	}
	return whole
}
