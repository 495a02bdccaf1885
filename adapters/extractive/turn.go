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
	common   vocabulary
	answers  []string // earlier ones
}

// vocabulary says how common the words are that were searched for: tool.Vocabulary.
type vocabulary struct {
	Chunks int            `json:"chunks"`
	Terms  map[string]int `json:"terms"`
	// Synonyms of the operator that were looked for too: "k8s: kubernetes, kube".
	Synonyms []string `json:"synonyms"`
	// Pages are the page ids of the numbers that earlier answers cite.
	Pages map[int]string `json:"pages"`
}

// passage is one found document.
type passage struct {
	Number  int    `json:"document"`
	Page    string `json:"page_id"` // the same for the passages of a document; empty: its only one
	Title   string `json:"title"`
	Heading string `json:"heading"`
	Text    string `json:"contents"`
	rank    int    // among the passages of the turn
}

// readTurn finds the newest question and the documents that came with it or after it. Earlier turns
// end with an answer.
func readTurn(messages []llm.Message) turn {
	start := 0
	t := turn{earlier: map[int]bool{}}
	for i, m := range messages {
		if m.Role == llm.Assistant && len(m.ToolCalls) == 0 {
			start = i + 1
			t.cited(m.Text)
			t.answers = append(t.answers, m.Text)
		}
	}
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
			t.failed = t.failed || strings.HasPrefix(m.Text, tool.Failed)
			t.add(readDocuments(m.Text), seen)
			t.learn(readVocabulary(m.Text))
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
func (t *turn) add(docs []passage, seen map[string]bool) {
	for _, p := range docs {
		if p.Number > 0 && strings.TrimSpace(p.Text) != "" && !seen[p.Text] {
			seen[p.Text] = true
			t.passages = append(t.passages, p)
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
func (t *turn) learn(v vocabulary) {
	if t.common.Terms == nil {
		t.common.Terms = map[string]int{}
	}
	maps.Copy(t.common.Terms, v.Terms)
	t.common.Chunks = max(t.common.Chunks, v.Chunks)
	t.common.Synonyms = append(t.common.Synonyms, v.Synonyms...)
	if t.common.Pages == nil {
		t.common.Pages = map[int]string{}
	}
	maps.Copy(t.common.Pages, v.Pages)
}

// vocabularyMark begins the vocabulary of a result. A document cannot hold it, since its text
// stands in a string.
const vocabularyMark = `,"vocabulary":`

func readVocabulary(text string) (v vocabulary) {
	at := strings.LastIndex(text, vocabularyMark)
	if at < 0 || json.NewDecoder(strings.NewReader(text[at+len(vocabularyMark):])).Decode(&v) != nil {
		return vocabulary{}
	}
	return v
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

// readDocuments returns the documents of a message. A result that was shortened to fit is no JSON
// any more; since each document is a separate line, those that are whole are still read.
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
