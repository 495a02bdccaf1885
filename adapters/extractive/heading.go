package extractive

import (
	"cmp"
	"regexp"
	"strings"
)

var (
	sectionNumber = regexp.MustCompile(`^(?:[A-Z]\.)?\d+(?:\.\d+)*\.?\s+|^(?i:chapter|appendix|part|section)\s+\w+\.\s+`)
	inBrackets    = regexp.MustCompile(`\([^)]*\)|\[[^\]]*\]`)
)

// plainHeading is a heading without its number and what it adds in brackets ("work_mem (integer)").
func plainHeading(heading string) string {
	plain := inBrackets.ReplaceAllString(sectionNumber.ReplaceAllString(heading, ""), " ")
	if strings.TrimSpace(plain) == "" {
		return heading
	}
	return plain
}

// opening returns what the passage's beginning stands under. The passage's heading is that of the
// place that was found, which a heading further down may have.
func (p passage) opening(all []block) string {
	at := strings.LastIndex(p.Heading, headingSeparator)
	last := strings.TrimSpace(strings.TrimPrefix(p.Heading[max(at, 0):], headingSeparator))
	for _, b := range all {
		if b.kind == heading && b.text == last {
			return ""
		}
	}
	return cmp.Or(last, p.Title)
}

const headingSeparator = " › "
