package htmltext

import (
	"regexp"
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

// filled is the length in bytes from which a line may end in a hyphenated word. Most manual pages
// have lines of 78 columns.
const filled = 40

var (
	word = regexp.MustCompile(`\pL+(?:[-‐]\pL+)*`)
	// broken matches a line that ends in the first part of a hyphenated word. It does not match
	// part of an option such as --no-cache.
	broken = regexp.MustCompile(`(?:^|[ (])(\p{Ll}{2,})[-‐]$`)
	rest   = regexp.MustCompile(`^( *)(\p{Ll}{2,})([^\pL ‐-][^ ]*)?(?: +|$)`)
)

// joinWords joins words that are hyphenated at the ends of lines, as in manual pages. It joins a
// word only if the page has the word elsewhere without the hyphen, and nowhere with it.
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
