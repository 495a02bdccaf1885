package knowledge

import (
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/cite"
)

const mostStated = 10

// Answer returns the statements as Markdown with citations. It omits statements that repeat one or
// that leave markup open.
func Answer(stated []Statement) string {
	var lines []string
	seen := make(map[string]bool)
	for _, s := range stated {
		line, sound := cite.Protect(s.Says) // a "[1]" in a name is no citation
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
