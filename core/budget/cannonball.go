package budget

import "unicode/utf8"

// DefaultMarker replaces removed text unless a caller sets another marker.
const DefaultMarker = "\n\n[... the middle of this text was left out because it was too long ...]\n\n"

// cutMiddle shortens text to at most limit tokens and returns it with its number of tokens. It
// replaces the middle with marker, which counts towards the limit. If the marker would take most of
// the limit, the result is only the beginning.
func cutMiddle(counter Counter, text string, limit int, marker string) (string, int) {
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
		size := counter.Count(short) // joined texts can have more tokens than their parts
		if size <= limit {
			return short, size
		}
		body -= size - limit
	}
	return "", 0
}

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

func wholeStart(s string) string {
	for i := 0; i < len(s) && i < utf8.UTFMax; i++ {
		if utf8.RuneStart(s[i]) {
			return s[i:]
		}
	}
	return s
}
