package extractive

import (
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/retrieve"
)

const (
	maxSimilarity = 600 // bytes of a passage that are compared, about 128 tokens
	gateWait      = 2 * time.Second
)

// links writes the titles of the spans' pages, each once.
func links(spans []span) string {
	lines, seen := []string{retrieve.MayHelp + "\n"}, map[*page]bool{}
	for i := range spans {
		page := spans[i].page
		if title := strings.Join(strings.Fields(spans[i].part.Title), " "); !seen[page] && len(seen) < maxPages {
			seen[page] = true
			lines = append(lines, strings.TrimSpace("- "+protect(title))+" ["+strconv.Itoa(spans[i].part.Number)+"]")
		}
	}
	return strings.Join(lines, "\n")
}
