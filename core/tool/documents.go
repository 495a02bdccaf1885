package tool

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Document is a document in the form that the model reads. Empty fields are omitted.
type Document struct {
	Number int    `json:"document"`          // the number that the model cites
	Page   string `json:"page_id,omitempty"` // the same for all passages of a document
	Title  string `json:"title,omitempty"`
	// metadata of the document from its source, such as "status: closed; tags: a, b"
	Metadata string `json:"metadata,omitempty"`
	Updated  string `json:"updated,omitempty"` // a date, 2006-01-02
	URL      string `json:"url,omitempty"`
	Heading  string `json:"heading,omitempty"`
	Source   string `json:"source,omitempty"` // name of the source, as in the prompt
	Part     string `json:"part,omitempty"`   // part of its page: "whole", "3 of 7"
	Match    string `json:"match,omitempty"`  // Loose, or empty
	Contents string `json:"contents"`
}

// Loose is the value of Document.Match for a document that does not match the search closely. It
// may not answer the question.
const Loose = "loose"

const (
	maxMetadata      = 400 // runes for one document
	maxMetadataValue = 120 // runes for one value
)

// Metadata formats a document's metadata for a model. The text has "key: value" pairs, sorted by
// key and separated by semicolons. It is at most a few lines long.
func Metadata(known map[string]string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(known)) {
		value := truncate(strings.Join(strings.Fields(known[key]), " "), maxMetadataValue)
		if key = strings.Join(strings.Fields(key), " "); key == "" || value == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		b.WriteString(key + ": " + value)
	}
	return truncate(b.String(), maxMetadata)
}

func truncate(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return strings.TrimSpace(string(runes[:most-1])) + "…"
	}
	return text
}

// Vocabulary says how common the words of a search are. Models that only quote documents use it to
// choose quotations.
type Vocabulary struct {
	Chunks int            `json:"chunks"` // chunks of the tenant
	Terms  map[string]int `json:"terms"`  // number of chunks that contain each word of the queries
	// Synonyms lists the operator's synonyms that occur in the queries, each with its replacements:
	// "k8s: kubernetes, kube".
	Synonyms []string `json:"synonyms,omitempty"`
}

// WithVocabulary appends a vocabulary to a result of [DocumentsJSON], as the last field.
func WithVocabulary(documents string, v Vocabulary) string {
	return strings.TrimSuffix(documents, "}") + ",\"vocabulary\":" + string(marshalPlain(v)) + "}"
}

// LastField decodes the last field of a result of [DocumentsJSON], such as the vocabulary, into
// value. It returns false if the field is missing or incomplete. Text of a document cannot be
// mistaken for the field, because quotation marks in a document are escaped.
func LastField(result, name string, value any) bool {
	mark := ",\"" + name + "\":"
	at := strings.LastIndex(result, mark)
	return at >= 0 && json.NewDecoder(strings.NewReader(result[at+len(mark):])).Decode(value) == nil
}

const documentsMark = "{\"documents\":["

// ReadDocuments returns the documents in a result of [DocumentsJSON]. It accepts a result that was
// cut off, and then returns the complete documents in it.
func ReadDocuments(result string) []Document {
	start := strings.Index(result, documentsMark)
	if start < 0 {
		return nil
	}
	var all struct {
		Documents []Document `json:"documents"`
	}
	if json.NewDecoder(strings.NewReader(result[start:])).Decode(&all) == nil {
		return all.Documents
	}
	var whole []Document
	for line := range strings.Lines(result[start+len(documentsMark):]) {
		var d Document
		if json.Unmarshal([]byte(strings.TrimRight(strings.TrimSpace(line), ",]}")+"}"), &d) == nil {
			whole = append(whole, d)
		}
	}
	return whole
}

// DocumentsJSON returns {"documents":[…]} with one document per line. If note is not empty, it is
// the last field. Each document begins with its number and ends with its contents. Characters such
// as < are not escaped.
func DocumentsJSON(docs []Document, note string) string {
	var b strings.Builder
	b.WriteString(documentsMark)
	for i, d := range docs {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
		b.Write(marshalPlain(d))
	}
	if len(docs) > 0 {
		b.WriteByte('\n')
	}
	b.WriteByte(']')
	if note != "" {
		b.WriteString(",\"note\":")
		b.Write(marshalPlain(note))
	}
	b.WriteByte('}')
	return b.String()
}

// marshalPlain is like json.Marshal without HTML escapes, which cost tokens. It must be called only
// with plain structs of strings and numbers, which cannot fail.
func marshalPlain(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // cannot fail for the types above
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
