package opensearch_test

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/opensearch"
	"github.com/footnotehq/footnote/core/footprint"
	"github.com/footnotehq/footnote/core/footprint/footprinttest"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/footnotehq/footnote/core/retrieve/engine"
	"golang.org/x/sync/errgroup"
)

// repeated is an answer whose middle is repeated, gzipped as an attacker packs it.
type repeated struct {
	before, middle, after string
	times                 int
}

func (a repeated) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Encoding", "gzip")
	packed := gzip.NewWriter(w)
	block := strings.Repeat(a.middle, 10_000)
	_, err := io.WriteString(packed, a.before)
	for i := 0; i < a.times && err == nil; i += 10_000 {
		_, err = io.WriteString(packed, block)
	}
	if err == nil {
		_, _ = io.WriteString(packed, a.after) // a client that has gone away hears nothing
		_ = packed.Close()
	}
}

// attacked returns a client of an engine that is genuine until asked for something below path.
func attacked(t *testing.T, path string, attack http.Handler) *opensearch.Client {
	t.Helper()
	genuine := serve(t, httptest.NewServer)
	s := &server{Server: httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, path) && (path != "/" || r.URL.Path == "/") {
			attack.ServeHTTP(w, r)
			return
		}
		genuine.ServeHTTP(w, r)
	}))}
	t.Cleanup(s.Close)
	return s.client(t, "", "tls=off")
}

// words is a query of one word; every step of a search asks for something.
func words() engine.Query {
	return engine.Query{Index: "docs-1", Tenant: "t", Lists: []int32{1}, PerSide: 10, TitleRatio: 0.1,
		Probes: []engine.Probe{{Terms: []analyse.Term{{Text: "word", Count: 1}}}}}
}

// calls are all that a program asks of an engine, with the path at which it is asked.
func calls(t *testing.T, c *opensearch.Client) map[string]func() error {
	ctx := t.Context()
	return map[string]func() error{
		"/":                    func() error { return c.Check(ctx) },
		"/docs-1/_mapping":     func() error { _, err := c.Search(ctx, words()); return err },
		"/docs-1/_msearch":     func() error { _, err := c.Search(ctx, words()); return err },
		"/docs-1/_search":      func() error { _, err := c.Tally(ctx, "docs-1", "t"); return err },
		"/docs-1/_search?":     func() error { _, err := c.Versions(ctx, "docs-1", "t", 0); return err },
		"/docs-1-write/_bulk":  func() error { return c.Apply(ctx, "docs-1", changes(2), true) },
		"/docs-1":              func() error { return c.Create(ctx, "docs-1") },
		"/docs-1/_settings":    func() error { return c.Serve(ctx, "docs-1") },
		"/docs-1/_refresh":     func() error { return c.Refresh(ctx, "docs-1") },
		"/docs-1/_mapping/put": func() error { return c.Space(ctx, "docs-1", 1, 2) },
	}
}

func TestLittleMemoryLargeAnswers(t *testing.T) {
	const limit = 384 << 20
	footprinttest.Limited(t, limit, func(t *testing.T) {
		for _, attack := range []repeated{
			{before: `{"responses":[`, middle: `{},`, times: 80_000_000},
			{before: `{"items":[`, middle: `{"a":{}},`, times: 20_000_000},
			{before: `{"hits":{"hits":[`, middle: `{},`, times: 249_000, after: `{}]}}`},
			{before: `{"responses":[`, middle: `{"hits":{"hits":[{}]}},`, times: 50_000, after: `{}]}`},
			{before: `{"items":[`, middle: `{"a":{}},`, times: 120_000, after: `{}]}`},
			{before: `{"aggregations":{"blocks":{"buckets":[`, middle: `{},`, times: 249_000, after: `{}]}}}`},
			{before: `{"error":`, middle: `[`, times: 10_000_000},
			{before: `{"error":"`, middle: `a`, times: 240_000_000, after: `"}`},
		} {
			paths := calls(t, attacked(t, "/docs-1/none", attack))
			for path := range paths {
				address, _, _ := strings.Cut(strings.TrimSuffix(path, "/put"), "?")
				var group errgroup.Group
				c := attacked(t, address, attack)
				for range 8 {
					group.Go(func() error {
						_ = calls(t, c)[path]() // any error will do, and so will none
						return nil
					})
				}
				if err := group.Wait(); err != nil {
					t.Error(err)
				}
			}
		}
		t.Logf("%d MiB sufficed for eight at once; the row declares %d MiB", limit>>20, footprint.Engine.Max>>20)
	})
}

func TestLargeAnswersAreRefused(t *testing.T) {
	t.Parallel()
	for path := range calls(t, attacked(t, "/none", nil)) {
		address, _, _ := strings.Cut(strings.TrimSuffix(path, "/put"), "?")
		c := attacked(t, address, repeated{before: `{"a":[`, middle: `{},`, times: 1_000_000})
		says(t, calls(t, c)[path](), engine.ErrUnfit, "too large for OpenSearch", "INDEX_URL")
	}
}

// answersOf answers searches one after the other; the last one is repeated.
func answersOf(answers ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		write(w, answers[0])
		if len(answers) > 1 {
			answers = answers[1:]
		}
	})
}

func TestSearchRefusesWrongAnswers(t *testing.T) {
	t.Parallel()
	count := `{"hits":{"total":{"value":5}}}`
	hits := func(hits ...string) string { return `{"hits":{"hits":[` + strings.Join(hits, ",") + `]}}` }
	hit := func(chunk int, score, more string) string {
		return fmt.Sprintf(`{"_score":%s,"fields":{"chunk":[%d]}%s}`, score, chunk, more)
	}
	round := func(responses ...string) string { return `{"responses":[` + strings.Join(responses, ",") + `]}` }
	first := round(count, count, count)
	second := round(hits(hit(1, "2", "")), hits(hit(1, "2", "")))
	third := round(hits(hit(1, "2", "")))
	fourth := func(more string) string {
		return round(hits(hit(1, "2", "")), hits(hit(1, "2", "")), hits(hit(1, "2", more)))
	}
	for name, tc := range map[string]struct {
		answers []string
		refused bool
	}{
		"an answer as it should be":          {[]string{first, second, third, fourth(`,"matched_queries":["0"]`)}, false},
		"a negative name":                    {[]string{first, second, third, fourth(`,"matched_queries":["-1","-9223372036854775808"]`)}, false},
		"a name that is too large":           {[]string{first, second, third, fourth(`,"matched_queries":["1","99999999999999999999","x",""]`)}, false},
		"a negative count":                   {[]string{round(count, strings.ReplaceAll(count, "5", "-5"), count)}, true},
		"more words than there are chunks":   {[]string{round(count, strings.ReplaceAll(count, "5", "9223372036854775807"), count), second, third, fourth("")}, false},
		"more hits than were asked for":      {[]string{first, round(hits(hit(1, "2", ""), hit(2, "1", "")), hits())}, true},
		"hits where a count was asked for":   {[]string{round(count, hits(hit(1, "2", "")), count)}, true},
		"a score below zero":                 {[]string{first, round(hits(hit(1, "-2", "")), hits())}, true},
		"a score that makes products large":  {[]string{first, round(hits(hit(1, "1e308", "")), hits())}, true},
		"a score that is no number":          {[]string{first, round(hits(hit(1, `"NaN"`, "")), hits())}, true},
		"a score that float64 cannot hold":   {[]string{first, round(hits(hit(1, "1e999", "")), hits())}, true},
		"a score that makes quotients large": {[]string{first, round(hits(hit(1, "5e-324", "")), hits(hit(1, "5e-324", ""))), third, fourth("")}, true},
		"a chunk twice":                      {[]string{first, second, round(hits(hit(1, "2", ""), hit(1, "1", "")))}, true},
		"a chunk without a number":           {[]string{first, second, round(hits(`{"_score":1}`))}, true},
		"a chunk with two numbers":           {[]string{first, second, round(hits(`{"_score":1,"fields":{"chunk":[1,2]}}`))}, true},
		"a chunk that was not asked for":     {[]string{first, second, round(hits(hit(-7, "2", ""))), fourth("")}, false},
		"too few answers":                    {[]string{round(count)}, true},
		"too many answers":                   {[]string{round(count, count, count, count)}, true},
		"numbers where objects belong":       {[]string{round("1", "2", "3")}, true},
		"null":                               {[]string{"null"}, true},
		"an empty answer":                    {[]string{""}, true},
		"two texts":                          {[]string{first + first}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := attacked(t, "/docs-1/_msearch", answersOf(tc.answers...)).Search(t.Context(), words())
			if (err != nil) != tc.refused {
				t.Errorf("error %v", err)
			}
			if err != nil && !errors.Is(err, engine.ErrUnfit) && !errors.Is(err, engine.ErrDown) {
				t.Errorf("%v says nothing of the engine", err)
			}
		})
	}
}

func TestListsEndWhereTheEngineGoesOn(t *testing.T) {
	t.Parallel()
	page := func(one string) string { return strings.TrimSuffix(strings.Repeat(one+",", 10_000), ",") }
	blocks := `{"aggregations":{"blocks":{"after_key":{"block":1},"buckets":[` + page(`{"key":{"block":0},"doc_count":1}`) + `]}}}`
	if _, err := attacked(t, "/docs-1/_search", answersOf(blocks)).Tally(t.Context(), "docs-1", "t"); !errors.Is(err, engine.ErrUnfit) {
		t.Errorf("the same block for ever: %v", err)
	}
	for _, sort := range []string{"5", "-5", "9223372036854775807", "65536"} {
		chunks := `{"hits":{"hits":[` + page(`{"sort":[`+sort+`],"fields":{"version":[1]}}`) + `]}}`
		if _, err := attacked(t, "/docs-1/_search", answersOf(chunks)).Versions(t.Context(), "docs-1", "t", 0); !errors.Is(err, engine.ErrUnfit) {
			t.Errorf("chunk %s for ever: %v", sort, err)
		}
	}
}

func TestApplyRejectsEmptyResults(t *testing.T) {
	t.Parallel()
	for _, item := range []string{`{}`, `{"index":{}}`, `{"index":{"status":-1}}`, `{"index":{"status":201},"delete":{"status":200}}`, `null`} {
		c := attacked(t, "/docs-1-write/_bulk", answersOf(`{"items":[`+item+`,`+item+`]}`))
		if err := c.Apply(t.Context(), "docs-1", changes(2), true); err == nil {
			t.Errorf("%s counts as written", item)
		}
	}
}
