package main_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// traced is what search --json says of how it searched.
type traced struct {
	found
	Trace struct {
		Alpha    float64
		Embedder string
		Route    string
		Notice   string
		Synonyms []string
	}
}

// dated writes pages about one subject: an old one of several chunks that matches best, a new one,
// and one that matches by its title.
func dated(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	filler := strings.Repeat("Nothing of interest happens in this sentence about other things. ", 90)
	pages := map[string]string{
		"old.md": "---\nupdated: 2019-03-01\n---\n# Kettle manual\n\n## Before\n\n" + filler + "\n\n## Descaling\n\nDescale the kettle with vinegar; descale it monthly.\n\n" + filler +
			"\n\n## After\n\n" + filler + "\n",
		"new.md":   fmt.Sprintf("---\nupdated: %s\n---\n# Notes on descaling\n\nWe descale a kettle now and then, and more besides.\n", time.Now().Format("2006-01-02")),
		"guide.md": "# Kettle descaling guide\n\nSee the notes.\n",
	}
	for name, text := range pages {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Every setting of a search shows in search --json.
func TestEverySettingShowsInSearch(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "HYBRID_ALPHA=0") // what the keyword side does
	p.run(t, "index", dated(t))
	ask := func(p *program, args ...string) traced {
		t.Helper()
		return jsonOf[traced](t, p.run(t, append([]string{"search", "descale kettle vinegar monthly", "--json"}, args...)...))
	}
	of := func(r traced, title, component string) float64 {
		t.Helper()
		for _, h := range r.Hits {
			if h.Title == title {
				return h.Scores[component]
			}
		}
		t.Fatalf("%s was not found: %+v", title, r.Hits)
		return 0
	}
	const old, guide = "Kettle manual", "Kettle descaling guide"
	plain := ask(p)
	for _, c := range []struct {
		setting string
		shows   bool
	}{
		{"RECENCY_FLOOR=0.5", of(ask(p.with("RECENCY_FLOOR=0.5")), old, "recency") == 0.5 && of(plain, old, "recency") == 0.9},
		{"DOC_TIME_DECAY=0", of(ask(p.with("DOC_TIME_DECAY=0")), old, "recency") == 1},
		{"FAVOR_RECENT_DECAY_MULTIPLIER=9", of(ask(p.with("RECENCY_FLOOR=0", "FAVOR_RECENT_DECAY_MULTIPLIER=9"), "--recent"), old, "recency") <
			of(ask(p.with("RECENCY_FLOOR=0")), old, "recency")/2},
		{"TITLE_CONTENT_RATIO=1", of(ask(p.with("TITLE_CONTENT_RATIO=1")), guide, "keyword") > of(plain, guide, "keyword")},
		{"MAX_CHUNKS_FED_TO_CHAT=1", len(ask(p.with("MAX_CHUNKS_FED_TO_CHAT=1")).Hits) == 1 && len(plain.Hits) > 1},
		{"CONTEXT_CHUNKS_ABOVE=0 CONTEXT_CHUNKS_BELOW=0", longest(ask(p.with("CONTEXT_CHUNKS_ABOVE=0", "CONTEXT_CHUNKS_BELOW=0", "RECENCY_FLOOR=1"), "--limit", "1")) <
			longest(ask(p.with("CONTEXT_CHUNKS_ABOVE=1", "CONTEXT_CHUNKS_BELOW=1", "RECENCY_FLOOR=1"), "--limit", "1"))},
	} {
		if !c.shows {
			t.Errorf("%s does not show", c.setting)
		}
	}
}

func longest(r traced) int {
	n := 0
	for _, h := range r.Hits {
		n = max(n, len(h.Text))
	}
	return n
}

// Questions that are not words find nothing or something, and end well.
func TestSearchForOddThings(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", dated(t))
	p = p.with("HYBRID_ALPHA=0") // anything resembles something a little
	for _, c := range []struct {
		name, query string
		finds       bool
	}{
		{"stop words", "what is the of and to", false},
		{"punctuation", "?!... (( )) && **", false},
		{"10,000 words", "kettle " + strings.Repeat("word ", 10_000), true},
		{"quotes and operators", `"descale" AND (kettle OR -vinegar):* & | ! <->`, true},
		{"another script", "кофемашина 湯沸かし器", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := jsonOf[traced](t, p.run(t, "search", c.query, "--json"))
			if (len(got.Hits) > 0) != c.finds {
				t.Errorf("%d hits", len(got.Hits))
			}
		})
	}
	for _, empty := range []string{"", "  "} {
		if r := p.try(t, "", "search", empty); r.code != 2 || !strings.Contains(r.stderr, "write a few words") {
			t.Errorf("nothing to search for: exit code %d\n%s", r.code, r.stderr)
		}
	}
}

// An embedding endpoint that cannot be reached costs a notice, not the search.
func TestSearchGoesOnWithoutTheEmbeddingEndpoint(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", dated(t))
	down := p.with("EMBEDDING_MODEL=text-embedding-3-small", "EMBEDDING_BASE_URL=http://127.0.0.1:9/v1", "OPENAI_API_KEY=none")
	got := jsonOf[traced](t, down.run(t, "search", "descale kettle", "--json"))
	if len(got.Hits) == 0 || got.Trace.Alpha != 0 || !strings.Contains(got.Trace.Notice, "by keywords alone") {
		t.Errorf("%d hits, trace %+v", len(got.Hits), got.Trace)
	}
}

// silentEndpoint is an address that accepts connections and never answers: the kernel completes the
// handshake, and no one reads.
func silentEndpoint(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String() + "/v1"
}

// An embedding endpoint that never answers costs a notice, which every reader sees, and no answer.
func TestQuestionsAreAnsweredWhileTheEmbeddingEndpointIsSilent(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", dated(t))
	silent := p.with("EMBEDDING_MODEL=text-embedding-3-small", "EMBEDDING_BASE_URL="+silentEndpoint(t), "EMBEDDING_API_KEY=none")
	const notice = "The embedding model took longer than 2 s, so the search went by keywords alone."
	answer := jsonOf[capped](t, silent.run(t, "ask", "How do I descale the kettle?", "--json"))
	if answer.Outcome != "answered" || !strings.Contains(answer.Answer, "descale") || !slices.Equal(answer.Notices, []string{notice}) {
		t.Errorf("the answer is %+v", answer)
	}
	if got := jsonOf[traced](t, silent.run(t, "search", "descale kettle", "--json")); len(got.Hits) == 0 || got.Trace.Notice != notice {
		t.Errorf("search --json: %d hits, trace %+v", len(got.Hits), got.Trace)
	}
	for _, args := range [][]string{{"ask", "How do I descale the kettle?"}, {"ask", "descale kettle", "--search-only"}, {"search", "descale kettle"}} {
		if r := silent.run(t, args...); strings.Count(r.stdout+r.stderr, notice) != 1 {
			t.Errorf("footnote %s does not print the notice once:\n%s%s", args, r.stdout, r.stderr)
		}
	}
}

// Synonyms of footnote.yaml find what the question's own words do not, and show.
func TestSearchBySynonyms(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", dated(t))
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(file, []byte("synonyms:\n  - [teapot, kettle]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := jsonOf[traced](t, p.run(t, "search", "teapot", "--json")); len(got.Hits) != 0 {
		t.Errorf("%d hits without synonyms", len(got.Hits))
	}
	got := jsonOf[traced](t, p.with("FOOTNOTE_CONFIG="+file).run(t, "search", "teapot", "--json"))
	if len(got.Hits) == 0 || !got.Evidence || !slices.Equal(got.Trace.Synonyms, []string{"teapot: kettle"}) {
		t.Errorf("%d hits, evidence %v, trace %+v", len(got.Hits), got.Evidence, got.Trace)
	}
}
