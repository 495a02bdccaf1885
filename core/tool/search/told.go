package search

import "strings"

// maxTold is how many queries of one search a reader sees.
const maxTold = 3

// told are the queries that a reader is shown: each in its shortest form, since a follow-up is also
// searched behind the question before it and a model repeats the question with few changes, and no
// two that say nearly the same.
func told(queries []string) []string {
	telling := make([]map[string]bool, len(queries))
	for i, q := range queries {
		telling[i] = make(map[string]bool)
		for _, word := range words(q) {
			if !common[word] && !pointing[word] {
				telling[i][beginningOf(word)] = true
			}
		}
	}
	var out []string
	var shown []map[string]bool
	for i, q := range queries {
		repeated := len(telling[i]) == 0
		for j, other := range telling {
			// What holds a shorter query says it again, with an older question before it.
			repeated = repeated || j != i && len(other) > 0 && len(queries[j]) < len(q) && strings.Contains(strings.ToLower(q), strings.ToLower(queries[j]))
		}
		for _, other := range shown {
			n := shared(telling[i], other)
			repeated = repeated || 3*n >= 2*(len(telling[i])+len(other)-n)
		}
		if !repeated && len(out) < maxTold {
			out, shown = append(out, q), append(shown, telling[i])
		}
	}
	if len(out) == 0 && len(queries) > 0 {
		return queries[:1]
	}
	return out
}

func shared(a, b map[string]bool) int {
	n := 0
	for word := range a {
		if b[word] {
			n++
		}
	}
	return n
}
