package search

import (
	"context"
	"errors"
	"fmt"
	"go/build"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

const seed = 20260101

const (
	sentencesPerChunk = 9    // about 180 words
	ownShare          = 0.85 // of sentences that come from the document's topic
	ticketShare       = 0.3  // of chunks that name their own ticket, as rare words do
	minSentences      = 12   // of a page that becomes a topic
)

type topic struct {
	title     string
	sentences []string
}

// corpus generates synthetic documents, each mostly from sentences of one topic. Document n is the
// same in every run.
type corpus struct {
	folder string
	topics []topic
}

// textFolder returns the folder of the PostgreSQL manual, of Go's documentation, or ".", in this
// order of preference.
func textFolder() string {
	if found, err := filepath.Glob("/usr/share/doc/postgresql-doc-*/html"); err == nil && len(found) > 0 {
		return found[len(found)-1]
	}
	if doc := filepath.Join(build.Default.GOROOT, "doc"); build.Default.GOROOT != "" {
		if info, err := os.Stat(doc); err == nil && info.IsDir() {
			return doc
		}
	}
	return "."
}

func (b *bench) readText(ctx context.Context) error {
	if b.text == "" {
		b.text = textFolder()
	}
	b.corpus = &corpus{folder: b.text}
	source, err := files.New(files.Options{Path: b.text})
	if err != nil {
		return err
	}
	err = eachDocument(ctx, source, func(d document.Document) {
		t := topic{title: d.Title}
		for _, s := range d.Sections {
			for _, block := range s.Blocks {
				if block.Kind == document.Paragraph || block.Kind == document.List {
					t.sentences = append(t.sentences, sentences(block.Text)...)
				}
			}
		}
		if len(t.sentences) >= minSentences {
			b.corpus.topics = append(b.corpus.topics, t)
		}
	})
	if err != nil {
		return err
	}
	total := 0
	for _, t := range b.corpus.topics {
		total += len(t.sentences)
	}
	if len(b.corpus.topics) < 2 {
		return fmt.Errorf("%s holds too little running text: name another folder with -text", b.text)
	}
	b.printf("%s: %d topics with %d sentences\n", b.text, len(b.corpus.topics), total)
	return nil
}

func eachDocument(ctx context.Context, source index.Connector, f func(document.Document)) error {
	for batch, err := range source.Sync(ctx, nil) {
		if err != nil {
			return err
		}
		for _, item := range batch.Documents {
			d, err := item.Load(ctx)
			if errors.Is(err, index.ErrSkipped) {
				continue
			}
			if err != nil {
				return err
			}
			f(d)
		}
	}
	return nil
}

// sentences splits text at full stops. It drops sentences of 30 bytes or fewer, or 600 or more.
func sentences(text string) []string {
	var out []string
	for s := range strings.SplitSeq(strings.Join(strings.Fields(text), " "), ". ") {
		if s = strings.TrimSuffix(s, "."); len(s) > 30 && len(s) < 600 {
			out = append(out, s+".")
		}
	}
	return out
}

type made struct {
	number int
	topic  int
	title  string
	chunks []string
	acl    access.ACL
}

func (c *corpus) document(n int) made {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	m := made{number: n, topic: rng.IntN(len(c.topics))}
	own := c.topics[m.topic]
	m.title = fmt.Sprintf("%s, part %d", own.title, n)
	for range 1 + rng.IntN(16) {
		var text strings.Builder
		for range sentencesPerChunk {
			from := own
			if rng.Float64() >= ownShare {
				from = c.topics[rng.IntN(len(c.topics))]
			}
			text.WriteString(from.sentences[rng.IntN(len(from.sentences))])
			text.WriteByte(' ')
		}
		if rng.Float64() < ticketShare {
			fmt.Fprintf(&text, "See OPS-%d.", rng.IntN(1_000_000))
		}
		m.chunks = append(m.chunks, strings.TrimSpace(text.String()))
	}
	m.acl = c.readers(n, m.topic)
	return m
}

// share is a group that may read one of part documents: whole topics, or documents scattered over
// all topics.
type share struct {
	name  string
	group access.Principal
	part  int // 1 of so many documents
	whole bool
}

var shares = []share{
	{"100 %", "group:everyone", 1, false},
	{"10 % scattered", "group:scattered-10", 10, false}, {"1 % scattered", "group:scattered-100", 100, false}, {"0.1 % scattered", "group:scattered-1000", 1000, false},
	{"10 % by topic", "group:clustered-10", 10, true}, {"1 % by topic", "group:clustered-100", 100, true}, {"0.1 % by topic", "group:clustered-1000", 1000, true},
}

const spaces = 300

func (c *corpus) readers(n, topic int) access.ACL {
	scattered := rand.New(rand.NewPCG(seed+1, uint64(n))).IntN(1000)
	place := (topic*7919 + 13) % len(c.topics) // spread over the alphabet of the pages
	acl := access.ACL{access.Principal(fmt.Sprintf("group:space-%d", topic%spaces))}
	for _, s := range shares {
		switch {
		case s.whole && place < max(len(c.topics)/s.part, 1), !s.whole && scattered < 1000/s.part:
			acl = append(acl, s.group)
		}
	}
	return acl
}

func (m made) entry() index.Entry {
	e := index.Entry{Document: document.Document{Ref: document.Ref{ID: document.ID(fmt.Sprintf("bench:%d", m.number)), Source: benchSource, Kind: "bench",
		Title: m.title}, ACL: m.acl, Language: "en"}}
	at := 0
	for i, text := range m.chunks {
		c := document.Chunk{Ordinal: i, Text: text, Start: at, End: at + len(text), Tokens: len(text) / 4}
		at += len(text) + 1
		e.Chunks = append(e.Chunks, c)
		e.SearchText = append(e.SearchText, index.SearchText(&e.Document, c, ""))
	}
	return e
}

const benchSource document.SourceID = "bench"
