package tool

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Document is a document as the model reads it. Empty fields are left out.
type Document struct {
	Number   int    `json:"document"` // what the model cites
	Title    string `json:"title,omitempty"`
	Metadata string `json:"metadata,omitempty"`
	Updated  string `json:"updated,omitempty"` // a date, 2006-01-02
	URL      string `json:"url,omitempty"`
	Heading  string `json:"heading,omitempty"`
	Contents string `json:"contents"`
}

// DocumentsJSON writes {"documents":[…]}, one document a line, and note as a last field unless it is empty. The number comes first and
// the contents last, since models cite best what stands beside short fields. Characters such as < stay as they are; a text cannot
// close its string, so it stays data.
func DocumentsJSON(docs []Document, note string) string {
	var b strings.Builder
	b.WriteString("{\"documents\":[")
	for i, d := range docs {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(plainJSON(d))
	}
	if len(docs) > 0 {
		b.WriteByte('\n')
	}
	b.WriteByte(']')
	if note != "" {
		b.WriteString(",\"note\":")
		b.Write(plainJSON(note))
	}
	b.WriteByte('}')
	return b.String()
}

// plainJSON is json.Marshal without the escapes that are only needed inside HTML and cost tokens. Marshalling plain structs of strings
// and numbers cannot fail.
func plainJSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // cannot fail for the types above
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
