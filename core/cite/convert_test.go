package cite_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/google/go-cmp/cmp"
)

// library is the mapping of most tests: 1–5 have addresses, 6 has none, 7 is
// the document of 1 found once more, 12 has two digits.
func library() *cite.Mapping {
	m := cite.NewMapping()
	for n, id := range []string{1: "a", 2: "b", 3: "c", 4: "d", 5: "e"} {
		if n > 0 {
			m.Restore(n, source(id))
		}
	}
	m.Restore(6, cite.Source{Document: "f", Title: "no address", Kind: "file"})
	m.Restore(7, source("a"))
	m.Restore(12, source("l"))
	return m
}

func source(id string) cite.Source {
	return cite.Source{Document: docID(id), Title: "doc " + id, URL: "http://" + id, Kind: "web"}
}

// shown is what a reader gets: the text, and where each Info came.
type shown struct {
	Text  string
	Infos []cite.Info
	At    []int
}

func collect(events []cite.Event, s *shown) {
	for _, e := range events {
		s.Text += e.Text
		if e.Info != nil {
			s.Infos = append(s.Infos, *e.Info)
			s.At = append(s.At, len(s.Text))
		}
	}
}

// convert runs the deltas through a new processor.
func convert(m *cite.Mapping, deltas ...string) shown {
	p := cite.NewProcessor(m, cite.Options{})
	var s shown
	var events []cite.Event
	for _, d := range deltas {
		events = p.Push(d, events[:0])
		collect(events, &s)
	}
	collect(p.Flush(events[:0]), &s)
	return s
}

// bytewise cuts a text into single bytes.
func bytewise(text string) []string {
	deltas := make([]string, len(text))
	for i := range len(text) {
		deltas[i] = text[i : i+1]
	}
	return deltas
}

type example struct{ name, in, want string }

// same is the example whose text comes out as it went in.
func same(name, text string) example { return example{name, text, text} }

// check runs examples whole and byte by byte.
func check(t *testing.T, examples []example) {
	t.Helper()
	for _, ex := range examples {
		t.Run(ex.name, func(t *testing.T) {
			t.Parallel()
			whole := convert(library(), ex.in)
			if diff := cmp.Diff(ex.want, whole.Text); diff != "" {
				t.Errorf("convert(%q) (-want +got):\n%s", ex.in, diff)
			}
			if diff := cmp.Diff(whole, convert(library(), bytewise(ex.in)...)); diff != "" {
				t.Errorf("byte by byte differs (-whole +bytes):\n%s", diff)
			}
		})
	}
}

func TestCitationForms(t *testing.T) {
	t.Parallel()
	check(t, []example{
		{"single", "Fact [1].", "Fact [[1]](http://a)."},
		{"whole text", "[1]", "[[1]](http://a)"},
		{"double", "Fact [[1]].", "Fact [[1]](http://a)."},
		{"list", "Fact [1, 2].", "Fact [[1]](http://a)[[2]](http://b)."},
		{"list without blanks", "[2,1]", "[[1]](http://b)[[2]](http://a)"},
		{"list with many blanks", "[1 ,  2,\t3]", "[[1]](http://a)[[2]](http://b)[[3]](http://c)"},
		{"double list", "[[1, 2]]", "[[1]](http://a)[[2]](http://b)"},
		{"adjacent", "[1][2]", "[[1]](http://a)[[2]](http://b)"},
		{"two digits", "x[12]", "x[[1]](http://l)"},
		{"full-width", "事実【1】。", "事実[[1]](http://a)。"},
		{"full-width single", "x［1］y", "x[[1]](http://a)y"},
		{"double full-width", "【【1】】", "[[1]](http://a)"},
		{"mixed pair", "【1] and [2】", "[[1]](http://a) and [[2]](http://b)"},
		{"mixed double", "[【1】]", "[[1]](http://a)"},
		{"dagger", "x 【1†source】 y", "x [[1]](http://a) y"},
		{"dagger with lines", "【2†L10-L20】", "[[1]](http://b)"},
		{"dagger and address", "【2†https://x/y】", "[[1]](http://b)"},
		{"inside brackets", "[see [1]]", "[see [[1]](http://a)]"},
		{"three brackets", "[[[1]]]", "[[[1]](http://a)]"},
		{"list of brackets", "[[1], [2]]", "[[[1]](http://a), [[2]](http://b)]"},
		{"bold", "**[1]**", "**[[1]](http://a)**"},
		{"parentheses", "(see [1])", "(see [[1]](http://a))"},
		{"double in parentheses", "([[1]], b) c", "([[1]](http://a), b) c"},
		{"table", "| a | [1] |", "| a | [[1]](http://a) |"},
		{"heading", "# Title [1]\ntext [2]", "# Title [[1]](http://a)\ntext [[2]](http://b)"},
		{"list item", "- [1] one\n- [2] two", "- [[1]](http://a) one\n- [[2]](http://b) two"},
		{"quote", "> said [1]", "> said [[1]](http://a)"},
		{"no address", "x [6]", "x [1]"},
		{"no blank is invented", "word[1]word", "word[[1]](http://a)word"},
		{"emoji", "😀[1]😀", "😀[[1]](http://a)😀"},
		{"broken character", "\xe3[1]\xe3\x80[2]\xff", "\xe3[[1]](http://a)\xe3\x80[[2]](http://b)\xff"},
		{"carriage returns", "a [1]\r\nb [2]\r\n", "a [[1]](http://a)\r\nb [[2]](http://b)\r\n"},
	})
}

func TestOnlyRealNumbers(t *testing.T) {
	t.Parallel()
	check(t, []example{
		same("year", "in [2020] we"),
		same("unknown", "x [99] y [8]"),
		same("unknown in a list", "arr = [1, 2, 99]"),
		same("unknown first in a list", "[99, 1]"),
		same("unknown double", "[[99]]"),
		same("range", "[1-3]"),
		same("footnote", "[^1] and\n[^1]: note"),
		same("negative", "[-1]"),
		same("zero", "[0]"),
		same("leading zero", "[01]"),
		same("decimal", "[1.5]"),
		same("word", "[doc 1] [abc]"),
		same("empty", "[] [[]] 【】"),
		same("trailing comma", "[1,] [1, ]"),
		same("blank inside", "[ 1] [1 ]"),
		same("line break inside", "[1,\n2]"),
		same("long number", "["+strings.Repeat("1", 300)+"]"),
		same("many brackets", strings.Repeat("[", 300)+"x"),
		same("dagger in ASCII brackets", "[1†x]"),
		same("dagger with unknown number", "【99†x】"),
		same("dagger never closed", "【1†"+strings.Repeat("x", 300)),
		same("interval", "[0, 1) and (0, 1]"),
		same("task list", "- [ ] todo\n- [x] done"),
		{"interval before a citation", "in [0, 1) it holds [1]. More", "in [0, 1) it holds [[1]](http://a). More"},
		{"unknown between known", "[1][99][2]", "[[1]](http://a)[99][[2]](http://b)"},
		{"unknown list around known", "[x, [1]]", "[x, [[1]](http://a)]"},
		{"unfinished dagger then citation", "【1†x [2]", "【1†x [[1]](http://b)"},
		{"known after digits", "[1[2]", "[1[[1]](http://b)"},
		{"footnote text", "[^x]: see [1]", "[^x]: see [[1]](http://a)"},
	})
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	check(t, []example{
		{"first use", "[5] [3] [5] [1]", "[[1]](http://e) [[2]](http://c) [[1]](http://e) [[3]](http://a)"},
		{"one document under two numbers", "[1] and [7]", "[[1]](http://a) and [[1]](http://a)"},
		{"adjacent repeats", "[1][1]", "[[1]](http://a)"},
		{"adjacent repeats of a document", "[1][7]", "[[1]](http://a)"},
		{"repeats in a list", "[1, 1, 7]", "[[1]](http://a)"},
		{"repeats of different forms", "[1]【1】[[1]](http://x)", "[[1]](http://a)"},
		{"repeats without address", "[6][6]", "[1]"},
		{"repeats with a blank", "[1] [1]", "[[1]](http://a) [[1]](http://a)"},
		{"repeats with one between", "[1][2][1]", "[[1]](http://a)[[2]](http://b)[[1]](http://a)"},
		{"list and single", "[1, 2][2]", "[[1]](http://a)[[2]](http://b)"},
	})
}

func TestExclamationMarkBeforeCitation(t *testing.T) {
	t.Parallel()
	check(t, []example{
		{"no image", "Great![1]", "Great! [[1]](http://a)"},
		{"double", "Great![[1]]", "Great! [[1]](http://a)"},
		{"list", "Great![1, 2]", "Great! [[1]](http://a)[[2]](http://b)"},
		{"full-width", "Great!【1】", "Great! [[1]](http://a)"},
		{"a link of the model's", "Great![[1]](http://x)", "Great! [[1]](http://a)"},
		{"in open brackets", "[Great![1]]", "[Great! [[1]](http://a)]"},
		{"a blank is there", "Great! [1]", "Great! [[1]](http://a)"},
		{"escaped", `Great\![1]`, `Great\![[1]](http://a)`},
		{"no link", "Great![6]", "Great![1]"},
		{"after an address", "http://x/a![1]", "http://x/a! [[1]](http://a)"},
	})
}
