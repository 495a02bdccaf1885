package web

import (
	"cmp"
	"context"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/htmltext"
	"github.com/footnotehq/footnote/adapters/internal/markdown"
	"github.com/footnotehq/footnote/adapters/internal/office"
	"github.com/footnotehq/footnote/adapters/internal/pdf"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/footprint"
	"golang.org/x/net/html/charset"
)

type format int

const (
	unread format = iota
	htmlPage
	markdownPage
	plainPage
	pdfPage
	officePage
)

// formatOf returns the format of a page by its content type. If the type is missing or not
// specific, the extension in the address decides.
func formatOf(contentType string, at *url.URL) format {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind = ""
	}
	if office.Typed(kind) {
		return officePage
	}
	ending := strings.ToLower(path.Ext(at.Path))
	switch kind {
	case "text/html", "application/xhtml+xml":
		return htmlPage
	case "text/markdown", "text/x-markdown":
		return markdownPage
	case "application/pdf", "application/x-pdf":
		return pdfPage
	case "application/octet-stream", "binary/octet-stream", "application/zip":
		// servers send these for unknown extensions
		switch {
		case ending == ".pdf":
			return pdfPage
		case office.Named(at.Path):
			return officePage
		}
	case "text/plain", "":
		switch {
		case kind == "" && ending == ".pdf":
			return pdfPage
		case kind == "" && office.Named(at.Path):
			return officePage
		case ending == ".md" || ending == ".markdown":
			return markdownPage
		case kind == "" && (ending == ".html" || ending == ".htm" || ending == ""):
			return htmlPage
		case kind == "" && ending != ".txt":
			return unread
		}
		return plainPage
	}
	return unread
}

type parsed struct {
	title    string
	language string
	updated  time.Time
	outline  []document.Section
	base     string          // stated base address of its links; empty means the page's address
	links    []document.Link // link targets as written on the page
}

// parse parses a response in this format. The text of an error is a sentence that says what to do.
func (f format) parse(ctx context.Context, got response) (parsed, error) {
	switch f {
	case pdfPage:
		p, err := pdf.Parse(ctx, got.body, pdf.Options{})
		return parsed{title: p.Title, updated: p.UpdatedAt, outline: p.Sections}, err
	case officePage:
		p, err := office.Parse(ctx, got.body)
		return parsed{title: p.Title, updated: p.UpdatedAt, outline: p.Sections}, err
	case htmlPage:
		p, err := htmltext.Read(ctx, decode(got.body, got.header.Get("Content-Type")))
		return parsed{p.Title, p.Language, p.UpdatedAt, p.Sections, p.Base, p.Links}, err
	case markdownPage:
		p, err := markdown.Read(ctx, decode(got.body, got.header.Get("Content-Type")))
		return parsed{title: p.Title, outline: p.Sections, links: p.Links}, err
	default:
		return footprint.Hold(ctx, footprint.Text, int64(len(got.body)), func(context.Context) (parsed, error) {
			var o document.Outline
			for paragraph := range strings.SplitSeq(decode(got.body, got.header.Get("Content-Type")), "\n\n") {
				o.Block(document.Paragraph, paragraph)
			}
			return parsed{outline: o.Sections()}, nil
		})
	}
}

// decode converts a page to UTF-8 text with plain line breaks. It finds the encoding by the content
// type, the byte order mark and the meta elements.
func decode(raw []byte, contentType string) string {
	text := string(raw)
	encoding, _, certain := charset.DetermineEncoding(raw[:min(len(raw), 1024)], contentType)
	if certain || !utf8.Valid(raw) {
		if decoded, err := encoding.NewDecoder().Bytes(raw); err == nil {
			text = string(decoded)
		}
	}
	text = strings.TrimPrefix(text, "\ufeff")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
}

// build converts a parsed page to a document. stated is the date for a page that has none.
func build(at *url.URL, p parsed, stated time.Time) document.Document {
	title := p.title
	if title == "" {
		title = strings.TrimSuffix(path.Base(at.Path), path.Ext(at.Path))
	}
	if title == "" || title == "/" || title == "." {
		title = at.Host
	}
	updated := p.updated
	if updated.IsZero() {
		updated = stated
	}
	return document.Document{Ref: document.Ref{Title: title, URL: at.String(), UpdatedAt: updated}, Language: p.language, Sections: p.outline, Links: linked(at, p)}
}

// linked returns the addresses that a page links to, in normal form. It drops links to the page
// itself, and links to anything other than web pages.
func linked(at *url.URL, p parsed) []document.Link {
	from := at
	if base, err := at.Parse(p.base); err == nil {
		from = base
	}
	var out []document.Link
	for _, l := range p.links {
		to, err := from.Parse(l.To)
		if err != nil || to.Host == "" || to.User != nil || to.Scheme != "https" && to.Scheme != "http" || len(l.To) > longestAddress {
			continue
		}
		if l.To = clean(to).String(); l.To != at.String() {
			out = append(out, l)
		}
	}
	return out
}

// freshAge is the age up to which Last-Modified is ignored. A younger page was probably generated
// for the request.
const freshAge = 10 * time.Minute

// statedDate returns the time at which a page was changed, from the sitemap or else from the header
// Last-Modified. It returns the zero time if the time is unknown.
func statedDate(sitemap string, header http.Header) time.Time {
	for _, layout := range []string{time.RFC3339, time.DateOnly, "2006-01-02T15:04Z07:00"} {
		if t, err := time.Parse(layout, sitemap); err == nil {
			return t.UTC()
		}
	}
	t, err := http.ParseTime(header.Get("Last-Modified"))
	if err != nil {
		return time.Time{}
	}
	if now, err := http.ParseTime(header.Get("Date")); err == nil && now.Sub(t) < freshAge {
		return time.Time{}
	}
	return t.UTC()
}

func contentKind(header http.Header) string {
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	return fmt.Sprintf("%q", cmp.Or(strings.TrimSpace(kind), "no content type"))
}
