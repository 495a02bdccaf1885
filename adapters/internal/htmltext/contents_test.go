package htmltext_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/htmltext"
	"github.com/footnotehq/footnote/core/document"
	"github.com/google/go-cmp/cmp"
)

// A page's own table of contents is left out; lists of links that say something stay.
func TestTablesOfContents(t *testing.T) {
	t.Parallel()
	const body = "<h2 id=a>Install</h2><p>Unpack it.</p>"
	for name, c := range map[string]struct{ source, want string }{
		"a list":               {"<ul><li><a href=#a>Install</a><li><a href=#b>Run</a><li><a href=#c>Stop</a></ul>", ""},
		"a list in a list":     {"<ul><li><a href=#a>Install</a><ul><li><a href=#b>Run</a></ul><li><a href=#c>Stop</a></ul>", ""},
		"with numbers":         {"<p>1. <a href=#a>Install</a><br>2. <a href=#b>Run</a><br>3. <a href=#c>Stop</a></p>", ""},
		"a table":              {"<table><tr><td>1<td><a href=#a>Install</a><tr><td>2<td><a href=#b>Run</a><tr><td>3<td><a href=#c>Stop</a></table>", ""},
		"of two entries":       {"<p><a href=#a>Install</a> <a href=#b>Run</a></p>", "Install Run\n\n"},
		"with explanations":    {"<ul><li><a href=#a>Install</a> from an archive<li><a href=#b>Run</a> as a service<li><a href=#c>Stop</a></ul>", "- Install from an archive\n- Run as a service\n- Stop\n\n"},
		"of other pages":       {"<ul><li><a href=a.html>Install</a><li><a href=b.html>Run</a><li><a href=c.html>Stop</a></ul>", "- Install\n- Run\n- Stop\n\n"},
		"links inside a text":  {"<p>See <a href=#a>one</a>, <a href=#b>two</a> and <a href=#c>three</a> for what follows.</p>", "See one, two and three for what follows.\n\n"},
		"links to the top":     {"<ul><li><a href=#>Install</a><li><a href=#>Run</a><li><a href=#>Stop</a></ul>", "- Install\n- Run\n- Stop\n\n"},
		"links before it":      {"<p>See <a href=#a>Install</a>, <a href=#b>Run</a>, <a href=#c>Stop</a> as needed.</p><p>Good.</p>", "See Install, Run, Stop as needed.\n\nGood.\n\n"},
		"nothing but contents": {"<p>", ""},
	} {
		d := document.Document{Sections: htmltext.Parse(c.source + body).Sections}
		if diff := cmp.Diff(c.want+"## Install\n\nUnpack it.", d.Text()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	alone := htmltext.Parse("<p><a href=#a>Install</a> <a href=#b>Run</a> <a href=#c>Stop</a></p>")
	if d := (document.Document{Sections: alone.Sections}); d.Text() != "Install Run Stop" {
		t.Errorf("a page that is nothing else has the text %q", d.Text())
	}
}

// The sign behind a heading by which it is linked to is no part of the heading, and its place is
// that of the heading.
func TestHeadingsAreReadWithoutTheirLinks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, heading, anchor string }{
		"behind":        {`<h2>File flags<span><a class=mark href=#flags id=flags>#</a></span></h2><p>x`, "File flags", "flags"},
		"a pilcrow":     {`<h2 id=flags>File flags <a href=#flags>¶</a></h2><p>x`, "File flags", "flags"},
		"in front":      {`<h2 id=flags><a href=#flags>§</a> File flags</h2><p>x`, "File flags", "flags"},
		"the text":      {`<h2 id=flags><a href=#flags>File flags</a></h2><p>x`, "File flags", "flags"},
		"a sharp of it": {`<h2 id=csharp>C#</h2><p>x`, "C#", "csharp"},
		"to elsewhere":  {`<h2 id=csharp>C<a href=sharp.html>#</a></h2><p>x`, "C#", "csharp"},
	} {
		sections := htmltext.Parse(c.source).Sections
		if len(sections) != 1 || strings.Join(sections[0].Heading, "›") != c.heading || sections[0].Anchor != c.anchor {
			t.Errorf("%s: sections %+v", name, sections)
		}
	}
}
