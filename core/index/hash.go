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

// fingerprint returns a hash of a document and the settings, to detect changes. The access list,
// which is stored separately, is not part of the hash. The document's date is part of it only if it
// differs from modified. Touching a file therefore does not change the hash.
func fingerprint(d *document.Document, modified time.Time, settings string) Hash {
	w := newFields()
	w.text("content", settings, string(d.ID), d.Title, d.URL, d.Language)
	w.writeShared(d, modified)
	return Hash(w.Sum(nil))
}

// earlierFingerprint returns the fingerprint that earlier versions stored. It included the access
// list. Comparing with it avoids embedding every document again after an upgrade.
func earlierFingerprint(d *document.Document, modified time.Time, settings string, acl access.ACL) Hash {
	w := newFields()
	w.text(settings, string(d.ID), d.Title, d.URL, d.Language)
	w.number(len(acl))
	for _, p := range sorted(acl) {
		w.text(string(p))
	}
	w.writeShared(d, modified)
	return Hash(w.Sum(nil))
}

func (w fields) writeShared(d *document.Document, modified time.Time) {
	if !d.UpdatedAt.Equal(modified) {
		w.number(int(d.UpdatedAt.UnixMicro()))
	}
	w.number(len(d.Metadata))
	for _, key := range slices.Sorted(maps.Keys(d.Metadata)) {
		w.text(key, d.Metadata[key])
	}
	if len(d.Links) > 0 {
		w.number(-len(d.Links)) // distinct from a number of headings
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
				w.number(-1) // distinct from a block kind
				w.text(b.Language)
			}
		}
	}
}

// fields is a hash of several values. The length of each value is hashed before the value, so that
// different lists have different hashes.
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

const (
	// longestTitle and longestValue are the maximum lengths in bytes of a title and of a metadata
	// value. Both texts are part of every chunk's search text.
	longestTitle = 500
	longestValue = 2000
)

// clean makes every text of a document storable: valid UTF-8 without NUL. It truncates titles and
// metadata values.
func clean(d *document.Document) {
	d.Title = cleanText(truncate(d.Title, longestTitle))
	d.URL = cleanText(d.URL)
	for key, value := range d.Metadata {
		value = truncate(value, longestValue)
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

func truncate(s string, length int) string {
	if len(s) <= length {
		return s
	}
	return s[:length-len("…")] + "…"
}

func cleanText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}
