package htmltext_test

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/htmltext"
)

// The ids of a page's frame are no places that a reader wants to be led to; those of headings,
// sections and named anchors are, whatever they are.
func TestFrameIsNoAnchor(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`<header id=intro><h1>Tariff</h1></header>`:                 "",
		`<div id=header><h1>Tariff</h1></div>`:                      "",
		`<div id=search-menu></div><h1>Tariff</h1>`:                 "",
		`<div id=toc></div><h1>Tariff</h1>`:                         "",
		`<form id=find></form><h1>Tariff</h1>`:                      "",
		`<h1 id=search>Search</h1>`:                                 "search",
		`<a name=toc></a><h1>Contents</h1>`:                         "toc",
		`<section id=header><h1>Header</h1></section>`:              "header",
		`<div id=berths><h1>Berths</h1></div>`:                      "berths",
		`<div id=berths><div id=header><h1>Berths</h1></div></div>`: "berths",
	} {
		sections := htmltext.Parse(source + "<p>What it costs to lie here.</p>").Sections
		if len(sections) != 1 || sections[0].Anchor != want {
			t.Errorf("%s: sections are %+v, want the anchor %q", source, sections, want)
		}
	}
}
