package cite_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// cleaned runs deltas through a processor as a turn uses it, and counts the numbers that were left
// out.
func cleaned(deltas ...string) (shown, int) {
	var s shown
	count := 0
	p := cite.NewProcessor(library(), cite.Options{Invented: func(n int) { count += n }, DropList: true})
	for _, d := range deltas {
		collect(p.Push(d, nil), &s)
	}
	collect(p.Flush(nil), &s)
	return s, count
}

func checkCleaned(t *testing.T, in, want string, invented int) {
	t.Helper()
	for _, deltas := range [][]string{{in}, bytewise(in), cut(in, []byte{3, 5, 16, 1, 7, 2, 11, 13})} {
		got, count := cleaned(deltas...)
		if got.Text != want || invented >= 0 && count != invented {
			t.Errorf("%q in %d deltas became %q, %d numbers left out; want %q, %d", in, len(deltas), got.Text, count, want, invented)
		}
	}
}

// The library's highest number is 12; 8 to 11 and 13 to 32 were never shown.
func TestInventedNumbersAreDropped(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in, want string
		invented int
	}{
		{"Backups run daily [9].", "Backups run daily.", 1},
		{"Backups run daily. [9]", "Backups run daily.", 1},
		{"Backups run daily [9]", "Backups run daily", 1},
		{"Backups run daily [32].", "Backups run daily.", 1},
		{"Backups run daily [9] and are kept [1].", "Backups run daily and are kept [[1]](http://a).", 1},
		{"Backups run daily [1, 9].", "Backups run daily [[1]](http://a).", 1},
		{"Backups run daily [9][1][8].", "Backups run daily [[1]](http://a).", 2},
		{"Backups run daily [[9]].", "Backups run daily.", 1},
		{"Backups run daily 【9】.", "Backups run daily.", 1},
		{"Backups run daily【9†source】.", "Backups run daily.", 1},
		{"毎日バックアップします【9】。", "毎日バックアップします。", 1},
		{"Backups run every day[9].", "Backups run every day.", 1},
		{"- Daily backups [9]\n- Weekly checks [2]", "- Daily backups\n- Weekly checks [[1]](http://b)", 1},
		{"| kept | 30 days [9] |", "| kept | 30 days |", 1},
		{"**Backups run daily** [9].", "**Backups run daily**.", 1},
		{"Use `pg_dump` for it [9].", "Use `pg_dump` for it.", 1},
	} {
		checkCleaned(t, tt.in, tt.want, tt.invented)
	}
}

func TestOtherBracketsStay(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"It was so in [2020].", "The interval is [0, 1].", "arr = [1, 2, 9]", "arr = [9]", "Take arr[9].", "x[9] = 3", "Press [9] to go on.", "See [9].",
		"The function returns [9, 10].", "It is described in section [9].", "Backups run daily [33].", "Backups run daily [99].", "Backups run daily [1-9].",
		"Backups run daily [^9].", "Code: `daily backups [9]`.", "```\nBackups run daily [9].\n```\n", "    Backups run daily [9].\n",
		"Backups run daily [9](http://x).", "[9]: http://x", "- [9] of the list", "Backups [see 9].", "Backups run [09] daily.", "Backups run daily \\[9].",
		"$$backups run daily [9]$$", "<code>backups run daily [9]</code>", "a\n[9]",
		"Backups run daily 〔9〕.", "Backups run daily 〖9〗.", "Backups run daily 「9」.", "Backups run daily ⟦9⟧.", "Backups run daily {9}.", "Backups run daily (9).", "Backups run daily ⁹.",
		"Backups run [the daily job [9] here](http://x).",
	} {
		checkCleaned(t, text, text, -1)
	}
	many := make([]string, 50)
	for i := range many {
		many[i] = fmt.Sprint(i + 1)
	}
	text := "Backups run daily [" + strings.Join(many, ", ") + "]."
	checkCleaned(t, text, text, 0)
	text = "Backups run daily [" + strings.Join(many[:40], ",") + "]." // less than what is held back
	checkCleaned(t, text, text, 0)                                     // 33 and more were not made up
}

func TestSourceListIsDropped(t *testing.T) {
	t.Parallel()
	const said = "It is so [1], and so [2].\n\n"
	const out = "It is so [[1]](http://a), and so [[2]](http://b).\n\n"
	for _, list := range []string{
		"Sources:\n[1] doc a\n[2] doc b", "**Sources:**\n- [1] doc a\n- [2] doc b\n", "## References\n\n1. doc a\n2. doc b – http://b\n", "Sources: [1]; [2]",
		"---\n\n**Sources**\n\n[1]: http://a\n[2]: http://b\n", "[1]: http://a\n[2]: http://b", "[1] doc a\n[2] doc b\n", "Quellen:\n【1】 doc a\n", "参考文献：\n[1] doc a\n",
		"### Sources\n* [[1]](http://a) doc a\n", "Source: doc a", "Sources:\n[9] A page that was never shown\n",
	} {
		checkCleaned(t, said+list, out, -1)
	}
	for _, text := range []string{
		"Sources:\n[1] doc a",                                      // nothing stands before it
		said + "Sources:\n- Slack\n- Jira",                         // what the question asked for
		said + "## Sources\n\nFootnote reads Slack and Jira.\n",    // a section
		said + "Sources of heat are many.",                         //
		said + "Sources:\n[1] doc a\n\nAnd so on.",                 // not the end
		said + "Sources:\n",                                        // no list
		said + "```\nSources:\n[1] doc a\n```\n",                   // code
		said + "~~~~\n~~~\nSources:\n[1] doc a",                    // code that is never closed
		said + "[1] says it all.",                                  // a sentence
		said + "- [ ] todo\n- [x] done\n",                          //
		said + "Sources:\n[^1]: doc a",                             // footnote syntax, whose marks stay in the text
		said + "---\n\nMore.",                                      //
		said + "Sources\n=======\n\nHere they are.",                //
		said + "Sources:\n" + strings.Repeat("[1] doc a\n", 1_000), // too long
		said + "Sou",
	} {
		want := convert(library(), text).Text
		checkCleaned(t, text, want, -1)
	}
}

// However the text is cut, what the reader sees is the same, and nothing but brackets, blanks and
// lists goes missing.
func TestCleaningDoesNotDependOnDeltas(t *testing.T) {
	t.Parallel()
	pieces := []string{"Backups run daily", " [9]", "[1]", " [1, 9]", ".", "\n", "\n\n", "Sources:", "[1] doc a", "---", "```", " in", " ", "【9】", "- ", "| a |", "`", "[[9]](http://x)", "*", "日本", "!"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "pieces"), "")
		whole, removed := cleaned(text)
		single, again := cleaned(bytewise(text)...)
		if diff := cmp.Diff(whole, single); diff != "" || removed != again {
			t.Fatalf("%q: %d and %d removed\n%s", text, removed, again, diff)
		}
	})
}
