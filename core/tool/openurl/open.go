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

// Source ids of fetched pages, whose documents are in no index. Pages that only the operator's list
// allowed are not assumed to be public.
const (
	SourceWeb    document.SourceID = "open_url"
	SourceListed document.SourceID = "open_url_listed"
)

// Fetched reports whether a document is a page that this tool fetched. Such a
// page is in no index, so no source says who may read it.
func Fetched(id document.ID) bool {
	source, _, _ := strings.Cut(string(id), ":")
	return source == string(SourceWeb) || source == string(SourceListed)
}

// PageID returns the document id of a page that everyone can open.
func PageID(address string) document.ID { return document.ID(string(SourceWeb) + ":" + address) }

// Public reports whether a document is a fetched page that everyone could have opened.
func Public(id document.ID) bool {
	source, _, _ := strings.Cut(string(id), ":")
	return source == string(SourceWeb)
}

// Listed returns the ACL of a page that only the operator's list allowed: members only, because the
// page may not be public.
func Listed() access.ACL { return access.ACL{access.Members} }

// maxChunks is how many chunks of a document are looked at; more than maxPage characters can be.
const maxChunks = 400

// opening is what became of one address.
type opening struct {
	address string
	ref     document.Ref
	said    map[string]string // metadata of a document of the index
	chunk   *document.ChunkID // the first of a document of the index; nil of a page
	text    string
	parts   []message.Section // its sections, of a document of the index
	err     error
}

// open reads a document of the index where the address is one of its, else a page of the web.
func (t *Tool) open(ctx context.Context, address string, r rules, scope tool.Scope) opening {
	o := opening{address: address}
	if id, ok := r.indexed[exact(address)]; ok {
		if o = t.read(ctx, o, id, scope); o.err == nil {
			return o
		}
	}
	var way way
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
		o.err = errors.New("it holds no text")
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

// read puts a document of the index together from its chunks, as the audience may read it now.
func (t *Tool) read(ctx context.Context, o opening, id document.ID, scope tool.Scope) opening {
	passages, err := t.index.Excerpts(ctx, scope.Audience, []retrieve.Span{{Document: id, From: 0, To: maxChunks}})
	if err != nil || len(passages) == 0 {
		o.err = errors.New("the document is no longer there")
		return o
	}
	var text document.Joiner
	for _, p := range passages {
		for _, part := range retrieve.Parts(p.Chunk) {
			o.parts = append(o.parts, message.Section(part))
		}
		text.Add(p.Chunk)
	}
	o.ref, o.said, o.chunk, o.text = passages[0].Document, passages[0].Metadata, new(passages[0].ID), text.String()
	return o
}

// begun are the sections that begin in a text that may have been shortened.
func begun(sections []message.Section, text string) []message.Section {
	var out []message.Section
	for _, s := range sections {
		if line, _, _ := strings.Cut(strings.TrimSpace(s.Text), "\n"); strings.Contains(text, line) {
			out = append(out, s)
		}
	}
	return out
}

// cutOff ends a text that goes on.
const cutOff = "\n\n[The rest is left out.]"

// result is what the model reads: each page under its number, as far as there is room.
func (t *Tool) result(opened []opening, scope tool.Scope) (tool.Result, error) {
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
			text = t.within(text, tokens)
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
		doc := tool.Document{Number: number, Page: scope.Citations.Page(o.ref.ID), Title: o.ref.Title, URL: o.ref.URL, Metadata: tool.Metadata(o.said), Contents: text}
		if !o.ref.UpdatedAt.IsZero() {
			doc.Updated = o.ref.UpdatedAt.Format("2006-01-02")
		}
		docs = append(docs, doc)
		result.References = append(result.References, message.Reference{
			Number: number, Document: o.ref, Chunk: o.chunk, Text: text, Part: cite.PagePart, Sections: begun(o.parts, text),
		})
	}
	note := strings.Join(faults, " ")
	if len(docs) == 0 {
		return tool.Result{}, errors.New(strings.TrimSuffix(note, "."))
	}
	result.Content = tool.DocumentsJSON(docs, note)
	return result, nil
}

// shorten cuts a text to so many characters, and says so.
func shorten(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	if most <= len(cutOff) {
		return ""
	}
	return string(runes[:most-len(cutOff)]) + cutOff
}

// scrap is the size, in tokens, of a beginning that is too short to be worth reading.
const scrap = 100

// within cuts a text to so many tokens.
func (t *Tool) within(text string, tokens int) string {
	for size := t.counter.Count(text); size > tokens; size = t.counter.Count(text) {
		if tokens < scrap {
			return ""
		}
		// Proportionally, and a little more, so that a few rounds do.
		if text = shorten(text, len([]rune(text))*tokens/size*9/10); text == "" {
			return ""
		}
	}
	return text
}
