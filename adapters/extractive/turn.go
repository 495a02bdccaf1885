package extractive

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/knowledge"
)

// turn is the part of a request since the last answer: the current question and the search results
// for it.
type turn struct {
	question string
	before   string // the previous question
	searched bool   // a tool has answered in this turn
	failed   bool   // a tool has failed in this turn
	passages []passage
	// ids of the calls of the knowledge tool, and the statements in its results
	consulted []string
	stated    []knowledge.Statement
	common    tool.Vocabulary
	answers   []string // earlier answers in the thread
}

type passage struct {
	tool.Document
	rank int // index among the passages of the turn
}

// maxQuestion is the number of bytes of a question that are read. A longer question usually
// contains pasted text.
const maxQuestion = 16 << 10

func readTurn(messages []llm.Message) (t turn) {
	calling := false
	seen := map[string]bool{}
	for _, m := range messages {
		docs := tool.ReadDocuments(m.Text)
		switch {
		case m.Role == llm.Assistant && len(m.ToolCalls) == 0:
			t = turn{before: cmp.Or(t.question, t.before), answers: append(t.answers, m.Text)}
			calling = false
			clear(seen)
		case m.Role == llm.Assistant:
			calling = true
			for _, c := range m.ToolCalls {
				if c.Name == KnowledgeTool {
					t.consulted = append(t.consulted, c.ID)
				}
			}
		case m.Role == llm.Tool && slices.Contains(t.consulted, m.ToolCallID):
			var stated []knowledge.Statement
			tool.LastField(m.Text, "statements", &stated) // none if the result was cut
			t.stated = append(t.stated, stated...)
		case m.Role == llm.Tool:
			t.searched = true
			t.failed = t.failed || strings.HasPrefix(m.Text, tool.Failed)
			t.add(docs, seen)
			t.learn(m.Text)
		case m.Role == llm.User && len(docs) > 0:
			t.add(docs, seen)
		case m.Role == llm.User && !calling && strings.TrimSpace(m.Text) != "": // else a reminder
			question := strings.TrimSpace(m.Text)
			t.question = strings.ToValidUTF8(question[:min(len(question), maxQuestion)], "")
		}
	}
	return t
}

// add appends documents to the passages of the turn. It skips documents that cannot be cited, and
// documents with the same text as an earlier one.
func (t *turn) add(docs []tool.Document, seen map[string]bool) {
	for _, d := range docs {
		if d.Number > 0 && strings.TrimSpace(d.Contents) != "" && !seen[d.Contents] {
			seen[d.Contents] = true
			t.passages = append(t.passages, passage{d, len(t.passages)})
		}
	}
}

func (t *turn) learn(result string) {
	var v tool.Vocabulary
	if tool.LastField(result, "vocabulary", &v) {
		if t.common.Terms == nil {
			t.common.Terms = map[string]int{}
		}
		maps.Copy(t.common.Terms, v.Terms)
		t.common.Chunks = max(t.common.Chunks, v.Chunks)
		t.common.Synonyms = append(t.common.Synonyms, v.Synonyms...)
	}
}
