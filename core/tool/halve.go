package tool

import (
	"bytes"
	"encoding/json"
)

// Halve returns the first half of the documents in a result of DocumentsJSON, because the best
// documents come first. If there is only one document, it returns the first half of the document's
// contents. It returns false for any other text.
func Halve(content string) (string, bool) {
	dec := json.NewDecoder(bytes.NewReader([]byte(content)))
	var all struct {
		Documents []json.RawMessage `json:"documents"`
	}
	if dec.Decode(&all) != nil || len(all.Documents) == 0 {
		return content, false
	}
	firstHalf := all.Documents[:(len(all.Documents)+1)/2]
	if len(all.Documents) == 1 {
		var d Document
		if json.Unmarshal(firstHalf[0], &d) != nil || len(d.Contents) < 2 {
			return content, false
		}
		runes := []rune(d.Contents)
		d.Contents = string(runes[:len(runes)/2]) + "…"
		return DocumentsJSON([]Document{d}, ""), true
	}
	var b bytes.Buffer
	b.WriteString("{\"documents\":[")
	for i, d := range firstHalf {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(d)
	}
	b.WriteString("\n]}")
	return b.String(), true
}
