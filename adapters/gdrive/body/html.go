package body

import (
	"context"
	"net/url"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/htmltext"
	"github.com/footnotehq/footnote/core/document"
	"golang.org/x/net/html"
)

// HTML parses Drive's HTML export of a document. Headings have ids, which are anchors in the
// document's address. It returns an error only if ctx is done.
func HTML(ctx context.Context, text string) ([]document.Section, error) {
	page, err := htmltext.Read(ctx, strip(ctx, text))
	if err != nil {
		return nil, err
	}
	for i, s := range page.Sections {
		if strings.HasPrefix(s.Anchor, "h.") {
			page.Sections[i].Anchor = "heading=" + s.Anchor
		} else {
			page.Sections[i].Anchor = ""
		}
	}
	return page.Sections, nil
}

// mostHeld limits the opening tags that strip keeps back while it looks for a comment, in bytes.
const mostHeld = 2000

// strip removes document comments, which the HTML export puts at the end, and the references to
// them. It replaces links that redirect through Google with their targets.
func strip(ctx context.Context, text string) string {
	var out strings.Builder
	z := html.NewTokenizer(strings.NewReader(text))
	divs, skipDiv := 0, 0 // number of open divs; the number at which a comment began, or 0
	held := ""            // opening tags that may begin a comment or a reference to it
	skipSup := false
	for n := 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return ""
		}
		kind := z.Next()
		if kind == html.ErrorToken {
			break
		}
		raw := string(z.Raw())
		token := z.Token()
		switch {
		case kind == html.StartTagToken && (token.Data == "div" || token.Data == "sup" || held != "" && token.Data == "p"):
			if token.Data == "div" {
				divs++
			}
			if len(held) > mostHeld {
				if skipDiv == 0 && !skipSup {
					out.WriteString(held)
				}
				held = ""
			}
			held += raw
			continue
		case kind == html.StartTagToken && token.Data == "a":
			target, id := attribute(token, "href"), attribute(token, "id")
			switch {
			case strings.HasPrefix(id, "cmnt_ref"):
				held, skipSup = "", true
			case strings.HasPrefix(id, "cmnt"):
				held = ""
				if skipDiv == 0 {
					skipDiv = divs
				}
			case skipDiv == 0:
				if real := direct(target); real != target {
					raw = `<a href="` + html.EscapeString(real) + `">`
				}
			}
		}
		if skipDiv == 0 && !skipSup {
			out.WriteString(held + raw)
		}
		held = ""
		if kind == html.EndTagToken && token.Data == "div" {
			if divs == skipDiv {
				skipDiv = 0
			}
			divs = max(divs-1, 0)
		}
		if kind == html.EndTagToken && token.Data == "sup" {
			skipSup = false
		}
	}
	return out.String()
}

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// direct returns ADDRESS for a link of the form "https://www.google.com/url?q=ADDRESS&sa=D&…". It
// returns other links unchanged.
func direct(target string) string {
	at, err := url.Parse(target)
	if err != nil || at.Host != "www.google.com" || at.Path != "/url" {
		return target
	}
	if real := at.Query().Get("q"); strings.HasPrefix(real, "https://") || strings.HasPrefix(real, "http://") {
		return real
	}
	return target
}
