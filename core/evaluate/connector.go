package evaluate

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

const source document.SourceID = "collection"

// documentID makes an id from the document's position, because the document's own id may be any
// text.
func documentID(place int) document.ID { return document.ID(fmt.Sprintf("%s:%d", source, place)) }

func (c *Collection) documentOf(id document.ID) (Text, bool) {
	place, err := strconv.Atoi(strings.TrimPrefix(string(id), string(source)+":"))
	if err != nil || place < 0 || place >= len(c.Documents) {
		return Text{}, false
	}
	return c.Documents[place], true
}

const connectorBatch = 256

// Connector returns a connector that indexes the collection's documents, readable by everyone. A
// document without text gets its title as text.
func (c *Collection) Connector() index.Connector { return connector{c} }

type connector struct{ collection *Collection }

var _ index.Connector = connector{}

// Source implements index.Connector.
func (c connector) Source() document.Source {
	return document.Source{ID: source, Kind: "collection", Name: "the collection"}
}

// Settings implements index.Connector.
func (c connector) Settings() string { return "collection 1" }

// Sync implements index.Connector.
func (c connector) Sync(ctx context.Context, _ index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		documents := c.collection.Documents
		for start := 0; start < len(documents); start += connectorBatch {
			if ctx.Err() != nil {
				yield(index.Batch{}, fmt.Errorf("read the collection: %w", context.Cause(ctx)))
				return
			}
			end := min(start+connectorBatch, len(documents))
			batch := index.Batch{Total: len(documents), Complete: end == len(documents)}
			for i, t := range documents[start:end] {
				batch.Documents = append(batch.Documents, index.Item{ID: documentID(start + i), Size: int64(len(t.Text)), Load: t.load})
			}
			if !yield(batch, nil) {
				return
			}
		}
	}
}

func (t Text) load(context.Context) (document.Document, error) {
	text := t.Text
	if strings.TrimSpace(text) == "" {
		text = t.Title
	}
	var o document.Outline
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		o.Block(document.Paragraph, paragraph)
	}
	return document.Document{Ref: document.Ref{Title: t.Title}, ACL: access.ACL{access.Public}, Sections: o.Sections()}, nil
}
