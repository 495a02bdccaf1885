package budget

import "math"

// DefaultMarker stands where text was taken out, unless a caller brings its own.
const DefaultMarker = "\n\n[... the middle of this text was left out because it was too long ...]\n\n"

// Cannonball shortens a text from its middle to both sides until about target
// tokens are left, and puts marker into the hole ("" means [DefaultMarker]).
//
// The arithmetic is fixed and has properties that callers must know. The marker
// comes on top of target. A text of exactly target tokens is not shorter than
// target, so it grows by the marker. A target of 0 (or NaN) means no limit. A
// target may be a fraction; halves round up. Tokens are cut, not runes, so a
// multi-byte character at the edge of the hole may be torn: [Fitter] repairs
// that and keeps to its limit exactly.
func Cannonball(counter Counter, text string, target float64, marker string) string {
	if text == "" || target == 0 || math.IsNaN(target) {
		return text
	}
	if marker == "" {
		marker = DefaultMarker
	}
	tokens := counter.Encode(text)
	size := float64(len(tokens))
	if size < target {
		return text
	}
	middle := len(tokens) / 2
	half := roundHalfUp((size - target) / 2)
	left, right := middle-half, middle+half
	if left < 0 {
		// Only a negative target leads here. The end of the left part then counts
		// from the end of the text.
		left = max(0, len(tokens)+left)
	}
	right = min(right, len(tokens))
	return counter.Decode(tokens[:left]) + marker + counter.Decode(tokens[right:])
}

// roundHalfUp rounds to the nearest integer and halves towards positive
// infinity, where math.Round rounds them away from zero. Adding a half and taking
// the floor would be wrong for the number just below a half.
func roundHalfUp(x float64) int {
	floor := math.Floor(x)
	if x-floor >= 0.5 {
		floor++
	}
	return int(floor)
}
