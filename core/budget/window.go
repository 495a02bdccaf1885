package budget

import "slices"

// DefaultSources is the usual value of the parameter size of [FillWindow].
const DefaultSources = 4

// FillWindow returns all sources in found, filled up to size with sources of earlier turns. A
// question such as "tell me more" then has sources even if its search finds nothing. The result is
// a new slice, and longer than size if found is.
//
// history has the sources of each earlier turn, oldest turn first. The newest turns are used first.
// identity returns the key of a source. A key in found or in a newer turn is not added again, but
// duplicates within a turn are kept. usable, if not nil, reports whether a source may be added.
func FillWindow[S any, K comparable](
	size int, found []S, history [][]S, identity func(S) K, usable func(S) bool,
) []S {
	sources := slices.Clone(found)
	if len(sources) >= size {
		return sources
	}
	seen := make(map[K]bool, size)
	for _, s := range found {
		seen[identity(s)] = true
	}
	for _, turn := range slices.Backward(history) {
		for _, s := range filterSources(turn, seen, identity, usable) {
			if len(sources) >= size {
				return sources
			}
			sources = append(sources, s)
			seen[identity(s)] = true
		}
	}
	return sources
}

func filterSources[S any, K comparable](turn []S, seen map[K]bool, identity func(S) K, usable func(S) bool) []S {
	var fresh []S
	for _, s := range turn {
		if !seen[identity(s)] && (usable == nil || usable(s)) {
			fresh = append(fresh, s)
		}
	}
	return fresh
}
