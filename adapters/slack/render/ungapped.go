package render

import "strings"

// marks are the formatting characters that mrkdwnWord escapes. The same character begins and ends a
// format.
var marks = []string{"*", "~", "_", "`"}

// ungapped removes the gap characters around a mark that occurs only once in a paragraph. Such a
// mark cannot format text, and a copied text is correct without gaps. Code is not changed.
func ungapped(text string) string {
	if !strings.Contains(text, gap) {
		return text
	}
	lines := strings.Split(text, "\n")
	code := false
	for from := 0; from < len(lines); {
		to := from
		for to < len(lines) && strings.TrimSpace(strings.Trim(lines[to], "> ")) != "" && !strings.Contains(lines[to], "```") {
			to++
		}
		if !code && to > from {
			paragraph := strings.Join(lines[from:to], "\n")
			for _, mark := range marks {
				if strings.Count(paragraph, mark) == 1 {
					paragraph = strings.Replace(paragraph, gap+mark+gap, mark, 1)
				}
			}
			copy(lines[from:to], strings.Split(paragraph, "\n"))
		}
		if to < len(lines) && strings.Count(lines[to], "```")%2 == 1 {
			code = !code
		}
		from = to + 1
	}
	return strings.Join(lines, "\n")
}
