package render_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/footnotehq/footnote/adapters/discord/render"
	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/google/go-cmp/cmp"
)

func TestFinishedAnswer(t *testing.T) {
	t.Parallel()
	view := rendertest.View(append(rendertest.Cited(), packet.MessageDelta{Text: "Set it [[1]](https://docs.example/r#wal). "},
		packet.Stop{Reason: "answered", Notices: []string{"@here notes.txt was *left out*."}})...)
	want := []render.Page{{
		Content: "Set it [[1]](<https://docs.example/r#wal>).\n\n-# @\u200bhere notes.txt was \\*left out\\*.\n-# **Sources**\n-# [3] notes.txt · no link",
		Buttons: []thread.Button{{Action: thread.ActionUp, Label: "👍"}, {Action: thread.ActionDown, Label: "👎"}},
		Links: []render.Link{
			{Label: "[1] Replication · 5 months old", URL: "https://docs.example/r#wal"}, {Label: "[2] Settings", URL: "https://docs.example/s"},
		},
		Done: true,
	}}
	if diff := cmp.Diff(want, renderer().Render(view)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	old := rendertest.Now.Add(-24 * time.Hour)
	stop := []thread.Button{{Action: thread.ActionStop, Label: "Stop"}}
	again := []thread.Button{{Action: thread.ActionRetry, Label: "Try again", Primary: true}}
	rate := []thread.Button{{Action: thread.ActionUp, Label: "👍"}, {Action: thread.ActionDown, Label: "👎"}}
	for name, c := range map[string]struct {
		packets []packet.Payload
		want    render.Page
	}{
		"failed before a word": {
			[]packet.Payload{packet.Error{Message: "It broke. Ask again.", Reference: "r-1", Retryable: true}, packet.Stop{Reason: "failed"}},
			render.Page{
				Content: "It broke. Ask again.\n\nReference: r-1", Buttons: []thread.Button{{Action: thread.ActionRetry, Label: "Try again", Primary: true}}, Done: true,
			},
		},
		"stopped": {
			[]packet.Payload{packet.MessageDelta{Text: "Half **an"}, packet.Stop{Reason: "stopped", Message: "Stopped. What had been written is kept."}},
			render.Page{Content: "Half \\*\\*an\n\n-# Stopped. What had been written is kept.", Buttons: append(again, rate...), Done: true},
		},
		"nothing found": {
			[]packet.Payload{packet.Stop{
				Reason: "no_evidence", Message: "Nothing in the documents answers this.",
				Closest: []packet.Document{{Title: "Backups", URL: "https://docs.example/b", UpdatedAt: &old}},
			}},
			render.Page{
				Content: "Nothing in the documents answers this.\n\n-# **The closest documents**\n-# [Backups](<https://docs.example/b>) · docs.example · 1 day old", Buttons: rate, Done: true,
			},
		},
		"being written": {
			[]packet.Payload{packet.MessageStart{}, packet.MessageDelta{Text: "Half **an"}},
			render.Page{Content: "Half **an** ▌", Buttons: stop},
		},
		"code being written": {
			[]packet.Payload{packet.MessageStart{}, packet.MessageDelta{Text: "```go\nx := 1"}},
			render.Page{Content: "```go\nx := 1\n```\n▌", Buttons: stop},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff([]render.Page{c.want}, renderer().Render(rendertest.View(c.packets...))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestProgressIsShownWhereItIsWanted(t *testing.T) {
	t.Parallel()
	view := rendertest.View(packet.SearchStart{}, packet.SearchQueries{Queries: []string{"set up\n*replication*", "@everyone"}})
	r := renderer()
	if pages := r.Render(view); len(pages) != 0 {
		t.Errorf("nothing is worth showing, got %+v", pages)
	}
	r.Progress = true
	want := "*Searching: set up \\*replication\\* · @\u200beveryone*"
	if pages := r.Render(view); len(pages) != 1 || pages[0].Content != want {
		t.Errorf("got %+v", pages)
	}
}

// checkContent holds what Discord holds against a message.
func checkContent(t *testing.T, pages []render.Page) {
	t.Helper()
	for i, p := range pages {
		if n := len(utf16.Encode([]rune(p.Content))); n > render.MaxContent || n == 0 {
			t.Errorf("message %d has %d characters", i, n)
		}
		if p.Number != i || strings.Count(p.Content, "```")%2 != 0 {
			t.Errorf("message %d has number %d and %d fences", i, p.Number, strings.Count(p.Content, "```"))
		}
	}
}

func TestLongAnswersAreAttached(t *testing.T) {
	t.Parallel()
	code := "Intro.\n\n```go\n" + strings.Repeat("x := 1 // comment\n", 2000) + "```"
	view := rendertest.View(append(rendertest.Cited(), packet.MessageDelta{Text: code})...)
	pages := renderer().Render(view)
	checkContent(t, pages)
	if last := pages[len(pages)-1]; len(pages) != render.MaxPages || last.Attachment != "" || !strings.HasSuffix(last.Content, "will be attached as a file.") {
		t.Errorf("%d pages while it is written, last %+v", len(pages), last)
	}
	view.Phase = stream.Done
	pages = renderer().Render(view)
	checkContent(t, pages)
	last := pages[len(pages)-1]
	if !strings.HasPrefix(last.Attachment, code) || !strings.Contains(last.Attachment, "- [1] Replication <https://docs.example/r#wal> (docs.example · 5 months old)") ||
		!strings.Contains(pages[render.MaxPages-1].Content, render.AttachmentName) || len(last.Links) != 2 {
		t.Errorf("%d pages, last %+v", len(pages), last)
	}
}

func TestLongReportIsAFileAtItsDigest(t *testing.T) {
	t.Parallel()
	text := "It is set up in two steps.\n\n# First\n\n" + strings.Repeat("Do this. ", 1000) + "\n\n# Second\n\nAnd that."
	view := rendertest.View(append(append([]packet.Payload{packet.DeepSearchPlanStart{}}, rendertest.Cited()...), packet.MessageDelta{Text: text}, packet.Stop{})...)
	pages := renderer().Render(view)
	checkContent(t, pages)
	if want := "It is set up in two steps.\n\n- First\n- Second\n"; len(pages) != 1 || !strings.HasPrefix(pages[0].Content, want) || !strings.HasPrefix(pages[0].Attachment, text) || len(pages[0].Links) != 2 {
		t.Errorf("%d pages, first %+v", len(pages), pages[0])
	}
}

func TestManySourcesGoToAnotherMessage(t *testing.T) {
	t.Parallel()
	var packets []packet.Payload
	for n := 1; n <= 14; n++ {
		packets = append(packets, packet.CitationInfo{
			Number: n, Title: fmt.Sprintf("%d @everyone %s", n, strings.Repeat("title ", 40)), URL: "https://docs.example/" + strings.Repeat("x", 300),
		})
	}
	view := rendertest.View(append(packets, packet.MessageDelta{Text: strings.Repeat("Some words. ", 150)}, packet.Stop{})...)
	pages := renderer().Render(view)
	checkContent(t, pages)
	var all strings.Builder
	for _, p := range pages {
		all.WriteString(p.Content + "\n")
	}
	if n := strings.Count(all.String(), "-# [") + len(pages[len(pages)-1].Links); n != render.MaxSources || !strings.Contains(all.String(), "-# 4 more documents are not listed.") ||
		strings.Contains(all.String(), "@everyone") {
		t.Errorf("%d sources in %d messages: %s", n, len(pages), all.String())
	}
}

func TestLongTexts(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"one word": strings.Repeat("a", 30000), "marks": strings.Repeat("*", 30000), "wide": strings.Repeat("日本", 5000), "emoji": strings.Repeat("👩‍👩‍👧🇩🇪", 2000),
		"quotes": strings.Repeat("> ", 5000) + "a", "table": "| a | b |\n|---|---|\n" + strings.Repeat("| some words | `code` |\n", 500),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view := rendertest.View(packet.MessageDelta{Text: text}, packet.Stop{Message: text, Notices: []string{text}})
			checkContent(t, renderer().Render(view))
		})
	}
}

func BenchmarkRender(b *testing.B) {
	const part = "## Setting **wal_level**\n\nThe primary needs `wal_level = replica` [[1]](https://docs.example/r#wal), *and* the standby a slot.\n\n" +
		"1. Edit the file:\n   ```ini\n   wal_level = replica\n   ```\n2. Restart.\n   - First the primary\n\n| Setting | Value |\n|---|---:|\n| slots | 10 |\n\n"
	view := rendertest.View(append(rendertest.Cited(), packet.MessageDelta{Text: strings.Repeat(part, 60000/len(part)+1)[:60000]})...)
	r := renderer()
	for b.Loop() {
		r.Render(view)
	}
}

func TestSectionsOfOneDocumentStandOnOneLine(t *testing.T) {
	t.Parallel()
	sections := func(n int) (packets []packet.Payload) {
		for i := range n {
			packets = append(packets, packet.CitationInfo{
				Number: i + 1, Document: "b", Title: "Backups", Section: fmt.Sprint("Part ", i+1), URL: fmt.Sprintf("https://docs.example/b#%d", i+1), Source: "web",
			})
		}
		return append(packets, packet.MessageDelta{Text: "a"}, packet.Stop{})
	}
	page := renderer().Render(rendertest.View(sections(7)...))[0]
	if len(page.Links) != 5 || page.Links[1].Label != "[2] Backups › Part 2" || page.Links[1].URL != "https://docs.example/b#2" {
		t.Errorf("links %+v", page.Links)
	}
	want := "-# [6] [Backups › Part 6](<https://docs.example/b#6>), [7] [Backups › Part 7](<https://docs.example/b#7>) · docs.example"
	if !strings.Contains(page.Content, want) {
		t.Errorf("content %q, want %q", page.Content, want)
	}
	checkContent(t, renderer().Render(rendertest.View(sections(500)...)))
}
