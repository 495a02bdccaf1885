package render_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/adapters/slack/render"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
)

// report is a finished deep search of so many characters, and then some.
func report(text string, form stream.Form) *stream.View {
	v := rendertest.View(append(append([]packet.Payload{packet.DeepSearchPlanStart{}}, rendertest.Cited()...), packet.MessageDelta{Text: text},
		packet.Stop{Notices: []string{"One row failed."}})...)
	v.Form = form
	return v
}

func TestLongReportIsAFileBelowItsDigest(t *testing.T) {
	t.Parallel()
	long := "# Replication\n\nIt is set up in four steps [[1]](https://docs.example/r#wal).\n\n" + longAnswer() + " ![pixel](https://evil.example/p.png) The end."
	pages := renderer().Render(report(long, stream.Whole))
	if len(pages) != 2 {
		t.Fatalf("%d pages, want one and a file", len(pages))
	}
	for i, p := range pages {
		checkLimits(t, p)
		if (p.File != "") != (i == 1) || p.Done != (i == 1) || p.Number != i {
			t.Errorf("page %d: number %d, done %t, file of %d", i, p.Number, p.Done, len(p.File))
		}
	}
	below := pages[0]
	if !strings.HasPrefix(below.Markdown, "# Replication\n\nIt is set up in four steps [") || !strings.Contains(below.Markdown, "- Setting **wal_level**") ||
		strings.Contains(below.Markdown, "The primary needs") {
		t.Errorf("the digest is %q", below.Markdown[:min(len(below.Markdown), 2_000)])
	}
	if len(below.Sources) != 3 || len(below.Buttons) == 0 || len(below.Notes) != 2 || !strings.Contains(below.Notes[0], render.FileTitle) {
		t.Errorf("under its beginning: %+v", below)
	}
	file := pages[1].File
	for _, want := range []string{"The end.", "One row failed.", "**Sources**", "[1] Replication", "https://docs.example/s", "| wal_level | replica |"} {
		if !strings.Contains(file, want) {
			t.Errorf("the file does not hold %q", want)
		}
	}
	if n := strings.Count(file, "The primary needs"); n != strings.Count(long, "The primary needs") {
		t.Errorf("the file has %d sections", n)
	}
	if strings.Contains(file, "](https://evil.example") {
		t.Error("the file shows a picture that no message would show")
	}
	writing := report(long, stream.Whole)
	writing.Phase = stream.Writing
	if pages := renderer().Render(writing); len(pages) != 1 || pages[0].File != "" || len(pages[0].Notes) != 1 {
		t.Errorf("while it is written: %d pages", len(pages))
	}
}

func TestReportsThatAreMessages(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]*stream.View{
		"it fits":          report(longAnswer()[:15000], stream.Whole),
		"no file is taken": report(longAnswer(), stream.Unfiled),
		"no newer blocks":  report(longAnswer(), stream.Bare),
		"text alone":       report(longAnswer(), stream.Plain),
		"no deep search":   rendertest.View(packet.MessageDelta{Text: longAnswer()}, packet.Stop{}),
	} {
		pages, said := renderer().Render(v), 0
		for _, p := range pages {
			said += len(p.Markdown) + len(strings.Join(p.Sections, "")) + len(p.Text)
			if p.File != "" {
				t.Errorf("%s: there is a file", name)
			}
		}
		if said < v.Len() {
			t.Errorf("%s: %d of %d bytes are said", name, said, v.Len())
		}
	}
}
