package console_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/console"
	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var now = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)

func answer() []packet.Payload {
	updated := now.AddDate(0, -5, 0)
	return []packet.Payload{
		packet.SearchStart{}, packet.SearchQueries{Queries: []string{"set up replication"}},
		packet.SearchDocuments{Documents: []packet.Document{{ID: "d", Title: "Replication", UpdatedAt: &updated}}},
		packet.SectionEnd{}, packet.MessageStart{}, packet.MessageDelta{Text: "Set wal_level "},
		packet.CitationInfo{Number: 1, Document: "d", Title: "Replication", URL: "https://docs.example/r#wal", Source: "file"},
		packet.MessageDelta{Text: "[[1]](https://docs.example/r#wal). See [[2]](https://evil.example)."},
		packet.Stop{Reason: "answered"},
	}
}

func render(r *console.Renderer, payloads []packet.Payload) string {
	r.Now = func() time.Time { return now }
	tail, view := r.Tail(), &stream.View{}
	var b strings.Builder
	for _, p := range payloads {
		view.Apply(packet.Packet{Payload: p})
		if piece, ok := tail(view); ok {
			b.WriteString(piece)
		}
	}
	return b.String()
}

func TestTerminalGetsHyperlinksAndSources(t *testing.T) {
	t.Parallel()
	const open, shut = "\x1b]8;;https://docs.example/r#wal\x1b\\", "\x1b]8;;\x1b\\"
	want := "\x1b[2mSearching: set up replication\x1b[0m\nSet wal_level " + open + "[1]" + shut +
		". See [[2]](https://evil.example).\n\nSources\n  " + open + "[1]" + shut + " Replication – " + open +
		"https://docs.example/r#wal" + shut + " (5 months old)\n\n"
	if diff := cmp.Diff(want, render(&console.Renderer{Terminal: true}, answer())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPipeGetsPlainTextWithAddressesBelow(t *testing.T) {
	t.Parallel()
	want := "Set wal_level [1]. See [[2]](https://evil.example).\n\nSources\n  [1] Replication – https://docs.example/r#wal (5 months old)\n\n"
	if diff := cmp.Diff(want, render(&console.Renderer{}, answer())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// In a thread numbers go on, and a deep search cites several sections of one document: each is a
// link, and each document is listed once.
func TestNumbersComeInAnyOrder(t *testing.T) {
	t.Parallel()
	got := render(&console.Renderer{}, []packet.Payload{
		packet.MessageStart{}, packet.CitationInfo{Number: 3, Title: "C", URL: "https://docs.example/c#one"}, packet.CitationInfo{Number: 2, Title: "B", URL: "https://docs.example/b"},
		packet.CitationInfo{Number: 3, Title: "C", URL: "https://docs.example/c#two"},
		packet.MessageDelta{Text: "One [[3]](https://docs.example/c#one), two [[3]](https://docs.example/c#two), three [[2]](https://docs.example/b)."}, packet.Stop{Reason: "answered"},
	})
	want := "One [3], two [3], three [2].\n\nSources\n  [2] B – https://docs.example/b\n  [3] C – https://docs.example/c#one\n\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// However the packets fall, the pieces together are what one rendering of the final view gives.
func TestPiecesAddUpToThePage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var payloads []packet.Payload
		for _, s := range rapid.SliceOf(rapid.String()).Draw(t, "deltas") {
			payloads = append(payloads, packet.MessageDelta{Text: s})
		}
		payloads = append(payloads, packet.Error{Message: "It broke."}, packet.Stop{Reason: "failed"})
		r := &console.Renderer{}
		view := &stream.View{}
		for _, p := range payloads {
			view.Apply(packet.Packet{Payload: p})
		}
		if diff := cmp.Diff(strings.Join(r.Render(view), ""), render(r, payloads)); diff != "" {
			t.Fatalf("(-page +pieces):\n%s", diff)
		}
	})
}

func TestNothingCanDriveTheTerminal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		evil := rapid.StringOf(rapid.RuneFrom([]rune("\x1b\x07\x08\r\u009b\u202e[2Jab"))).Draw(t, "text")
		got := render(&console.Renderer{}, []packet.Payload{
			packet.SearchQueries{Queries: []string{evil}}, packet.MessageDelta{Text: evil},
			packet.CitationInfo{Number: 1, Title: evil, URL: evil}, packet.Error{Message: evil, Reference: evil}, packet.Stop{},
		})
		if i := strings.IndexAny(got, "\x1b\x07\x08\r\u009b\u202e"); i >= 0 {
			t.Fatalf("a control character came through at %d in %q", i, got)
		}
	})
}

// Breaking lines changes nothing but blanks into line breaks, whatever the pieces, and keeps within
// the width where words allow it.
func TestLinesBreakBetweenWordsAtTheWidth(t *testing.T) {
	t.Parallel()
	const width = 20
	words := rapid.SampledFrom([]string{"a", "of", "word", "longer", "[[1]](https://docs.example/r#wal)", "Ünïcode", "한글", "\n", "- item"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(words).Draw(t, "words"), " ")
		payloads := []packet.Payload{packet.CitationInfo{Number: 1, Title: "R", URL: "https://docs.example/r#wal"}}
		for cut := range strings.SplitAfterSeq(text, rapid.SampledFrom([]string{" ", "o", "\n"}).Draw(t, "cut")) {
			payloads = append(payloads, packet.MessageDelta{Text: cut})
		}
		payloads = append(payloads, packet.Stop{Reason: "answered"})
		got, _, _ := strings.Cut(render(&console.Renderer{Width: width}, payloads), "Sources")
		want, _, _ := strings.Cut(render(&console.Renderer{}, payloads), "Sources")
		if diff := cmp.Diff(strings.Fields(want), strings.Fields(got)); diff != "" {
			t.Fatalf("words (-want +got):\n%s", diff)
		}
		for line := range strings.SplitSeq(got, "\n") {
			if len([]rune(line)) > width && len(strings.Fields(line)) > 1 {
				t.Fatalf("the line %q is longer than %d columns", line, width)
			}
		}
	})
}

// Chinese and Japanese put no spaces between words: lines break between characters, and none waits
// for a space that never comes.
func TestScriptsWithoutSpacesAreWrittenAsTheyCome(t *testing.T) {
	t.Parallel()
	tail, view := (&console.Renderer{Width: 10}).Tail(), &stream.View{}
	view.Apply(packet.Packet{Payload: packet.MessageDelta{Text: "複製を設定するにはPostgreSQLの文書"}})
	got, _ := tail(view)
	if want := "複製を設定\nするには\nPostgreSQL\nの文書"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFencedCodeKeepsItsLines(t *testing.T) {
	t.Parallel()
	code := "```sh\nselect   a_rather_long_column, another_one from a_table;\n```\nand text after it that is broken"
	got := render(&console.Renderer{Width: 20}, []packet.Payload{packet.MessageDelta{Text: code}, packet.Stop{}})
	want := "```sh\nselect   a_rather_long_column, another_one from a_table;\n```\nand text after it\nthat is broken\n\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// However the answer was cut, emoji and scripts keep what they need and nothing is hidden in the
// rest.
func TestInvisibleCharactersAreTakenOut(t *testing.T) {
	t.Parallel()
	rendertest.CheckInvisible(t, func(markdown string) string {
		if strings.ContainsAny(markdown, "&`") { // markup stays as it is
			return map[bool]string{true: "ab", false: "`ab`"}[strings.Contains(markdown, "&")]
		}
		var packets []packet.Payload
		for _, r := range markdown {
			packets = append(packets, packet.MessageDelta{Text: string(r)})
		}
		return strings.TrimRight(render(&console.Renderer{}, append(packets, packet.Stop{})), "\n")
	})
	if got := console.Sanitize("a\U000e0041\u200bb"); got != "ab" {
		t.Errorf("a title is printed as %q", got)
	}
}

func TestSectionsOfOneDocumentAreListedTogether(t *testing.T) {
	t.Parallel()
	got := render(&console.Renderer{}, []packet.Payload{
		packet.MessageStart{}, packet.CitationInfo{Number: 1, Document: "s", Title: "Settings", Section: "Settings", URL: "https://docs.example/s"},
		packet.CitationInfo{Number: 2, Document: "b", Title: "Backups", Section: "Restore", URL: "https://docs.example/b#restore"},
		packet.CitationInfo{Number: 3, Document: "n", Title: "notes.txt"},
		packet.CitationInfo{Number: 4, Document: "b", Title: "Backups", Section: "Schedule", URL: "https://docs.example/b#schedule"},
		packet.MessageDelta{Text: "So [[4]](https://docs.example/b#schedule)."}, packet.Stop{Reason: "answered"},
	})
	want := "So [4].\n\nSources\n  [1] Settings – https://docs.example/s\n" +
		"  [2] Backups › Restore – https://docs.example/b#restore\n  [4] Backups › Schedule – https://docs.example/b#schedule\n  [3] notes.txt\n\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// At a terminal a deep search shows its plan, what became of each row, without numbers, and in the
// end what it took. Only the answer goes into a pipe.
func TestTerminalShowsDeepSearch(t *testing.T) {
	t.Parallel()
	payloads := []packet.Packet{
		{Payload: packet.DeepSearchPlanStart{}}, at(0, packet.SubQuestion{Question: "Where does it run?"}), at(1, packet.SubQuestion{Question: "Who owns it?"}),
		at(0, packet.SearchStart{}), at(1, packet.Finding{State: "missing"}), at(0, packet.Finding{State: "found", Text: "In \x1b[31mDublin [[2]](https://docs.example/d)."}),
		{Payload: packet.Progress{Seconds: 75, Searches: 3, Documents: 4}},
		{Payload: packet.MessageStart{}}, {Payload: packet.MessageDelta{Text: "In Dublin."}}, {Payload: packet.Stop{Reason: "answered"}},
	}
	shown := func(r *console.Renderer) string {
		tail, view := r.Tail(), &stream.View{}
		var b strings.Builder
		for _, p := range payloads {
			view.Apply(p)
			piece, _ := tail(view)
			b.WriteString(piece)
		}
		return b.String()
	}
	const dim, plain = "\x1b[2m", "\x1b[0m\n"
	want := dim + "1. Where does it run?" + plain + dim + "2. Who owns it?" + plain + dim + "2. not in the documents" + plain + dim + "1. found: In [31mDublin." + plain +
		"In Dublin.\n" + dim + "2 of 2 done · 1 min 15 s · searches: 3 · documents read: 4" + plain + "\n"
	if diff := cmp.Diff(want, shown(&console.Renderer{Terminal: true})); diff != "" {
		t.Errorf("at a terminal (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("In Dublin.\n\n", shown(&console.Renderer{})); diff != "" {
		t.Errorf("in a pipe (-want +got):\n%s", diff)
	}
}

// at places a packet in a row of a plan.
func at(tab int, payload packet.Payload) packet.Packet {
	step := 0
	return packet.Packet{Placement: packet.Placement{TurnIndex: 1, TabIndex: tab, SubTurnIndex: &step}, Payload: payload}
}
