package htmltext

import (
	"regexp"
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

// filled is the minimum length in bytes of a line that was wrapped. Terminals have 80 columns,
// manual pages mostly 78.
const filled = 40

var (
	// word is a word, or several that hyphens join. U+2010 is what groff writes for a hyphen, and
	// "-" for the minus sign of an option.
	word = regexp.MustCompile(`\pL+(?:[-‐]\pL+)*`)
	// broken ends with the first part of a word, preceded by a space: no part of --no-cache
	// matches.
	broken = regexp.MustCompile(`(?:^|[ (])(\p{Ll}{2,})[-‐]$`)
	// rest begins with the last part of a word and the text after it up to a space.
	rest = regexp.MustCompile(`^( *)(\p{Ll}{2,})([^\pL ‐-][^ ]*)?(?: +|$)`)
)

// joinWords joins words that are hyphenated at line ends, as in manual pages formatted for a
// terminal. It joins a word if the page contains it elsewhere without the hyphen and not with it.
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
