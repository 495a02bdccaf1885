package budget

import "slices"

// DefaultSources is how many sources a window has unless configured otherwise.
const DefaultSources = 4

// FillWindow returns found, topped up to size with sources of earlier turns, so
// that "tell me more" has something to stand on even when its own search finds
// nothing. found always comes first, whole and in its order, even when it has
// more than size.
//
// history holds the sources of each earlier turn, oldest turn first; the newest
// turn is used first, and within a turn the order is kept. identity tells sources
// apart: one that was found, or taken from a newer turn, is not taken again.
// usable, if not nil, refuses sources, such as those that were pinned, or that
// the readers may no longer see. A turn is sifted before any of it is taken, so a
// turn that lists a source twice gives it twice.
//
// The result is a new slice and nothing is reordered in place.
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
		for _, s := range eligible(turn, seen, identity, usable) {
			if len(sources) >= size {
				return sources
			}
			sources = append(sources, s)
			seen[identity(s)] = true
		}
	}
	return sources
}

func eligible[S any, K comparable](turn []S, seen map[K]bool, identity func(S) K, usable func(S) bool) []S {
	var fresh []S
	for _, s := range turn {
		if !seen[identity(s)] && (usable == nil || usable(s)) {
			fresh = append(fresh, s)
		}
	}
	return fresh
}
