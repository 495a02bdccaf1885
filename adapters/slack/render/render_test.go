package render_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/adapters/slack/render"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestFinishedAnswerHasSourcesNotesAndButtons(t *testing.T) {
	t.Parallel()
	view := rendertest.View(append(rendertest.Cited(), packet.MessageDelta{Text: "Set it [[1]](https://docs.example/r#wal). "},
		packet.Stop{Reason: "answered", Notices: []string{"<!here> notes.txt was left out."}})...)
	want := []render.Page{{
		Markdown: "Set it [[1]](https://docs.example/r#wal).",
		Text:     "Set it [1].\n&lt;\u200b!here&gt; notes.txt was left out.\nSources:\n[1] Replication\n[2] Settings\n[3] notes.txt",
		Notes:    []string{"&lt;\u200b!here&gt; notes.txt was left out."},
		Heading:  "Sources",
		Sources: []render.Source{
			{Number: 1, Title: "Replication", URL: "https://docs.example/r#wal", Detail: "docs.example · 5 months old"},
			{Number: 2, Title: "Settings", URL: "https://docs.example/s", Detail: "docs.example"},
			{Number: 3, Title: "notes.txt", Detail: "no link"},
		},
		Buttons: []thread.Button{thread.ButtonFor(thread.ActionUp), thread.ButtonFor(thread.ActionDown)},
		Done:    true,
	}}
	if diff := cmp.Diff(want, renderer().Render(view)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	old := rendertest.Now.Add(-24 * time.Hour)
	again := thread.Button{Action: thread.ActionRetry, Label: "Try again", Primary: true}
	for name, c := range map[string]struct {
		packets []packet.Payload
		want    render.Page
	}{
		"failed before a word": {
			[]packet.Payload{packet.Error{Message: "It broke. Ask again.", Reference: "r-1", Retryable: true}, packet.Stop{Reason: "failed"}},
			render.Page{
				Markdown: "It broke. Ask again.\n\nReference: r-1", Text: "It broke. Ask again.\n\nReference: r-1",
				Buttons: []thread.Button{again}, Done: true,
			},
		},
		"stopped": {
			[]packet.Payload{packet.MessageDelta{Text: "Half **an"}, packet.Stop{Reason: "stopped", Message: "Stopped. What had been written is kept."}},
			render.Page{
				Markdown: `Half \*\*an`, Text: "Half **an\nStopped. What had been written is kept.", Notes: []string{"Stopped. What had been written is kept."},
				Buttons: []thread.Button{again, thread.ButtonFor(thread.ActionUp), thread.ButtonFor(thread.ActionDown)}, Done: true,
			},
		},
		"nothing found": {
			[]packet.Payload{packet.Stop{
				Reason: "no_evidence", Message: "I found nothing about this in your documents. Try other words.",
				Closest: []packet.Document{{Title: "Backups", URL: "https://docs.example/b", UpdatedAt: &old}},
			}},
			render.Page{
				Markdown: "I found nothing about this in your documents. Try other words.", Text: "I found nothing about this in your documents. Try other words.\nThese may help:\nBackups",
				Heading: "These may help:", Sources: []render.Source{{Title: "Backups", URL: "https://docs.example/b", Detail: "docs.example · 1 day old"}},
				Buttons: []thread.Button{thread.ButtonFor(thread.ActionUp), thread.ButtonFor(thread.ActionDown)}, Done: true,
			},
		},
		"being written": {
			[]packet.Payload{packet.MessageDelta{Text: "Half **an"}},
			render.Page{Markdown: "Half **an**", Text: "Half an", Buttons: []thread.Button{thread.ButtonFor(thread.ActionStop)}},
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
	view := rendertest.View(packet.SearchStart{}, packet.SearchQueries{Queries: []string{"set up\n*replication*", "<!here>"}})
	r := renderer()
	if pages := r.Render(view); len(pages) != 0 {
		t.Errorf("nothing is worth showing, got %+v", pages)
	}
	r.Progress = true
	want := "*Searching: set up \\*replication\\* · &lt;\u200b!here>*"
	if pages := r.Render(view); len(pages) != 1 || pages[0].Markdown != want {
		t.Errorf("got %+v", pages)
	}
}

func TestSourcesAreCappedAndSaySo(t *testing.T) {
	t.Parallel()
	var packets []packet.Payload
	for n := 1; n <= 14; n++ {
		packets = append(packets, packet.CitationInfo{Number: n, Title: fmt.Sprintf("Title\n<!here> *%d*", n), URL: "https://docs.example/a|b>"})
	}
	pages := renderer().Render(rendertest.View(append(packets, packet.MessageDelta{Text: "a"}, packet.Stop{})...))
	if got := len(pages[0].Sources); got != render.MaxSources || pages[0].More != "4 more documents are not listed." {
		t.Errorf("%d sources, more: %q", got, pages[0].More)
	}
	want := "<https://docs.example/a%7Cb%3E|[1] Title ‹!here› \u200b*\u200b1\u200b*\u200b> · docs.example"
	if got := pages[0].Sources[0].Mrkdwn(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func checkLimits(t interface{ Fatalf(string, ...any) }, p render.Page) {
	for what, c := range map[string]struct {
		text  string
		limit int
	}{"markdown": {p.Markdown, render.MaxMarkdown}, "text": {p.Text, render.MaxText}} {
		if n := utf8.RuneCountInString(c.text); n > c.limit {
			t.Fatalf("%s of page %d has %d characters", what, p.Number, n)
		}
	}
	for _, s := range p.Sections {
		if n := utf8.RuneCountInString(s); n > render.MaxSection {
			t.Fatalf("a section of page %d has %d characters", p.Number, n)
		}
	}
	for _, s := range p.Rolls {
		if n := utf8.RuneCountInString(s); n > render.MaxMarkdown {
			t.Fatalf("a message that follows page %d has %d characters", p.Number, n)
		}
	}
	for _, s := range p.Notes {
		if n := utf8.RuneCountInString(s); n > render.MaxNote {
			t.Fatalf("a note has %d characters", n)
		}
	}
	if len(p.Sections) > render.MaxSections || len(p.Sources) > render.MaxSources {
		t.Fatalf("page %d has %d sections and %d sources", p.Number, len(p.Sections), len(p.Sources))
	}
}

func TestLongAnswers(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"mixed": longAnswer(), "one word": strings.Repeat("a", 60000), "marks": strings.Repeat("*", 60000), "wide": strings.Repeat("日本", 20000),
		"code": "```go\n" + strings.Repeat("x := 1 // comment\n", 2000) + "```", "angles": strings.Repeat("<a> & ", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			view := rendertest.View(append(rendertest.Cited(), packet.MessageDelta{Text: text}, packet.Stop{Message: text})...)
			for _, view := range []*stream.View{view, bare(view)} {
				pages := renderer().Render(view)
				for i, p := range pages {
					checkLimits(t, p)
					if p.Done != (i == len(pages)-1) || p.Number != i {
						t.Errorf("page %d: number %d, done %t", i, p.Number, p.Done)
					}
				}
			}
			piece, _ := renderer().Tail()(view)
			checkLimits(t, piece)
		})
	}
}

// The pieces of a stream, message by message, are what one rendering of the whole gives, however
// the packets fall.
func TestPiecesAddUp(t *testing.T) {
	t.Parallel()
	whole := longAnswer()[:13000]
	once, _ := renderer().Tail()(rendertest.View(append(rendertest.Cited(), packet.MessageDelta{Text: whole}, packet.Stop{})...))
	want := append([]string{once.Markdown}, once.Rolls...)
	rapid.Check(t, func(t *rapid.T) {
		view, tail := rendertest.View(rendertest.Cited()...), renderer().Tail()
		messages := []string{""}
		take := func() {
			piece, ok := tail(view)
			if !ok {
				return
			}
			checkLimits(t, piece)
			messages[len(messages)-1] += piece.Markdown
			messages = append(messages, piece.Rolls...)
			if piece.Number != len(messages)-1 {
				t.Fatalf("piece of message %d, not %d", piece.Number, len(messages)-1)
			}
		}
		for rest := whole; rest != ""; {
			n := min(rapid.IntRange(300, 6000).Draw(t, "size"), len(rest))
			view.Apply(packet.Packet{Payload: packet.MessageDelta{Text: rest[:n]}})
			rest = rest[n:]
			take()
		}
		view.Apply(packet.Packet{Payload: packet.Stop{}})
		take()
		if diff := cmp.Diff(want, messages); diff != "" {
			t.Fatalf("(-whole +pieces):\n%s", diff)
		}
	})
}

func TestStreamShowsSearches(t *testing.T) {
	t.Parallel()
	view, tail := rendertest.View(packet.SearchStart{}, packet.SearchQueries{Queries: []string{"first", "second"}}), renderer().Tail()
	step := func(want render.Page, payloads ...packet.Payload) {
		t.Helper()
		for _, p := range payloads {
			view.Apply(packet.Packet{Payload: p})
		}
		got, ok := tail(view)
		if diff := cmp.Diff(want, got); diff != "" || ok != (want.Markdown != "" || want.Tasks != nil || want.Done) {
			t.Errorf("ok %t (-want +got):\n%s", ok, diff)
		}
	}
	step(render.Page{Tasks: []render.Task{{ID: "search", Title: "Searching the documents", Status: render.TaskRunning}}})
	step(render.Page{})
	step(render.Page{Tasks: []render.Task{{ID: "search", Title: "Searched the documents", Status: render.TaskComplete}}}, packet.ReasoningStart{})
	step(render.Page{Markdown: "One"}, packet.MessageStart{}, packet.MessageDelta{Text: "One tw"})
	step(render.Page{Markdown: " two\n\n```go\nx := 1", Cut: render.Cut{Close: "\n```", Open: "```go\n"}}, packet.MessageDelta{Text: "o\n```go\nx := 1"})
	step(render.Page{Markdown: "\n```", Done: true, Buttons: []thread.Button{
		thread.ButtonFor(thread.ActionUp), thread.ButtonFor(thread.ActionDown),
	}}, packet.Stop{})
	if _, ok := tail(view); ok {
		t.Error("something comes after the end")
	}
}

// A link that was shown as code stays code in the same stream, even when its document is cited
// later.
func TestStreamNeverChangesItsMindAboutALink(t *testing.T) {
	t.Parallel()
	view, tail := rendertest.View(packet.MessageDelta{Text: "See https://late.example/x here. "}), renderer().Tail()
	first, _ := tail(view)
	view.Apply(packet.Packet{Payload: packet.CitationInfo{Number: 1, Document: "x", Title: "X", URL: "https://late.example/x"}})
	view.Apply(packet.Packet{Payload: packet.MessageDelta{Text: "So [[1]](https://late.example/x)."}})
	view.Apply(packet.Packet{Payload: packet.Stop{}})
	second, _ := tail(view)
	if got, want := first.Markdown+second.Markdown, "See `https://late.example/x` here. So [[1]](https://late.example/x)."; got != want {
		t.Errorf("got %q, want %q", got, want)
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
	page := renderer().Render(rendertest.View(sections(2)...))[0]
	want := "<https://docs.example/b#1|[1] Backups › Part 1>, <https://docs.example/b#2|[2] Backups › Part 2> · docs.example"
	if len(page.Sources) != 1 || page.Sources[0].Mrkdwn() != want {
		t.Errorf("sources %+v, want %q", page.Sources, want)
	}
	if !strings.Contains(page.Text, "[1] Backups › Part 1, [2] Backups › Part 2") {
		t.Errorf("text %q", page.Text)
	}
	line := render.SourceLine(renderer().Render(rendertest.View(sections(500)...))[0].Sources[0])
	if n := utf8.RuneCountInString(line); n > render.MaxSection || !strings.HasPrefix(line, "<https://docs.example/b#1|") {
		t.Errorf("the line of a document with many sections has %d characters", n)
	}
}
