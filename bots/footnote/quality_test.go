package main_test

import (
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/evaluate"
	"github.com/footnotehq/footnote/core/retrieve"
)

// labelledQuestions reads questions with the pages that answer them: 2 answers, 1 helps.
func labelledQuestions(tb testing.TB) map[string]map[string]int {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "manual", "questions.tsv"))
	if err != nil {
		tb.Fatal(err)
	}
	questions := make(map[string]map[string]int)
	for line := range strings.Lines(string(data)) {
		question, pages, _ := strings.Cut(strings.TrimSpace(line), "\t")
		grades := make(map[string]int)
		for field := range strings.FieldsSeq(pages) {
			page, grade, _ := strings.Cut(field, ":")
			if grades[page], err = strconv.Atoi(grade); err != nil {
				tb.Fatalf("question %q: %v", question, err)
			}
		}
		if questions[question] != nil {
			tb.Fatalf("question %q is there twice", question)
		}
		questions[question] = grades
	}
	return questions
}

func TestLabelledQuestionsHaveAnswers(t *testing.T) {
	t.Parallel()
	questions := labelledQuestions(t)
	if len(questions) < 60 {
		t.Errorf("%d questions", len(questions))
	}
	for question, grades := range questions {
		best := 0
		for _, g := range grades {
			best = max(best, g)
		}
		if best != 2 {
			t.Errorf("no page answers %q", question)
		}
	}
}

// BenchmarkQualityOnTheManual indexes the manual of PostgreSQL 15, where it is installed (Debian:
// postgresql-doc-15), and reports how well the labelled questions find its pages. It measures
// quality, not time.
func BenchmarkQualityOnTheManual(b *testing.B) {
	const manual = "/usr/share/doc/postgresql-doc-15/html"
	if _, err := os.Stat(manual); err != nil {
		b.Skip("the manual is not installed: ", err)
	}
	settings := map[string]string{"DATABASE_URL": localtest.URL(b)}
	cfg, err := config.Load(func(name string) string { return settings[name] })
	if err != nil {
		b.Fatal(err)
	}
	base, err := wire.Open(b.Context(), cfg, slog.Default())
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = base.Close(b.Context()) }()
	connector, err := wire.Connect(cfg, config.Source{Path: manual, ACL: access.ACL{access.Public}})
	if err != nil {
		b.Fatal(err)
	}
	pipeline, err := base.Pipeline(b.Context())
	if err == nil {
		_, err = pipeline.Run(b.Context(), base.Tenant, connector, nil)
	}
	if err == nil {
		err = base.Settle(b.Context(), func(string, float64) {})
	}
	if err != nil {
		b.Fatal(err)
	}
	questions := labelledQuestions(b)
	for b.Loop() {
		hybrid, err := base.Retriever()
		if err != nil {
			b.Fatal(err)
		}
		rankings := make(map[string][]string)
		for question := range questions {
			found, err := hybrid.Search(b.Context(), retrieve.Search{Audience: access.NewAudience(base.Tenant, access.Public),
				Queries: []retrieve.Query{{Text: question}}, Limit: 100})
			if err != nil {
				b.Fatal(err)
			}
			for _, h := range found.Hits {
				page := strings.TrimSuffix(path.Base(string(h.Document.ID[strings.LastIndex(string(h.Document.ID), ":")+1:])), ".html")
				if !slices.Contains(rankings[question], page) { // its best passage comes first
					rankings[question] = append(rankings[question], page)
				}
			}
		}
		m := evaluate.Measure(rankings, questions)
		b.ReportMetric(m.NDCG10, "nDCG@10")
		b.ReportMetric(m.Recall100, "recall@100")
		b.ReportMetric(m.MRR10, "MRR@10")
	}
}
