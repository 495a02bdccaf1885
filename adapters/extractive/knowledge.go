package extractive

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/knowledge"
)

// KnowledgeTool is the name of the tool that is called first for questions about who does what, if
// it is offered.
const KnowledgeTool = knowledge.Name

// statedCall returns the call of the tool for a question about who does what. It is nil if the tool
// is not offered or was called before.
func statedCall(req llm.Request, question string) (*llm.CallDelta, error) {
	about, what, ok := knowledge.Asked(question)
	if !ok || !offered(req, KnowledgeTool) || len(knowledgeCalls(req.Messages)) > 0 {
		return nil, nil
	}
	return callOf(KnowledgeTool, map[string]any{"about": about, "what": what, "exact": true})
}

// knowledgeCalls are the ids of this turn's calls of the tool.
func knowledgeCalls(messages []llm.Message) map[string]bool {
	ids := make(map[string]bool)
	for _, m := range messages {
		if m.Role == llm.Assistant && len(m.ToolCalls) == 0 {
			clear(ids) // a turn ends with an answer
		}
		for _, c := range m.ToolCalls {
			if c.Name == KnowledgeTool {
				ids[c.ID] = true
			}
		}
	}
	return ids
}

// mostStated is how many statements an answer lists.
const mostStated = 10

// statedAnswer is the answer that the tool's results make, and the request without them where they
// make none, so that it is searched for.
func statedAnswer(req llm.Request) (string, llm.Request) {
	ids := knowledgeCalls(req.Messages)
	if len(ids) == 0 {
		return "", req
	}
	var lines []string
	var others []llm.Message
	seen := make(map[string]bool)
	for _, m := range req.Messages {
		if m.Role != llm.Tool || !ids[m.ToolCallID] {
			if !slices.ContainsFunc(m.ToolCalls, func(c llm.ToolCall) bool { return ids[c.ID] }) {
				others = append(others, m)
			}
			continue
		}
		var all []knowledge.Statement
		tool.LastField(m.Text, "statements", &all) // none if the result was cut
		for _, s := range all {
			line, sound := protect(s.Says) // a name's own "[1]" is no citation
			if s.Number < 1 || !sound || seen[s.Says] || len(lines) == mostStated {
				continue
			}
			seen[s.Says] = true
			if at, err := time.Parse(time.DateOnly, s.Date); err == nil {
				line += at.Format(" (2 January 2006)")
			}
			lines = append(lines, line+" ["+strconv.Itoa(s.Number)+"]")
		}
	}
	req.Messages = others
	if len(lines) > 1 {
		return "- " + strings.Join(lines, "\n- ") + "\n", req
	}
	return strings.Join(append(lines, ""), "\n"), req
}
