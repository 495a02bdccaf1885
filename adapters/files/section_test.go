package files_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget/budgettest"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
	"github.com/footnotehq/footnote/core/turn"
)

// labelled is a sentence of an answer, with the section that a person says it is from.
type labelled struct{ page, anchor, sentence string }

func labels(t *testing.T) (all []labelled) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "sections", "labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		field := strings.Split(strings.TrimSpace(line), "\t")
		if len(field) != 3 {
			t.Fatalf("%q is not page, anchor and sentence", line)
		}
		all = append(all, labelled{field[0], field[1], field[2]})
	}
	return all
}

// passages is a retriever that finds the same passages for every question.
type passages []retrieve.Hit

func (f passages) Search(context.Context, retrieve.Search) (retrieve.Result, error) {
	return retrieve.Result{Hits: f, Evidence: true}, nil
}

// passagesOf joins so many chunks of each page to a passage.
func passagesOf(t *testing.T, together int) (hits passages) {
	t.Helper()
	chunker, err := index.NewChunker(bytesPerToken{}, index.ChunkSize{})
	if err != nil {
		t.Fatal(err)
	}
	folder := read(t, files.Options{Path: filepath.Join("testdata", "sections"), BaseURL: "https://docs.example/", Include: []string{"*.md"}})
	id := document.ChunkID(0)
	for name, d := range folder.docs {
		d.ID = document.ID("docs:" + name)
		chunks, err := chunker.Chunks(t.Context(), &d)
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < len(chunks); at += together {
			id++
			h := retrieve.Hit{Document: d.Ref, Chunk: id, Heading: chunks[at].Heading, Anchor: chunks[at].Anchor, Link: d.Link(chunks[at].Anchor)}
			for _, c := range chunks[at:min(at+together, len(chunks))] {
				h.Text += c.Text + "\n\n"
				h.Parts = append(h.Parts, retrieve.Parts(c)...)
			}
			hits = append(hits, h)
		}
	}
	return hits
}

// number is that of the passage which says most of a sentence, of those that hold its section.
func (f passages) number(l labelled) (number int) {
	best := -1.0
	for i, h := range f {
		if !strings.HasSuffix(h.Document.URL, "/"+l.page) {
			continue
		}
		for _, p := range h.Parts {
			if s := cite.Supported(l.sentence, []string{h.Text}); p.Anchor == l.anchor && s > best {
				best, number = s, i+1
			}
		}
	}
	return number
}

var linkTo = regexp.MustCompile(`\]\((https://docs\.example/[^)]*)\)`)

// Sentences of answers over six pages of a manual lead to the sections that a person labelled
// before the first run, both where a passage is some chunks of a page and where it is the whole
// page.
func TestSentencesLeadToTheirSections(t *testing.T) {
	t.Parallel()
	sentences := labels(t)
	for _, together := range []int{1, 3, 1000} {
		t.Run(fmt.Sprint(together, " chunks"), func(t *testing.T) {
			t.Parallel()
			hits := passagesOf(t, together)
			var answer strings.Builder
			for _, l := range sentences {
				n := hits.number(l)
				if n == 0 {
					t.Fatalf("no passage has the section %s of %s", l.anchor, l.page)
				}
				fmt.Fprintf(&answer, "%s [%d]. ", strings.TrimSuffix(l.sentence, "."), n)
			}
			arguments, _ := json.Marshal(map[string][]string{"queries": {"sources"}}) // strings always marshal
			model := llmtest.New(llm.Info{Name: "m", NativeTools: true, Window: 1_000_000, Reply: 10_000},
				llmtest.Reply{llmtest.Call(0, "c", search.Name, string(arguments))}, llmtest.Answer(strings.SplitAfter(answer.String(), " ")...))
			words := budgettest.NewWords()
			tools, err := tool.NewSet(search.New(hits, nil, words, search.Config{Share: 1}))
			if err != nil {
				t.Fatal(err)
			}
			report, err := turn.NewRunner(tools, words, turn.Config{Policy: llm.Policy{Attempts: 1}}, slog.New(slog.DiscardHandler)).Run(t.Context(), turn.Request{
				Turn: "t", Audience: access.NewAudience(access.DefaultTenant, access.Members), Models: []llm.Model{model},
				Question: message.Message{Role: message.User, Text: "How do sources work?"}, Now: time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC),
			}, packet.SinkFunc(func(packet.Packet) {}))
			if err != nil {
				t.Fatal(err)
			}
			links := linkTo.FindAllStringSubmatch(report.Best().Shown, -1)
			if len(links) != len(sentences) {
				t.Fatalf("%d links for %d sentences: %s", len(links), len(sentences), report.Best().Shown)
			}
			right := 0
			for i, l := range sentences {
				page, anchor, _ := strings.Cut(strings.TrimPrefix(links[i][1], "https://docs.example/"), "#")
				if page != l.page {
					t.Errorf("%q leads to the page %s", l.sentence, page)
				}
				if anchor == l.anchor {
					right++
				} else {
					t.Logf("%q of %s leads to %s, not to %s", l.sentence, page, anchor, l.anchor)
				}
			}
			t.Logf("%d of %d lead to their section", right, len(sentences))
			if right*100 < 95*len(sentences) {
				t.Errorf("%d of %d lead to their section", right, len(sentences))
			}
		})
	}
}
