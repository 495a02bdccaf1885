package search

import "strings"

const maxDisplayed = 3

// displayQueries returns the queries to show to a reader, without near duplicates. Near duplicates
// are common, because models repeat the question with few changes.
func displayQueries(queries []string) []string {
	telling := make([]map[string]bool, len(queries))
	for i, q := range queries {
		telling[i] = make(map[string]bool)
		for _, word := range words(q) {
			if !commonWordSet[word] && !pronouns[word] {
				telling[i][stemOf(word)] = true
			}
		}
	}
	var out []string
	var shown []map[string]bool
	for i, q := range queries {
		repeated := len(telling[i]) == 0
		for j, other := range telling {
			// A query that contains a shorter query only adds an older question to it.
			repeated = repeated || j != i && len(other) > 0 && len(queries[j]) < len(q) && strings.Contains(strings.ToLower(q), strings.ToLower(queries[j]))
		}
		for _, other := range shown {
			n := commonWords(telling[i], other)
			repeated = repeated || 3*n >= 2*(len(telling[i])+len(other)-n)
		}
		if !repeated && len(out) < maxDisplayed {
			out, shown = append(out, q), append(shown, telling[i])
		}
	}
	if len(out) == 0 && len(queries) > 0 {
		return queries[:1]
	}
	return out
}

func commonWords(a, b map[string]bool) int {
	n := 0
	for word := range a {
		if b[word] {
			n++
		}
	}
	return n
}
