package render_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/render"
	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
)

func renderer() *render.Renderer {
	return &render.Renderer{
		Now:   func() time.Time { return rendertest.Now },
		Links: func(address string) bool { return strings.HasPrefix(address, "https://docs.example") },
	}
}

// TestCorpus renders each text of the corpus in the form that Discord is sent.
func TestCorpus(t *testing.T) {
	t.Parallel()
	rendertest.Corpus(t, func(_ *testing.T, view *stream.View) string {
		var b strings.Builder
		for _, p := range renderer().Render(view) {
			content, _, _ := strings.Cut(p.Content, "\n\n-# **Sources**")
			fmt.Fprintf(&b, "== page\n%s\n", content)
		}
		return b.String()
	})
}

func TestStrangersAreCode(t *testing.T) {
	t.Parallel()
	rendertest.CheckStrangers(t, func(markdown string) string {
		view := rendertest.View(append(rendertest.Cited(), packet.MessageDelta{Text: markdown})...)
		view.Phase = stream.Done
		content, _, _ := strings.Cut(renderer().Render(view)[0].Content, "\n\n-# **Sources**")
		return content
	})
}

func TestInvisibleCharactersAreTakenOut(t *testing.T) {
	t.Parallel()
	rendertest.CheckInvisible(t, func(markdown string) string {
		view := rendertest.View(packet.MessageDelta{Text: markdown})
		view.Phase = stream.Done
		return renderer().Render(view)[0].Content
	})
}

func TestMailboxesAndLabels(t *testing.T) {
	t.Parallel()
	for markdown, want := range map[string]string{
		"<```@a> and on":                          "`` `\u200b`\u200b`@a`` and on",
		"<||a||@x.example> and on":                "`||a||@x.example` and on",
		"<__a__b@x.example> and on":               "`__a__b@x.example` and on",
		"<a.b-c@x.example> and on":                "a.b-c@x.example and on",
		"bob@here.com or @here.":                  "bob@here.com or @\u200bhere.",
		"`git clone git@here.com:x`":              "`git clone git@here.com:x`",
		"`x @everyone`":                           "`x @\u200beveryone`",
		"[me](https://docs.example/git@here.com)": "[me](<https://docs.example/git@here.com>)",
		"[see https://a.example for details](https://docs.example/r)": "see https:\u200b//a.example for details (<https://docs.example/r>)",
		"[https://docs.example/a_b](https://docs.example/a_b)":        "<https://docs.example/a_b>",
		"see <https://docs.example/r|the manual> first":               "see [the manual](<https://docs.example/r>) first",
	} {
		view := rendertest.View(packet.MessageDelta{Text: markdown})
		view.Phase = stream.Done
		if got := renderer().Render(view)[0].Content; got != want {
			t.Errorf("%q is shown as %q, want %q", markdown, got, want)
		}
	}
}

// A citation is shown as its number alone, so nothing may stand beside it that reads as a part of
// it.
func TestCitationsStandApart(t *testing.T) {
	t.Parallel()
	const one, two = "[[1]](https://docs.example/r#wal)", "[[2]](https://docs.example/s)"
	const shown1, shown2 = "[[1]](<https://docs.example/r#wal>)", "[[2]](<https://docs.example/s>)"
	for markdown, want := range map[string]string{
		"So" + two + one + ".":            "So" + shown2 + " " + shown1 + ".",
		"So " + two + " " + one + ".":     "So " + shown2 + " " + shown1 + ".",
		"**So " + two + one + "**":        "**So " + shown2 + " " + shown1 + "**",
		"**" + two + "**" + one:           "**" + shown2 + "** " + shown1,
		"It costs 20" + one + "5 or more": "It costs 20" + shown1 + "5 or more",
		"See `20`" + one:                  "See `20`" + shown1,
	} {
		view := rendertest.View(append(rendertest.Cited(), packet.MessageDelta{Text: markdown})...)
		view.Phase = stream.Done
		content, _, _ := strings.Cut(renderer().Render(view)[0].Content, "\n\n-# ")
		if content != want {
			t.Errorf("%q is shown as %q, want %q", markdown, content, want)
		}
	}
}
