package budget

import "slices"

// DefaultSources is the usual size for [FillWindow].
const DefaultSources = 4

// FillWindow returns the sources in found, and fills them up to size with sources of earlier turns.
// A question such as "tell me more" then has sources even if its search finds nothing. The result
// is a new slice with all of found, even if found exceeds size.
//
// history has the sources of each earlier turn, oldest turn first. Newer turns are used first. A
// source in found or in a newer turn is not repeated, but a source that one turn lists twice is
// added twice. identity identifies sources. usable, if not nil, excludes sources, such as those
// that the readers may no longer see.
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
