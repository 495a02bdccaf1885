package budget

import "unicode/utf8"

// DefaultMarker stands where text was taken out, unless a caller brings its own.
const DefaultMarker = "\n\n[... the middle of this text was left out because it was too long ...]\n\n"

// cannonball returns text in at most limit tokens, and how many it has: it blasts
// a hole into the middle and puts marker there, because instructions stand at the
// beginning of a text and what matters most now at its end. The marker is part of
// the limit, no rune is torn, and the result is counted again, because texts that
// are joined can have more tokens than their parts. Where the marker would take
// most of the room, the beginning of the text is kept without it.
func cannonball(counter Counter, text string, limit int, marker string) (string, int) {
	if limit <= 0 {
		return "", 0
	}
	tokens := counter.Encode(text)
	if len(tokens) <= limit {
		return text, len(tokens)
	}
	body := limit - counter.Count(marker)
	if body < limit/2 {
		body, marker = limit, ""
	}
	for body > 0 {
		left, right := (body+1)/2, body/2
		if marker == "" {
			left, right = body, 0
		}
		short := wholeEnd(counter.Decode(tokens[:left])) + marker +
			wholeStart(counter.Decode(tokens[len(tokens)-right:]))
		size := counter.Count(short)
		if size <= limit {
			return short, size
		}
		body -= size - limit
	}
	return "", 0
}

// wholeEnd drops a rune that is cut off at the end of s.
func wholeEnd(s string) string {
	for i := len(s) - 1; i >= 0 && i >= len(s)-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			if !utf8.FullRuneInString(s[i:]) {
				return s[:i]
			}
			break
		}
	}
	return s
}

// wholeStart drops the rest of a rune that is cut off at the start of s.
func wholeStart(s string) string {
	for i := 0; i < len(s) && i < utf8.UTFMax; i++ {
		if utf8.RuneStart(s[i]) {
			return s[i:]
		}
	}
	return s
}
