package extractive

import (
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/tool/knowledge"
)

// KnowledgeTool is the name of the tool that the model calls first for questions about who does
// what.
const KnowledgeTool = knowledge.Name

const mostStated = 10

func (t *turn) statements() string {
	var lines []string
	seen := make(map[string]bool)
	for _, s := range t.stated {
		line, sound := protect(s.Says) // a "[1]" in a name is no citation
		if s.Number < 1 || !sound || seen[s.Says] || len(lines) == mostStated {
			continue
		}
		seen[s.Says] = true
		if at, err := time.Parse(time.DateOnly, s.Date); err == nil {
			line += at.Format(" (2 January 2006)")
		}
		lines = append(lines, line+" ["+strconv.Itoa(s.Number)+"]\n")
	}
	if len(lines) > 1 {
		return "- " + strings.Join(lines, "- ")
	}
	return strings.Join(lines, "")
}
