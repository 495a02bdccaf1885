// Package plural formats counts of things.
package plural

import (
	"strconv"
	"strings"
)

// Count returns a number and its noun: "1 source", "2 sources", "0 replies".
func Count[N ~int | ~int32 | ~int64](n N, noun string) string {
	return strconv.FormatInt(int64(n), 10) + " " + Of(n, noun)
}

// Of returns noun in the singular or plural form for n. If noun has several words, only the last
// changes.
func Of[N ~int | ~int32 | ~int64](n N, noun string) string {
	if n == 1 {
		return noun
	}
	stem, y := strings.CutSuffix(noun, "y")
	switch {
	case y && !strings.ContainsAny(stem[max(0, len(stem)-1):], "aeiou"):
		return stem + "ies"
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "x"):
		return noun + "es"
	case noun == "person":
		return "people"
	}
	return noun + "s"
}

// Does returns an English verb in the form for n subjects: "waits" for 1 and "wait" for 2. verb
// must be the plural form.
func Does[N ~int | ~int32 | ~int64](n N, verb string) string {
	if n == 1 {
		return Of(2, verb)
	}
	return verb
}

// Are returns "is" if n is 1, and "are" otherwise.
func Are[N ~int | ~int32 | ~int64](n N) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
