package cite_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/google/go-cmp/cmp"
)

// texts are seeds with everything that the scanner knows.
var texts = []string{
	"Facts [1], [[2]], [3, 4], [1][1], 【5】, ［1］, 【2†src】, [99], [1-3], [^1], [1](http://x), [[1]](http://x/(y)).",
	"```go\na[1]\n```\n~~~\n[1]\n~~~\n\n    [1]\n\n`a[1]` ``b[2] ` c`` [3]",
	"- a [1]\n  ```\n  [1]\n  ```\n> q [2]\n> ```\n> [1]\n1. x `[1]\n2. [2]\n| [1] | `[2] |\n# h [3]\n* * *\n",
	`\[1] \[x[1]\] \(f(x)[2]\) $$a[3]$$ $5 [4] \\[5] \` + "`[1]",
	"[a [1] b](http://x \"t [2]\") [a [2] b] ![i [3]](u) [d][4] [1]: http://x/[5]\n[1]: x [2]",
	"<code>a[1]</code> <a href='[1]'>[2]</a> <pre>\n[1]\n\n</pre> <!-- [1] --> <https://x/[1]> x<y [1] https://x/a[1] www.a.b/[2].[3]",
	"Great![1] ![[2]](x) [[1]](<a b> 't') [[1]](see [2]) 【6】(http://x) [[6]]: x",
	"日本語【1】です。\xe3\x80[1]\xef\xbc［2］",
	"[a [1] " + strings.Repeat("x", 100) + " [2, 2, 2, 2, 2, 2, 2, 2, 2, 2] and [3]",
	"[0, 1) is [1] " + strings.Repeat("word ", 40) + "[[1]](https://" + strings.Repeat("y", 200) + ") [1, " + strings.Repeat(" ", 200) + "2]",
}

// maxFuzzed keeps the fuzzer from growing texts that take long and show nothing
// that a short one does not.
const maxFuzzed = 2000

// cut splits a text at places taken from cuts.
func cut(text string, cuts []byte) []string {
	var deltas []string
	for _, c := range cuts {
		n := min(int(c)%17, len(text))
		deltas = append(deltas, text[:n])
		text = text[n:]
	}
	return append(deltas, text)
}

// FuzzSplit holds that cutting the text into deltas changes nothing.
func FuzzSplit(f *testing.F) {
	for _, text := range texts {
		f.Add(text, []byte{1, 2, 3, 5, 8, 13, 1, 1, 1, 0, 4})
	}
	f.Fuzz(func(t *testing.T, text string, cuts []byte) {
		if len(text) > maxFuzzed {
			return
		}
		whole := convert(library(), text)
		if diff := cmp.Diff(whole, convert(library(), cut(text, cuts)...)); diff != "" {
			t.Errorf("%q cut at %v (-whole +cut):\n%s", text, cuts, diff)
		}
		if diff := cmp.Diff(whole, convert(library(), bytewise(text)...)); diff != "" {
			t.Errorf("%q (-whole +bytes):\n%s", text, diff)
		}
	})
}

// FuzzUnchanged holds that text without known numbers comes out as it went in, and that what is not
// shown of it yet is held.
func FuzzUnchanged(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := convert(cite.NewMapping(), text); got.Text != text || got.Infos != nil {
			t.Errorf("%q became %q, %v", text, got.Text, got.Infos)
		}
		if len(text) > maxFuzzed {
			return
		}
		p, shown := cite.NewProcessor(nil, cite.Options{}), 0
		for i, d := range bytewise(text) {
			for _, e := range p.Push(d, nil) {
				shown += len(e.Text)
			}
			if i+1-shown != p.Held() {
				t.Fatalf("%q: %d bytes are missing, %d are held", text[:i+1], i+1-shown, p.Held())
			}
		}
	})
}

// expression is what may stand in the input for one link of the output: a
// bracket expression and, if the model linked it, its target.
const expression = `[\[【［]{1,2}[1-9][0-9]*(?:[ \t]*,[ \t]*[1-9][0-9]*)*(?:†[^\n]*?)?[\]】］]{1,2}(?:\((?s:.*?))?`

// link is one link of the output, to an address that occurs in no input.
var link = regexp.MustCompile(`\[\[[0-9]+\]\]\(http://footnote\.test/[0-9]+\)`)

// FuzzTextIsKept holds that between the citations the text is unchanged.
func FuzzTextIsKept(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || strings.Contains(text, "footnote.test") || len(text) > 400 {
			return
		}
		m := cite.NewMapping()
		for _, n := range []string{"1", "2", "3", "4", "5"} {
			m.Add(cite.Source{Document: docID(n), URL: "http://footnote.test/" + n})
		}
		got := convert(m, text).Text
		var pattern strings.Builder
		pattern.WriteString(`^`)
		outside := link.Split(got, -1)
		for i, part := range outside {
			last := i == len(outside)-1
			if cut, ok := strings.CutSuffix(part, "! "); ok && !last {
				pattern.WriteString(regexp.QuoteMeta(cut) + `! ?`)
			} else {
				pattern.WriteString(regexp.QuoteMeta(part))
			}
			if !last && (outside[i+1] != "" || i+1 == len(outside)-1) {
				pattern.WriteString(`(?:` + expression + `)+`)
			}
		}
		pattern.WriteString(`$`)
		if !regexp.MustCompile(pattern.String()).MatchString(text) {
			t.Errorf("%q became %q", text, got)
		}
	})
}

// FuzzStream holds what a reader relies on while the text is coming.
func FuzzStream(f *testing.F) {
	for _, text := range texts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > maxFuzzed {
			return
		}
		p := cite.NewProcessor(library(), cite.Options{})
		seen := 0
		step := func(events []cite.Event) {
			for _, e := range events {
				if e.Info != nil {
					if seen++; e.Info.Number != seen {
						t.Errorf("%q: document %d has number %d", text, seen, e.Info.Number)
					}
					continue
				}
				if e.Text == "" {
					t.Errorf("%q: empty event", text)
				}
				if utf8.ValidString(text) && !utf8.ValidString(e.Text) {
					t.Errorf("%q: event %q cuts a character", text, e.Text)
				}
			}
		}
		for i, d := range bytewise(text) {
			step(p.Push(d, nil))
			if p.Held() > 128 {
				t.Fatalf("%q: %d bytes are held", text[:i+1], p.Held())
			}
		}
		step(p.Flush(nil))
		if p.Held() != 0 {
			t.Errorf("%q: %d bytes are held after the end", text, p.Held())
		}
		if len(p.Cited()) != seen {
			t.Errorf("%q: %d documents cited, %d announced", text, len(p.Cited()), seen)
		}
	})
}
