package render_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/adapters/slack/render"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/google/go-cmp/cmp"
)

func renderer() *render.Renderer {
	return &render.Renderer{
		Now:   func() time.Time { return rendertest.Now },
		Links: func(address string) bool { return strings.HasPrefix(address, "https://docs.example") },
	}
}

// TestCorpus renders each text of the corpus in every form that Slack is sent.
func TestCorpus(t *testing.T) {
	t.Parallel()
	rendertest.Corpus(t, func(t *testing.T, view *stream.View) string {
		standard := renderer()
		var b strings.Builder
		for _, p := range standard.Render(view) {
			fmt.Fprintf(&b, "== markdown\n%s\n", p.Markdown)
		}
		for _, p := range standard.Render(bare(view)) {
			fmt.Fprintf(&b, "== mrkdwn\n%s\n", strings.Join(p.Sections, "\n== section\n"))
		}
		for _, p := range standard.Render(view) {
			text, _, _ := strings.Cut(p.Text, "\nSources:")
			fmt.Fprintf(&b, "== text\n%s\n", text)
		}
		piece, _ := standard.Tail()(view)
		if diff := cmp.Diff(standard.Render(view)[0].Markdown, piece.Markdown); diff != "" {
			t.Errorf("a stream shows something else than a message (-message +stream):\n%s", diff)
		}
		return b.String()
	})
}

func TestStrangersAreCode(t *testing.T) {
	t.Parallel()
	rendertest.CheckStrangers(t, func(markdown string) string {
		view := rendertest.View(append(rendertest.Cited(), packet.MessageDelta{Text: markdown})...)
		view.Phase = stream.Done
		piece, _ := renderer().Tail()(view)
		return renderer().Render(view)[0].Markdown + "\n\n" + strings.Join(renderer().Render(bare(view))[0].Sections, "\n") + "\n\n" + piece.Markdown
	})
}

func TestInvisibleCharactersAreTakenOut(t *testing.T) {
	t.Parallel()
	rendertest.CheckInvisible(t, func(markdown string) string {
		view := rendertest.View(packet.MessageDelta{Text: markdown})
		view.Phase = stream.Done
		return renderer().Render(view)[0].Markdown
	})
}

// shownAs renders a finished answer.
func shownAs(r *render.Renderer, markdown string) render.Page {
	view := rendertest.View(append(rendertest.Cited(), packet.MessageDelta{Text: markdown})...)
	view.Phase = stream.Done
	return r.Render(view)[0]
}

// bare is a view of which Slack takes no markdown blocks.
func bare(v *stream.View) *stream.View {
	copied := *v
	copied.Form = stream.Bare
	return &copied
}

// sections are a finished answer in Slack's own markup.
func sections(markdown string) []string {
	view := rendertest.View(append(rendertest.Cited(), packet.MessageDelta{Text: markdown})...)
	view.Phase = stream.Done
	return renderer().Render(bare(view))[0].Sections
}

func TestMarksAndLinksInMrkdwn(t *testing.T) {
	t.Parallel()
	for markdown, want := range map[string]string{
		"2 * 3 is 6, a ~ b and a _ b":                      "2 * 3 is 6, a ~ b and a _ b",
		"2\\*3\\*4":                                        "2\u200b*\u200b3\u200b*\u200b4",
		"https://docs.example/docs_(v2) is new":            "<https://docs.example/docs_%28v2%29> is new",
		"[a|b](https://docs.example/r)":                    "<https://docs.example/r|a¦b>",
		"[https://docs.example/r](https://docs.example/r)": "<https://docs.example/r>",
		"see <https://docs.example/r|the manual> first":    "see <https://docs.example/r|the manual> first",
		"see <https://docs.example/r|manual>":              "see <https://docs.example/r|manual>",
		"see <https://evil.example/r|the manual>":          "see the manual (`https://evil.example/r`)",
		"see <https://docs.example/r|a *b* c>":             "see &lt;<https://docs.example/r>|a _b_ c&gt;",
	} {
		if got := strings.Join(sections(markdown), "\n"); got != want {
			t.Errorf("%q is shown as %q, want %q", markdown, got, want)
		}
	}
}

func TestMailboxes(t *testing.T) {
	t.Parallel()
	for markdown, want := range map[string]string{
		"<```@a> and on":             "```` ```@a ```` and on",
		"<a.b-c@x.example> and on":   "a.b-c@x.example and on",
		"<a*b*c@x.example> and on":   "`a*b*c@x.example` and on",
		"<__a__@x.example> and on":   "`__a__@x.example` and on",
		"<a`b@x.example> and on":     "``a`b@x.example`` and on",
		"bob@here.com or @here.":     "bob@here.com or @\u200bhere.",
		"`git clone git@here.com:x`": "`git clone git@here.com:x`",
		"@channel4 and @Channel!":    "@channel4 and @\u200bChannel!",
		"<x@here.com> <@here>":       "x@here.com &lt;\u200b@\u200bhere>",
	} {
		if got := shownAs(renderer(), markdown).Markdown; got != want {
			t.Errorf("%q is shown as %q, want %q", markdown, got, want)
		}
	}
}

func TestCitationsStandApart(t *testing.T) {
	t.Parallel()
	const one, two = "[[1]](https://docs.example/r#wal)", "[[2]](https://docs.example/s)"
	if got := shownAs(renderer(), "So 20"+two+one+".").Markdown; got != "So 20"+two+" "+one+"." {
		t.Errorf("they are shown as %q", got)
	}
	if got, want := sections("So" + two + one)[0], "So<https://docs.example/s|[2]> <https://docs.example/r#wal|[1]>"; got != want {
		t.Errorf("they are shown as %q, want %q", got, want)
	}
}
