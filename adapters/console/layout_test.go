package console_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/console"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const markdown = "A **bold word** and `code`, [a label](https://evil.example/x).\n\n1. one\n2. two\n   - inner\n\n" +
	"| Name | What it does |\n|---|--:|\n| fsync | forces data to the disk |\n| wal_level | decides how much is written |\n\n```\nmake  run\n```\n"

func TestLayoutIndentsWhatAnIndentedLineIsBrokenInto(t *testing.T) {
	t.Parallel()
	got := console.Layout("  [1] Settings › Memory – https://docs.example/settings (8 days old)\n  /up      Say that the answer is right.\na  b\n", 26)
	want := []string{
		"  [1] Settings › Memory –", "    https://docs.example/settings", "    (8 days old)", "  /up      Say that the", "    answer is right.", "a b",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLayoutFollowsTheWidth(t *testing.T) {
	t.Parallel()
	const bold, plain, code, text = "\x1b[1m", "\x1b[22m", "\x1b[36m", "\x1b[39m"
	for width, want := range map[int][]string{
		80: {
			"A " + bold + "bold word" + plain + " and " + code + "code" + text + ", a label <https://evil.example/x>.", "",
			"1. one", "2. two", "   • inner", "",
			bold + "Name" + plain + "                      " + bold + "What it does" + plain,
			"─────────  ───────────────────────────",
			"fsync          forces data to the disk",
			"wal_level  decides how much is written", "",
			"    " + code + "make  run" + text,
		},
		24: {
			"A " + bold + "bold word" + plain + " and " + code + "code" + text + ", a", "label", "<https://evil.example/x>.", "",
			"1. one", "2. two", "   • inner", "",
			bold + "Name" + plain + "        " + bold + "What it does" + plain,
			"─────────  ─────────────",
			"fsync        forces data", "             to the disk",
			"wal_level    decides how", "                 much is", "                 written", "",
			"    " + code + "make  run" + text,
		},
	} {
		if diff := cmp.Diff(want, console.Layout("\x02"+markdown+"\x03", width)); diff != "" {
			t.Errorf("%d columns (-want +got):\n%s", width, diff)
		}
	}
}

// A table with more columns than fit is a list of header and value.
func TestWideTableBecomesAList(t *testing.T) {
	t.Parallel()
	got := console.Layout("\x02| a | b | c | d |\n|-|-|-|-|\n| the first | the second | the third | the fourth |\n\x03", 20)
	want := []string{"\x1b[1ma:\x1b[22m the first", "\x1b[1mb:\x1b[22m the second", "\x1b[1mc:\x1b[22m the third", "\x1b[1md:\x1b[22m the fourth"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStylesDoNotReachOverTheEndOfALine(t *testing.T) {
	t.Parallel()
	got := console.Layout("\x02**one two three four five**\x03", 16)
	want := []string{"\x1b[1mone two three\x1b[0m", "\x1b[1mfour five\x1b[22m"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A marked answer is laid out with its citations as links, and with those that no document backs as
// they were written.
func TestMarkedAnswerIsLaidOut(t *testing.T) {
	t.Parallel()
	got := strings.Join(console.Layout(render(&console.Renderer{Terminal: true, Marked: true}, answer()), 60), "\n")
	const open, shut = "\x1b]8;;https://docs.example/r#wal\x1b\\", "\x1b]8;;\x1b\\"
	for _, part := range []string{
		"\x1b[2mSearching: set up replication\x1b[0m\nSet wal_level " + open + "[1]" + shut + ". See ", "[[2]]", "https://evil.example", "\n\nSources\n  " + open + "[1]",
	} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is missing in\n%q", part, got)
		}
	}
}

// Whatever a model writes, nothing but styles and links drives the terminal, and no style is left
// on.
func TestLayoutLeavesNoStyleOn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{"word ", "**", "`", "~~", "|", "\n", "\n\n", "- ", "1. ", "> ", "|-|-|\n", "語", "[[1]](https://a.example)", "[x](y)", "\x1b[2J", "\x03", "_"})).Draw(t, "parts")
		source := render(&console.Renderer{Terminal: true, Marked: true}, []packet.Payload{
			packet.MessageStart{}, packet.CitationInfo{Number: 1, Title: "A", URL: "https://a.example"}, packet.MessageDelta{Text: strings.Join(parts, "")}, packet.Stop{},
		})
		for _, line := range console.Layout(source, rapid.IntRange(16, 60).Draw(t, "width")) {
			if strings.Contains(line, "\x1b[2J") || strings.ContainsAny(line, "\x02\x03") {
				t.Fatalf("%q drives the terminal", line)
			}
			for on, off := range map[string]string{"\x1b[1m": "\x1b[22m", "\x1b[3m": "\x1b[23m", "\x1b[9m": "\x1b[29m", "\x1b[36m": "\x1b[39m"} {
				if at := strings.LastIndex(line, on); at >= 0 && !strings.Contains(line[at:], off) && !strings.HasSuffix(line, "\x1b[0m") {
					t.Fatalf("%q leaves a style on", line)
				}
			}
		}
	})
}
