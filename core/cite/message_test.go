package cite_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/google/go-cmp/cmp"
)

func TestEndOfStream(t *testing.T) {
	t.Parallel()
	check(t, []example{
		same("after an opening bracket", "text ["),
		same("after a number", "text [1"),
		same("after a comma", "text [1, "),
		same("double after the first closing bracket", "text [[1]"),
		same("full-width", "text 【1"),
		same("half a full-width bracket", "text \xe3\x80"),
		same("dagger", "text 【1†sour"),
		{"finished citation", "text [1]", "text [[1]](http://a)"},
		{"finished double citation", "text [[1]]", "text [[1]](http://a)"},
		{"finished citation in open brackets", "text [see [1]", "text [see [[1]](http://a)"},
	})
}

func TestInfos(t *testing.T) {
	t.Parallel()
	got := convert(library(), "x [3]", " y [1, 3", "] z [6][7]")
	want := shown{
		Text: "x [[1]](http://c) y [[2]](http://a)[[1]](http://c) z [3][[2]](http://a)",
		Infos: []cite.Info{
			{Number: 1, Source: source("c")},
			{Number: 2, Source: source("a")},
			{Number: 3, Source: cite.Source{Document: "f", Title: "no address", Kind: "file"}},
		},
		At: []int{2, 20, 53},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMappingGrowsDuringTheStream(t *testing.T) {
	t.Parallel()
	m := cite.NewMapping()
	p := cite.NewProcessor(m, cite.Options{})
	var got shown
	collect(p.Push("a [1] b ", nil), &got)
	m.Add(source("a"))
	collect(p.Push("[1", nil), &got)
	collect(p.Push("] c [2] ", nil), &got)
	m.Add(source("b"))
	collect(p.Push("[2]", nil), &got)
	collect(p.Flush(nil), &got)
	if want := "a [1] b [[1]](http://a) c [2] [[2]](http://b)"; got.Text != want {
		t.Errorf("got %q, want %q", got.Text, want)
	}
}

func TestMessagesOfATurn(t *testing.T) {
	t.Parallel()
	p := cite.NewProcessor(library(), cite.Options{})
	var got shown
	collect(p.Flush(p.Push("Looking at [3]: `open", nil)), &got)
	collect(p.Flush(p.Push("[1] says, as [3] does", nil)), &got)
	want := "Looking at [[1]](http://c): `open[[2]](http://a) says, as [[1]](http://c) does"
	if got.Text != want {
		t.Errorf("got %q, want %q", got.Text, want)
	}
	if diff := cmp.Diff(got.Infos, p.Cited()); diff != "" {
		t.Errorf("announced and cited differ:\n%s", diff)
	}
}

func TestSharedNumbering(t *testing.T) {
	t.Parallel()
	m, turn := library(), cite.NewNumbering()
	cite.NewProcessor(m, cite.Options{Numbering: turn}).Text("[3]")
	second := cite.NewProcessor(m, cite.Options{Numbering: turn})
	if got, want := second.Text("[1][3]"), "[[2]](http://a)[[1]](http://c)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if diff := cmp.Diff(turn.Cited(), second.Cited()); diff != "" {
		t.Errorf("the processor cites something else than the turn:\n%s", diff)
	}
}

func TestShownTextDoesNotChange(t *testing.T) {
	t.Parallel()
	text := "Facts [1], [2](http://x) and [see [3]](http://y). Great![1, 2] 【5†x】 [[4]](http://z)"
	whole := convert(library(), text).Text
	p := cite.NewProcessor(library(), cite.Options{})
	var got shown
	for i, d := range bytewise(text) {
		collect(p.Push(d, nil), &got)
		if whole[:len(got.Text)] != got.Text {
			t.Fatalf("after %q the reader sees %q, which is not how %q begins", text[:i+1], got.Text, whole)
		}
	}
}

func TestWithoutMapping(t *testing.T) {
	t.Parallel()
	if got := convert(nil, "a [1] b"); got.Text != "a [1] b" {
		t.Errorf("got %q", got.Text)
	}
}

func TestNumbersAreTheSameInSeveralAnswers(t *testing.T) {
	t.Parallel()
	var shared cite.Numbers
	one, other := shared.Numbering(), shared.Numbering()
	push := func(n *cite.Numbering, text string) string {
		p := cite.NewProcessor(library(), cite.Options{Numbering: n})
		var b strings.Builder
		for _, e := range append(p.Push(text, nil), p.Flush(nil)...) {
			b.WriteString(e.Text)
		}
		return b.String()
	}
	first, second, third := push(one, "Later [2]."), push(other, "Sooner [1]. Later [2]."), push(one, "Sooner [1].")
	if !strings.Contains(first, "[[1]]") || !strings.Contains(second, "Sooner [[2]]") || !strings.Contains(second, "Later [[1]]") || !strings.Contains(third, "[[2]]") {
		t.Errorf("the numbers of the answers differ: %q, %q, %q", first, second, third)
	}
}
