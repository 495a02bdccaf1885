package index

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// fingerprint sums up what the index keeps of a document, and the settings it was cut with. Who may
// read it is no part of that: a change of access is stored without the document. A date counts only
// where the document states it: when it is merely the time at which the source last touched it, a
// copy of the same text is the same document.
func fingerprint(d *document.Document, modified time.Time, settings string) Hash {
	w := newFields()
	w.text("content", settings, string(d.ID), d.Title, d.URL, d.Language)
	w.rest(d, modified)
	return Hash(w.Sum(nil))
}

// earlierFingerprint is the fingerprint of versions that counted the access list in: a document
// that was stored by one of them, with the access list given, is not embedded again because this
// version makes fingerprints in another way.
func earlierFingerprint(d *document.Document, modified time.Time, settings string, acl access.ACL) Hash {
	w := newFields()
	w.text(settings, string(d.ID), d.Title, d.URL, d.Language)
	w.number(len(acl))
	for _, p := range sorted(acl) {
		w.text(string(p))
	}
	w.rest(d, modified)
	return Hash(w.Sum(nil))
}

// rest writes what both fingerprints have in common.
func (w fields) rest(d *document.Document, modified time.Time) {
	if !d.UpdatedAt.Equal(modified) {
		w.number(int(d.UpdatedAt.UnixMicro()))
	}
	w.number(len(d.Metadata))
	for _, key := range slices.Sorted(maps.Keys(d.Metadata)) {
		w.text(key, d.Metadata[key])
	}
	if len(d.Links) > 0 {
		w.number(-len(d.Links)) // no number of headings
	}
	for _, l := range d.Links {
		w.text(l.Text, l.To)
	}
	for _, s := range d.Sections {
		w.number(len(s.Heading))
		w.text(s.Heading...)
		w.text(s.Anchor)
		w.number(len(s.Blocks))
		for _, b := range s.Blocks {
			w.number(int(b.Kind))
			w.text(b.Text)
			if b.Language != "" {
				w.number(-1) // no kind of a block
				w.text(b.Language)
			}
		}
	}
}

// fields writes values so that no two lists of values write the same bytes.
type fields struct{ hash.Hash }

func newFields() fields { return fields{sha256.New()} }

func (f fields) number(n int) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	_, _ = f.Write(b[:]) // a hash never fails
}

func (f fields) text(values ...string) {
	for _, v := range values {
		f.number(len(v))
		_, _ = f.Write([]byte(v))
	}
}

// The longest title, and the longest value of a document's metadata, in bytes: both stand before
// every chunk in what is searched.
const (
	longestTitle = 500
	longestValue = 2000
)

// clean makes every text of a document one that any store takes: valid UTF-8 without NUL. What is
// repeated with every chunk is cut to its longest.
func clean(d *document.Document) {
	d.Title = cleanText(start(d.Title, longestTitle))
	d.URL = cleanText(d.URL)
	for key, value := range d.Metadata {
		value = start(value, longestValue)
		if k := cleanText(key); k != key {
			delete(d.Metadata, key)
			key = k
		}
		d.Metadata[key] = cleanText(value)
	}
	for i := range d.Links {
		l := &d.Links[i]
		l.Text, l.To = cleanText(l.Text), cleanText(l.To)
	}
	for i := range d.Sections {
		s := &d.Sections[i]
		s.Anchor = cleanText(s.Anchor)
		for j := range s.Heading {
			s.Heading[j] = cleanText(s.Heading[j])
		}
		for j := range s.Blocks {
			s.Blocks[j].Text = cleanText(s.Blocks[j].Text)
			s.Blocks[j].Language = cleanText(s.Blocks[j].Language)
		}
	}
}

// start is a text cut to a length in bytes.
func start(s string, length int) string {
	if len(s) <= length {
		return s
	}
	return s[:length-len("…")] + "…"
}

func cleanText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}
