package openurl

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
)

// Source ids of fetched pages, which are not in the index. SourceListed is for pages that may be
// opened only because they are on the operator's list. Such a page may not be public.
const (
	// SourceWeb is the source id of public fetched pages.
	SourceWeb    document.SourceID = "open_url"
	SourceListed document.SourceID = "open_url_listed"
)

// Fetched reports whether a document was fetched by this tool. The index does not contain such a
// page, so no source defines its readers.
func Fetched(id document.ID) bool {
	source, _, _ := strings.Cut(string(id), ":")
	return source == string(SourceWeb) || source == string(SourceListed)
}

// PageID returns the document id of a page that everyone can open.
func PageID(address string) document.ID { return document.ID(string(SourceWeb) + ":" + address) }

// Public reports whether a document is a fetched page that everyone could open.
func Public(id document.ID) bool {
	source, _, _ := strings.Cut(string(id), ":")
	return source == string(SourceWeb)
}

// Listed returns the access list of pages with the source SourceListed. Only members may read them.
func Listed() access.ACL { return access.ACL{access.Members} }

// maxChunks is the maximum number of chunks to read from a document. They are more text than
// maxPage allows.
const maxChunks = 400

type openedPage struct {
	address  string
	ref      document.Ref
	metadata map[string]string // metadata of an indexed document
	chunk    *document.ChunkID // first chunk of an indexed document; nil for a page
	text     string
	parts    []message.Section // sections of an indexed document
	err      error
}

func (t *Tool) openAddress(ctx context.Context, address string, r rules, scope tool.Scope) openedPage {
	o := openedPage{address: address}
	if id, ok := r.indexed[withoutFragment(address)]; ok {
		if o = t.readDocument(ctx, o, id, scope); o.err == nil {
			return o
		}
	}
	var way redirectChain
	page, err := t.fetcher.Fetch(ctx, address, func(ctx context.Context, hop Hop) error { return t.permit(ctx, &way, hop, r, scope) })
	if err != nil {
		o.err = err
		return o
	}
	source := SourceWeb
	if way.listed {
		source = SourceListed
	}
	if strings.TrimSpace(page.Text) == "" {
		o.err = errors.New("it has no text")
		return o
	}
	o.text = page.Text
	o.ref = document.Ref{
		ID: document.ID(string(source) + ":" + page.URL), Source: source, Kind: "web", Title: page.Title, URL: page.URL, UpdatedAt: page.UpdatedAt,
	}
	if o.ref.Title == "" {
		o.ref.Title = page.URL
	}
	return o
}

func (t *Tool) readDocument(ctx context.Context, o openedPage, id document.ID, scope tool.Scope) openedPage {
	passages, err := t.index.Excerpts(ctx, scope.Audience, []retrieve.Span{{Document: id, From: 0, To: maxChunks}})
	if err != nil || len(passages) == 0 {
		o.err = errors.New("the document no longer exists")
		return o
	}
	var text document.Joiner
	for _, p := range passages {
		for _, part := range retrieve.Parts(p.Chunk) {
			o.parts = append(o.parts, message.Section(part))
		}
		text.Add(p.Chunk)
	}
	o.ref, o.metadata, o.chunk, o.text = passages[0].Document, passages[0].Metadata, new(passages[0].ID), text.String()
	return o
}

func sectionsIn(sections []message.Section, text string) []message.Section {
	var out []message.Section
	for _, s := range sections {
		words := document.Chunk{Text: s.Text}.Words() // a fence may be in any section
		if line, _, _ := strings.Cut(strings.TrimSpace(words), "\n"); strings.Contains(text, line) {
			out = append(out, s)
		}
	}
	return out
}

const truncationNote = "\n\n[The rest is left out.]"

func (t *Tool) buildResult(opened []openedPage, scope tool.Scope) (tool.Result, error) {
	result := tool.Result{Citable: true, Evidence: true}
	var docs []tool.Document
	var faults []string
	room, tokens := maxTotal, scope.Budget
	for _, o := range opened {
		if o.err != nil {
			faults = append(faults, fmt.Sprintf("%s was not opened: %v.", o.address, o.err))
			continue
		}
		text := shorten(o.text, min(maxPage, room))
		if scope.Budget > 0 {
			text = t.truncateTokens(text, tokens)
		}
		if text == "" {
			faults = append(faults, o.address+" was left out because there is no room for it; open it alone.")
			continue
		}
		room -= len([]rune(text))
		tokens -= t.counter.Count(text)
		number := scope.Citations.Add(cite.Source{
			Document: o.ref.ID, Part: cite.PagePart, Title: o.ref.Title, URL: o.ref.URL, Kind: string(o.ref.Kind),
		})
		doc := tool.Document{Number: number, Page: scope.Citations.Page(o.ref.ID), Title: o.ref.Title, URL: o.ref.URL, Metadata: tool.Metadata(o.metadata), Contents: text}
		if !o.ref.UpdatedAt.IsZero() {
			doc.Updated = o.ref.UpdatedAt.Format("2006-01-02")
		}
		docs = append(docs, doc)
		result.References = append(result.References, message.Reference{
			Number: number, Document: o.ref, Chunk: o.chunk, Text: text, Part: cite.PagePart, Sections: sectionsIn(o.parts, text),
		})
	}
	note := strings.Join(faults, " ")
	if len(docs) == 0 {
		return tool.Result{}, errors.New(strings.TrimSuffix(note, "."))
	}
	result.Content = tool.DocumentsJSON(docs, note)
	return result, nil
}

// shorten returns a text of at most the given number of characters, with truncationNote at the end
// if it was cut. It returns "" if only the note would fit.
func shorten(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	if most <= len(truncationNote) {
		return ""
	}
	return string(runes[:most-len(truncationNote)]) + truncationNote
}

const minUsefulTokens = 100

func (t *Tool) truncateTokens(text string, tokens int) string {
	for size := t.counter.Count(text); size > tokens; size = t.counter.Count(text) {
		if tokens < minUsefulTokens {
			return ""
		}
		// Cut proportionally, and a little more, so that few rounds suffice.
		if text = shorten(text, len([]rune(text))*tokens/size*9/10); text == "" {
			return ""
		}
	}
	return text
}
