package extractive

import (
	"encoding/json"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/tool"
)

// turn is what a request holds of the question that is being answered.
type turn struct {
	question string
	before   string       // the question before it
	earlier  map[int]bool // the documents that the answer before it cites
	queries  []string     // what the searches of this turn looked for in addition to the question
	searched bool         // a tool has answered in this turn
	failed   bool         // one with no more than that it failed
	passages []passage
	common   tool.Vocabulary
	answers  []string // earlier ones
}

// passage is one found document.
type passage struct {
	tool.Document
	rank int // among the passages of the turn
}

// readTurn finds the newest question and the documents that came with it or after it. Earlier turns
// end with an answer.
func readTurn(messages []llm.Message) turn {
	start := 0
	t := turn{earlier: map[int]bool{}, common: tool.Vocabulary{Terms: map[string]int{}, Pages: map[int]string{}}}
	for i, m := range messages {
		if m.Role == llm.Assistant && len(m.ToolCalls) == 0 {
			start = i + 1
			t.cited(m.Text)
			t.answers = append(t.answers, m.Text)
		}
	}
	for _, m := range messages[:start] {
		if m.Role == llm.User && strings.TrimSpace(m.Text) != "" && len(tool.ReadDocuments(m.Text)) == 0 {
			t.before = m.Text
		}
	}
	calling := false
	seen := map[string]bool{}
	for _, m := range messages[start:] {
		switch m.Role {
		case llm.User:
			// Project documents stand before the question, reminders behind the calls.
			if docs := tool.ReadDocuments(m.Text); len(docs) > 0 {
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
			t.failed = t.failed || strings.HasPrefix(m.Text, tool.Failed)
			t.add(tool.ReadDocuments(m.Text), seen)
			t.learn(m.Text)
		case llm.System:
		}
	}
	t.question, t.before = beginning(t.question), beginning(t.before)
	return t
}

// maxQuestion is how much of a question is read, in bytes: what is pasted beyond that tells little.
const maxQuestion = 16 << 10

func beginning(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxQuestion)], "")
}

var citation = regexp.MustCompile(`\[(\d{1,6})\]`)

// cited notes what an earlier answer rests on, the last one alone.
func (t *turn) cited(answer string) {
	clear(t.earlier)
	for _, m := range citation.FindAllStringSubmatch(answer, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil {
			t.earlier[n] = true
		}
	}
}

// add keeps passages that can be cited, each once: two searches often find the same. Those that the
// search found without matching the question closely are among them: whether they answer is decided
// by what they hold.
func (t *turn) add(docs []tool.Document, seen map[string]bool) {
	for _, d := range docs {
		if d.Number > 0 && strings.TrimSpace(d.Contents) != "" && !seen[d.Contents] {
			seen[d.Contents] = true
			t.passages = append(t.passages, passage{d, len(t.passages)})
		}
	}
}

// rests reports whether the answer before cites a passage, or another one of its page.
func (t *turn) rests(p passage) bool {
	if t.earlier[p.Number] {
		return true
	}
	for n := range t.earlier {
		if p.Page != "" && t.common.Pages[n] == p.Page {
			return true
		}
	}
	return false
}

// learn takes up what a search says of its words.
func (t *turn) learn(result string) {
	var v tool.Vocabulary
	if tool.LastField(result, "vocabulary", &v) {
		maps.Copy(t.common.Terms, v.Terms)
		maps.Copy(t.common.Pages, v.Pages)
		t.common.Chunks = max(t.common.Chunks, v.Chunks)
		t.common.Synonyms = append(t.common.Synonyms, v.Synonyms...)
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
