package htmltext

import (
	"regexp"
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

// filled is the minimum length in bytes of a line that was wrapped. Terminals have 80 columns, and
// most manual pages have 78.
const filled = 40

var (
	// word matches a word, or several words joined by hyphens. U+2010 is groff's hyphen. "-" is
	// groff's minus sign, as in options.
	word = regexp.MustCompile(`\pL+(?:[-‐]\pL+)*`)
	// broken matches a line that ends with the first part of a word after a space. It does not
	// match a part of --no-cache.
	broken = regexp.MustCompile(`(?:^|[ (])(\p{Ll}{2,})[-‐]$`)
	// rest matches the last part of a word and the following text up to a space.
	rest = regexp.MustCompile(`^( *)(\p{Ll}{2,})([^\pL ‐-][^ ]*)?(?: +|$)`)
)

// joinWords joins words that are hyphenated at line ends, as in manual pages formatted for a
// terminal. It joins a word if the page contains the word elsewhere without the hyphen, and nowhere
// else with the hyphen.
func joinWords(sections []document.Section) {
	whole := make(map[string]bool)
	var divided []*document.Block
	for i := range sections {
		for j := range sections[i].Blocks {
			b := &sections[i].Blocks[j]
			if b.Kind != document.Code {
				continue
			}
			lines := strings.Split(b.Text, "\n")
			for n, line := range lines {
				for _, w := range word.FindAllString(line, -1) {
					whole[strings.ReplaceAll(strings.ToLower(w), "‐", "-")] = true
				}
				if n > 0 && len(lines[n-1]) >= filled && broken.MatchString(lines[n-1]) && (len(divided) == 0 || divided[len(divided)-1] != b) {
					divided = append(divided, b)
				}
			}
		}
	}
	for _, b := range divided {
		lines := strings.Split(b.Text, "\n")
		joined := lines[:1]
		for _, line := range lines[1:] {
			before := &joined[len(joined)-1]
			first, last := broken.FindStringSubmatch(*before), rest.FindStringSubmatch(line)
			if first != nil && last != nil && len(*before) >= filled && whole[first[1]+last[2]] && !whole[first[1]+"-"+last[2]] {
				*before = strings.TrimRight(*before, "-‐") + last[2] + last[3]
				if line = line[len(last[0]):]; line == "" {
					continue
				}
				line = last[1] + line
			}
			joined = append(joined, line)
		}
		b.Text = strings.Join(joined, "\n")
	}
}
