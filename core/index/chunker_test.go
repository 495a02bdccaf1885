package index_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// words counts a token for every word, and for every four characters of a long one, about as the
// real vocabularies do.
type words struct{}

func (words) Count(text string) int {
	n := 0
	for word := range strings.FieldsSeq(text) {
		n += 1 + len(word)/8
	}
	return n
}

func chunker(t testing.TB, size index.ChunkSize) *index.Chunker {
	t.Helper()
	c, err := index.NewChunker(words{}, size)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// fataler is a test, or one draw of a property.
type fataler interface {
	Helper()
	Fatal(args ...any)
}

func cut(t fataler, c *index.Chunker, d *document.Document) []document.Chunk {
	t.Helper()
	chunks, err := c.Chunks(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	return chunks
}

func prose(sentences, length int, word string) string {
	var b strings.Builder
	for i := range sentences {
		fmt.Fprintf(&b, "Sentence %d", i)
		for range length - 2 {
			b.WriteString(" " + word)
		}
		b.WriteString(". ")
	}
	return strings.TrimSpace(b.String())
}

func TestChunks(t *testing.T) {
	t.Parallel()
	type want struct{ heading, anchor, begins, ends, lead string }
	var o document.Outline
	section := func(level int, title string, blocks ...document.Block) []document.Section {
		o = document.Outline{}
		o.Heading(level, title, strings.ToLower(title))
		for _, b := range blocks {
			if b.Kind == document.Code {
				o.Code(b.Language, b.Text)
			} else {
				o.Block(b.Kind, b.Text)
			}
		}
		return o.Sections()
	}
	rows := "name | size\n"
	code := ""
	items := ""
	for i := range 40 {
		rows += fmt.Sprintf("row %d | %d\n", i, i)
		code += fmt.Sprintf("line%d := f(%d)\n", i, i)
		items += fmt.Sprintf("- item %d\n  more of it\n", i)
	}
	tests := []struct {
		name     string
		size     index.ChunkSize
		sections []document.Section
		want     []want
	}{
		{name: "no text", sections: []document.Section{{Heading: []string{"A"}}}},
		{
			name: "small sections under one heading join", size: index.ChunkSize{Max: 64, Min: 20},
			sections: []document.Section{
				{Heading: []string{"A"}, Anchor: "a", Blocks: []document.Block{{Kind: document.Heading, Text: "# A"}}},
				{Heading: []string{"A", "B"}, Anchor: "b", Blocks: []document.Block{{Text: "Some words."}}},
				{Heading: []string{"A", "C"}, Anchor: "c", Blocks: []document.Block{{Text: "Other words."}}},
			},
			want: []want{{"A/B", "b", "# A", "Other words.", ""}},
		},
		{
			name: "a heading alone and a word stay with a section that is cut", size: index.ChunkSize{Max: 40, Min: 32, Overlap: -1},
			sections: []document.Section{
				{Heading: []string{"A"}, Anchor: "a", Blocks: []document.Block{{Kind: document.Heading, Text: "# A"}}},
				{Heading: []string{"A", "B"}, Anchor: "b", Blocks: []document.Block{{Text: prose(8, 6, "x")}}},
				{Heading: []string{"A", "C"}, Anchor: "c", Blocks: []document.Block{{Text: "See also."}}},
			},
			want: []want{{"A/B", "b", "# A", "Sentence 3 x x x x.", ""}, {"A/B", "b", "Sentence 4", "See also.", ""}},
		},
		{
			name:     "nothing but the title",
			sections: section(2, "The title", document.Block{Text: "\n \n"}),
		},
		{
			name: "sections worth a chunk stay apart", size: index.ChunkSize{Max: 64, Min: 8},
			sections: []document.Section{
				{Heading: []string{"A", "B"}, Anchor: "b", Blocks: []document.Block{{Text: prose(3, 5, "x")}}},
				{Heading: []string{"A", "C"}, Anchor: "c", Blocks: []document.Block{{Text: prose(3, 5, "x")}}},
			},
			want: []want{{"A/B", "b", "Sentence 0", "x.", ""}, {"A/C", "c", "Sentence 0", "x.", ""}},
		},
		{
			name: "sections of different chapters stay apart", size: index.ChunkSize{Max: 64, Min: 8},
			sections: []document.Section{
				{Heading: []string{"A", "B"}, Anchor: "b", Blocks: []document.Block{{Text: "One."}}},
				{Heading: []string{"Z"}, Anchor: "z", Blocks: []document.Block{{Text: "Two."}}},
			},
			want: []want{{"A/B", "b", "One.", "One.", ""}, {"Z", "z", "Two.", "Two.", ""}},
		},
		{
			name: "long text is cut between sentences, which overlap", size: index.ChunkSize{Max: 24, Overlap: 8},
			sections: section(1, "A", document.Block{Text: prose(6, 6, "x")}),
			want: []want{
				{"A", "a", "# A", "Sentence 2 x x x x.", ""},
				{"A", "a", "Sentence 2", "Sentence 3 x x x x.", ""},
				{"A", "a", "Sentence 3", "Sentence 5 x x x x.", ""},
			},
		},
		{
			name: "a paragraph's end is the better place to cut", size: index.ChunkSize{Max: 20, Overlap: -1},
			sections: section(1, "A", document.Block{Text: prose(2, 6, "x")}, document.Block{Text: prose(2, 6, "y")}),
			want:     []want{{"A", "a", "# A", "x x x x.", ""}, {"A", "a", "Sentence 0 y", "y y y y.", ""}},
		},
		{
			name: "tables are cut between rows and say their header again", size: index.ChunkSize{Max: 64},
			sections: section(1, "A", document.Block{Kind: document.Table, Text: strings.TrimSpace(rows)}),
			want: []want{
				{"A", "a", "# A", "row 13 | 13", ""}, {"A", "a", "row 14 |", "row 27 | 27", "name | size"}, {"A", "a", "row 28 |", "row 39 | 39", "name | size"},
			},
		},
		{
			name: "code is cut between lines", size: index.ChunkSize{Max: 80},
			sections: section(1, "A", document.Block{Kind: document.Code, Text: strings.TrimSpace(code)}),
			want:     []want{{"A", "a", "# A", "line21 := f(21)\n", ""}, {"A", "a", "line22 :=", "line39 := f(39)\n```", "```"}},
		},
		{
			name: "a fence stays with the lines next to it", size: index.ChunkSize{Max: 16, Overlap: -1},
			sections: section(1, "A", document.Block{Text: prose(1, 12, "x")},
				document.Block{Kind: document.Code, Language: "go", Text: "\n\n    " + strings.Repeat("a ", 14) + "\n    b\n\n" + strings.Repeat("c ", 14)},
				document.Block{Text: prose(1, 12, "y")}),
			want: []want{
				{"A", "a", "# A", "x x.", ""}, {"A", "a", "```go\n\n\n    a", " a \n    b\n\n", ""}, {"A", "a", "c ", " c\n```", "```go"}, {"A", "a", "Sentence 0 y", "y y.", ""},
			},
		},
		{
			name: "lists are cut between items", size: index.ChunkSize{Max: 150, Overlap: -1},
			sections: section(1, "A", document.Block{Kind: document.List, Text: strings.TrimSpace(items)}),
			want:     []want{{"A", "a", "# A", "- item 21\n  more of it", ""}, {"A", "a", "- item 22", "- item 39\n  more of it", ""}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := document.Document{Ref: document.Ref{Title: "The title"}, Sections: tt.sections}
			chunks := cut(t, chunker(t, tt.size), &d)
			var got []want
			for i, c := range chunks {
				w := want{heading: strings.Join(c.Heading, "/"), anchor: c.Anchor, lead: c.Lead, begins: c.Text, ends: c.Text}
				if i < len(tt.want) && strings.HasPrefix(c.Text, tt.want[i].begins) && strings.HasSuffix(c.Text, tt.want[i].ends) {
					w.begins, w.ends = tt.want[i].begins, tt.want[i].ends
				}
				got = append(got, w)
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("Chunks() (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNewChunkerNamesAllFaults(t *testing.T) {
	t.Parallel()
	_, err := index.NewChunker(words{}, index.ChunkSize{Max: 8, Min: 9, Overlap: 7})
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("NewChunker() = %v, want three faults", err)
	}
}

// drawDocument makes documents of all kinds of blocks, with texts in several scripts, without
// spaces, or of spaces alone.
func drawDocument(t *rapid.T) document.Document {
	text := rapid.OneOf(
		rapid.StringMatching(`([A-Z][a-z]* ([a-z]+[ ,])*[a-z]+[.?!] )*`),
		rapid.StringMatching(`((- |  |)[a-z0-9 |]*\n)*`),
		rapid.StringMatching(`[一-十。，äöü ]{0,400}`),
		rapid.StringMatching(`[a-f0-9]{0,900}`),
		rapid.String(),
		rapid.StringMatching(`[ \n]{0,20}`),
		rapid.StringMatching("(`{0,4}[a-z \n]{0,9}){0,20}"),
		rapid.StringMatching(`( {0,8}[a-z(){};]{1,20}\n{1,3}){0,40}`),
	)
	title := rapid.SampledFrom([]string{"A", "B", "Ünïcode heading"})
	var o document.Outline
	for i := range rapid.IntRange(0, 6).Draw(t, "sections") {
		anchor := rapid.SampledFrom([]string{"", fmt.Sprintf("s%d", i), fmt.Sprintf("s%d", i)}).Draw(t, "anchor")
		o.Heading(rapid.IntRange(1, 4).Draw(t, "level"), title.Draw(t, "title"), anchor)
		for range rapid.IntRange(0, 4).Draw(t, "blocks") {
			if kind := document.BlockKind(rapid.IntRange(0, 3).Draw(t, "kind")); kind == document.Code {
				o.Code(rapid.SampledFrom([]string{"", "go", "c++"}).Draw(t, "language"), text.Draw(t, "text"))
			} else {
				o.Block(kind, text.Draw(t, "text"))
			}
		}
	}
	return document.Document{Sections: o.Sections()}
}

func TestChunksAreTheDocument(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := drawDocument(t)
		size := index.ChunkSize{Max: rapid.IntRange(16, 90).Draw(t, "max"), Overlap: rapid.IntRange(-1, 8).Draw(t, "overlap")}
		c, err := index.NewChunker(words{}, size)
		if err != nil {
			t.Fatal(err)
		}
		checkChunks(t, &d, cut(t, c, &d), size.Max)
		checkJoined(t, &d, cut(t, c, &d))
		checkPlaces(t, &d, cut(t, c, &d))
		if diff := cmp.Diff(cut(t, c, &d), cut(t, c, &d)); diff != "" {
			t.Fatalf("the same document was cut in two ways:\n%s", diff)
		}
	})
}

// checkJoined holds that the chunks together are the document again, and that any run of them is
// Markdown that leaves no fence open. White space between blocks may differ, and no other.
func checkJoined(t failer, d *document.Document, chunks []document.Chunk) {
	t.Helper()
	for from := range chunks {
		var j document.Joiner
		for _, c := range chunks[from:] {
			if c.Words() == "" {
				t.Fatalf("nothing is searched of %q", c.Text)
			}
			j.Add(c)
		}
		if open := (document.Chunk{Text: j.String()}).After(); open != "" {
			t.Fatalf("%q leaves %q open", j.String(), open)
		}
		if from > 0 {
			continue
		}
		want, got := strings.Split(d.Text(), "\n"), strings.Split(j.String(), "\n")
		words := func(text string) []string { return strings.Fields(strings.ReplaceAll(text, "`", "")) }
		if diff := cmp.Diff(words(d.Text()), words(j.String())); diff != "" {
			t.Fatalf("the words of the joined text differ:\n%s", diff)
		}
		for _, s := range d.Sections {
			for _, b := range s.Blocks {
				opening, closing := b.Fences()
				if text := opening + b.Text + closing; opening != "" && !strings.Contains(j.String(), text) {
					t.Fatalf("the code %q is not in\n%q of\n%q", text, got, want)
				}
			}
		}
	}
}

// checkPlaces holds that every section with an anchor is reached from the chunk that it begins in:
// by the chunk's own anchor, or by a place where it begins.
func checkPlaces(t failer, d *document.Document, chunks []document.Chunk) {
	t.Helper()
	at := 0
	for _, s := range d.Sections {
		begin, body := -1, false
		for _, b := range s.Blocks {
			body = body || b.Kind != document.Heading && strings.TrimSpace(b.Text) != ""
			opening, closing := b.Fences()
			text := opening + b.Text + closing
			if begin < 0 && strings.TrimSpace(b.Text) != "" {
				begin = at + utf8.RuneCountInString(text) - utf8.RuneCountInString(strings.TrimLeftFunc(text, unicode.IsSpace))
			}
			at += utf8.RuneCountInString(text) + utf8.RuneCountInString(document.BlockSeparator)
		}
		if begin < 0 || s.Anchor == "" {
			continue
		}
		reached := slices.ContainsFunc(chunks, func(c document.Chunk) bool {
			if begin < c.Start || begin >= c.End {
				return false
			}
			leads := c.Anchor
			for _, p := range c.Places {
				if p.Start <= 0 || p.Start >= c.End-c.Start || p.Anchor == "" {
					t.Fatalf("the place %+v is not within %q", p, c.Text)
				}
				if p.Start <= begin-c.Start {
					leads = p.Anchor
				}
			}
			heading := !body // it leads to what it stands above
			return leads == s.Anchor || heading
		})
		if !reached {
			t.Fatalf("the section %q at %d is not reached: %+v", s.Anchor, begin, chunks)
		}
	}
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkChunks holds what callers rely on: exact ranges in order that leave out nothing but white
// space, of the size asked for.
func checkChunks(t failer, d *document.Document, chunks []document.Chunk, limit int) {
	t.Helper()
	text := []rune(d.Text())
	at := 0
	for i, c := range chunks {
		if c.Ordinal != i {
			t.Fatalf("chunk %d has the ordinal %d", i, c.Ordinal)
		}
		if c.Start < 0 || c.End > len(text) || c.Start >= c.End || string(text[c.Start:c.End]) != c.Text {
			t.Fatalf("chunk %d is not the range %d–%d of the text: %q", i, c.Start, c.End, c.Text)
		}
		if c.End <= at {
			t.Fatalf("chunk %d ends at %d and holds nothing that was not in one before", i, c.End)
		}
		for ; at < c.Start; at++ {
			if !unicode.IsSpace(text[at]) && text[at] != '`' {
				t.Fatalf("the character %q at %d is in no chunk", text[at], at)
			}
		}
		at = c.End
		if n := (words{}).Count(c.Words()); n > limit {
			t.Fatalf("chunk %d has %d tokens besides fences, more than %d: %q", i, n, limit, c.Text)
		}
	}
	for ; at < len(text); at++ {
		if !unicode.IsSpace(text[at]) && text[at] != '`' {
			t.Fatalf("the character %q at %d is in no chunk", text[at], at)
		}
	}
}

func FuzzChunks(f *testing.F) {
	f.Add("One sentence. Another one! A third?", 0, 16)
	f.Add("a | b\n1 | 2\n3 | 4\n", 2, 16)
	f.Add("- x\n- y\n  z\n", 1, 20)
	f.Add(strings.Repeat("長い文。", 50), 0, 30)
	f.Add("#   ", 92, 58) // a document without a title is not left out for saying nothing else
	f.Fuzz(func(t *testing.T, text string, kind, limit int) {
		text = strings.ToValidUTF8(text, "")
		limit = 16 + max(limit, -limit)%100
		if limit < 16 {
			limit = 16
		}
		d := document.Document{Sections: []document.Section{{Blocks: []document.Block{{Kind: document.BlockKind(max(kind, -kind) % 5), Text: text}}}}}
		checkChunks(t, &d, cut(t, chunker(t, index.ChunkSize{Max: limit}), &d), limit)
	})
}
