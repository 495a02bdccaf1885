package budget

import "slices"

// DefaultSources is the default number of sources of a window.
const DefaultSources = 4

// FillWindow returns found, filled up to size with sources of earlier turns. A question such as
// "tell me more" then has sources even if its search finds nothing. The result is a new slice. It
// begins with all of found, even if found exceeds size, and earlier sources follow.
//
// history has the sources of each earlier turn, oldest turn first. FillWindow uses the newest turn
// first and keeps the order within a turn. identity identifies sources. FillWindow does not repeat
// a source that is in found or in a newer turn. usable, if not nil, excludes sources, such as those
// that the readers may no longer see. Each turn is filtered before it is added, so a source that a
// turn lists twice is added twice.
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
