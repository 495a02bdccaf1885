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

// firstHits is how many further pages are linked, of those that the search put first: what is most
// like a question is not always what answers it.
const firstHits = 2

// links writes the titles of the pages of spans, each with the section that was found, and leaves
// out the first quoted ones. Then come the first other pages of the search that are near the
// question or hold enough of it.
func (s *scorer) links(spans []span, pages []page, quoted int) string {
	var lines []string
	seen := map[string]bool{}
	add := func(p *page, found *part) {
		if title := strings.Join(strings.Fields(p.parts[0].Title), " "); !seen[title] {
			seen[title] = true
			lines = append(lines, strings.TrimSpace("- "+protect(withSection(title, found.Heading)))+" ["+strconv.Itoa(found.Number)+"]")
		}
	}
	for i := range spans {
		add(spans[i].page, spans[i].part)
	}
	lines = lines[min(quoted, len(lines)):]
	for i := range pages {
		if len(seen) < len(spans)+firstHits && (pages[i].near || s.enough(&pages[i])) {
			add(&pages[i], &pages[i].parts[0])
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return retrieve.MayHelp + "\n\n" + strings.Join(lines, "\n")
}

// withSection is the title of a page with the heading of a section, which may be the title's own.
func withSection(title, heading string) string {
	at := strings.LastIndex(heading, headingSeparator)
	section := strings.Join(strings.Fields(strings.TrimPrefix(heading[max(at, 0):], headingSeparator)), " ")
	if section == "" || section == title {
		return title
	}
	return title + headingSeparator + section
}
