package extractive

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/llm"
)

// KnowledgeTool is the name of the tool that is called first for questions about who does what, if
// it is offered.
const KnowledgeTool = "knowledge"

// asking is a form of question that documents answer by what they state of people, teams and one
// another. The first group is what it is about.
type asking struct {
	form *regexp.Regexp
	what string
}

// askings are tried in order. They begin where a sentence begins, so that a clause within a longer
// question is none.
var askings = func() (all []asking) {
	for _, a := range [][2]string{
		{`(?:who|which team|which person|what team) (?:currently |now )?(?:owns|own|maintains|is responsible for|is in charge of|looks after)\s+(.+)`, "owners"},
		{`who (?:is|are) (?:the )?(?:code ?)?(?:owners?|maintainers?) of\s+(.+)`, "owners"},
		{`(?:wem gehört|wer (?:ist|sind) (?:verantwortlich|zuständig) für|wer betreut)\s+(.+)`, "owners"},
		{`what (?:does|do)\s+(.+?)\s+(?:own|maintain|look after)()`, "owned"},
		{`what (?:is|are)\s+(.+?)\s+(?:responsible for|in charge of)()`, "owned"},
		{`who (?:wrote|has written|is the author of|are the authors of)\s+(.+)`, "authors"},
		{`wer (?:hat\s+(.+)\s+geschrieben|schrieb\s+(.+))`, "authors"},
		{`who (?:worked|works|is working|has worked|has been working) on\s+(.+)`, "worked_on"},
		{`what (?:did|does|has|have|is|are)\s+(.+?)\s+(?:work|worked|working|been working) on\b(.*)`, "worked_on"},
		{`woran (?:hat|haben|arbeitet|arbeiten|arbeitete)\s+(.+?)(?:\s+gearbeitet)?`, "worked_on"},
		{`what (?:did|has|have)\s+(.+?)\s+(?:do|done|ship|shipped)\b(.*)`, "worked_on"},
		{`who (?:knows (?:the )?(?:most|best|more)(?: about)?|knows about|is the expert (?:on|for)|are the experts (?:on|for)|should i (?:ask|talk to) about)\s+(.+)`, "experts"},
		{`who(?: is|'s)\s+(.+)`, "person"},
		{`what (?:has )?(?:replaced|replaces|superseded|supersedes)\s+(.+)`, "replaced_by"},
		{`(?:by )?what (?:was|is|has)\s+(.+?)\s+(?:been )?(?:replaced|superseded)(?: by| with)?\b(.*)`, "replaced_by"},
		{`(?:was hat|wodurch wurde)\s+(.+)\s+ersetzt`, "replaced_by"},
		{`what (?:does|did)\s+(.+?)\s+(?:replace|supersede)()`, "replaces"},
		{`(?:what|which \w+) (?:depends? on|needs?|requires?)\s+(.+)`, "needed_by"},
		{`what (?:does|do)\s+(.+?)\s+(?:depend on|need|require)()`, "depends_on"},
		{`(?:what|which (?:pages|documents)) (?:links?|points?) to\s+(.+)`, "linked_from"},
		{`what (?:belongs to|is part of|is in)\s+((?:the )?(?:project|epic|milestone|space|repository)\b.+)`, "belongs_to"},
		{`what (?:is|documents are|pages are) related to\s+(.+)`, "related"},
	} {
		all = append(all, asking{regexp.MustCompile(`(?i)^(?:so |and |please )?` + a[0] + `$`), a[1]})
	}
	return all
}()

// longestAsking is how many bytes such a question may have: longer ones tell a story.
const longestAsking = 300

// statedCall returns the call of the tool for a question about who does what. It is nil if the tool
// is not offered or was called before.
func statedCall(req llm.Request) (*llm.CallDelta, error) {
	question := readTurn(req.Messages).question
	if len(question) > longestAsking || !offered(req, KnowledgeTool) || len(knowledgeCalls(req.Messages)) > 0 {
		return nil, nil
	}
	question = strings.TrimRight(oneLine(question), "?!. ")
	for _, a := range askings {
		if m := a.form.FindStringSubmatch(question); m != nil {
			return callOf(KnowledgeTool, map[string]any{"about": oneLine(strings.Join(m[1:], " ")), "what": a.what, "exact": true})
		}
	}
	return nil, nil
}

// knowledgeCalls are the ids of this turn's calls of the tool.
func knowledgeCalls(messages []llm.Message) map[string]bool {
	ids := make(map[string]bool)
	for _, m := range messages {
		switch {
		case m.Role == llm.Assistant && len(m.ToolCalls) == 0:
			clear(ids) // a turn ends with an answer
		case m.Role == llm.Assistant:
			for _, c := range m.ToolCalls {
				if c.Name == KnowledgeTool {
					ids[c.ID] = true
				}
			}
		}
	}
	return ids
}

// stated is what the tool's results say.
type stated struct {
	Number int    `json:"document"`
	Says   string `json:"states"`
	Date   string `json:"date"`
}

// mostStated is how many statements an answer lists.
const mostStated = 10

// statementsMark begins the statements of a result. A document cannot hold it, since its text
// stands in a string.
const statementsMark = `,"statements":`

// statedAnswer is the answer that the tool's results make, and the request without them where they
// make none, so that it is searched for.
func statedAnswer(req llm.Request) (string, llm.Request) {
	ids := knowledgeCalls(req.Messages)
	if len(ids) == 0 {
		return "", req
	}
	var lines []string
	var kept []llm.Message
	seen := make(map[string]bool)
	for _, m := range req.Messages {
		if m.Role == llm.Assistant && slices.ContainsFunc(m.ToolCalls, func(c llm.ToolCall) bool { return ids[c.ID] }) {
			continue
		}
		if m.Role != llm.Tool || !ids[m.ToolCallID] {
			kept = append(kept, m)
			continue
		}
		at := strings.LastIndex(m.Text, statementsMark)
		var all []stated
		if at < 0 || json.NewDecoder(strings.NewReader(m.Text[at+len(statementsMark):])).Decode(&all) != nil {
			continue
		}
		for _, s := range all {
			if s.Number < 1 || s.Says == "" || seen[s.Says] || len(lines) == mostStated {
				continue
			}
			seen[s.Says] = true
			line, sound := protect(s.Says) // a name's own "[1]" is no citation
			if !sound {
				continue
			}
			if at, err := time.Parse(time.DateOnly, s.Date); err == nil {
				line += at.Format(" (2 January 2006)")
			}
			lines = append(lines, line+" ["+strconv.Itoa(s.Number)+"]")
		}
	}
	req.Messages = kept
	switch len(lines) {
	case 0:
		return "", req
	case 1:
		return lines[0] + "\n", req
	}
	return "- " + strings.Join(lines, "\n- ") + "\n", req
}
