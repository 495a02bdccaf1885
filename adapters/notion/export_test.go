package notion

import "encoding/json"

// Decode reads an answer as a block and as a page, and returns what both say, for fuzzing.
func Decode(answer string) (said []string) {
	var b block
	if json.Unmarshal([]byte(answer), &b) == nil {
		said = append(said, b.Type, b.ID, plain(b.RichText, noTitle), plain(b.Caption, noTitle))
	}
	var o object
	if json.Unmarshal([]byte(answer), &o) == nil {
		lines, metadata := properties(o.Properties, func(runs []rich) string { return plain(runs, noTitle) })
		said = append(said, o.name(), o.address(), o.Parent.place().id)
		for _, text := range metadata {
			said = append(said, text)
		}
		said = append(said, lines...)
	}
	return said
}
