package main_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
)

const blocked = `filters:
  questions:
    words: [layoffs]
    say: "Questions about layoffs are not answered here. Ask HR."
  answers:
    words: [Project Bluebird]
    patterns: ['\b\d{3}-\d{2}-\d{4}\b']
`

func TestBlockListsOfQuestionsAndAnswers(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	p := withPrices(t, server, blocked, "EMBEDDING_MODEL=")
	for _, args := range [][]string{{"When are the LAYOFFS?"}, {"Sum it up.", "--file", folderFile(t, "plan.txt", "All of the layoffs.")}} {
		got := jsonOf[answered](t, p.try(t, "", append([]string{"ask", "--json"}, args...)...))
		if got.Outcome != "refused" || got.Message != "Questions about layoffs are not answered here. Ask HR." || len(server.ChatRequests()) > 0 {
			t.Errorf("%q: %+v after %d requests", args, got, len(server.ChatRequests()))
		}
	}
	text := "All of Project **Bluebird** [7] is at 123-45-6789.\n\nDone."
	server.Push(openaitest.Reply{Text: text, Reasoning: "Project Bluebird it is.", Split: openaitest.Runes})
	r := p.run(t, "ask", "What is going on?", "--packets")
	if strings.Contains(r.stdout, "Bluebird it") || strings.Contains(r.stdout, "6789") || strings.Contains(r.stdout, "Bluebird") {
		t.Errorf("packets:\n%s", r.stdout)
	}
	server.Push(openaitest.Reply{Text: text, Split: openaitest.Runes})
	if got := jsonOf[answered](t, p.run(t, "ask", "What is going on?", "--json")); got.Answer != "All of ███████ **████████** [7] is at ███████████.\n\nDone." {
		t.Errorf("answer %q", got.Answer)
	}
	stops := withPrices(t, server, blocked+"    action: stop\n", "EMBEDDING_MODEL=")
	server.Push(openaitest.Reply{Text: text, Split: openaitest.Runes})
	if got := jsonOf[answered](t, stops.try(t, "", "ask", "What is going on?", "--json")); got.Outcome != "refused" || got.Answer != "All of " || !strings.Contains(got.Message, "must not be shown here") {
		t.Errorf("answer %+v", got)
	}
	if r := p.run(t, "doctor"); !strings.Contains(r.stdout, "✓ filters: 1 entry for questions, 2 for answers") {
		t.Errorf("doctor:\n%s", r.stdout)
	}
}

// folderFile writes one file and returns its path.
func folderFile(t *testing.T, name, text string) string {
	t.Helper()
	return folder(t, map[string]string{name: text}) + "/" + name
}

// The output filter is shown every paragraph before a reader is, and without it nothing is shown.
func TestOutputFilterIsAskedAboutEveryParagraph(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var p struct{ Text string }
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil || r.Header.Get("Authorization") != "Bearer k-hook" {
			t.Errorf("it is sent %v (%v)", r.Header, err)
		}
		mu.Lock()
		seen = append(seen, p.Text)
		mu.Unlock()
		switch {
		case strings.Contains(p.Text, "replace"):
			_, _ = io.WriteString(w, `{"action":"replace","text":"Other words of Project Bluebird."}`)
		case strings.Contains(p.Text, "block"):
			_, _ = io.WriteString(w, `{"action":"block"}`)
		default:
			_, _ = io.WriteString(w, `{"action":"allow"}`)
		}
	}))
	t.Cleanup(hook.Close)
	server := openaitest.New(t,
		openaitest.Reply{Text: "First.\n\nPlease replace this.\n\nLast.", Split: openaitest.Runes},
		openaitest.Reply{Text: "First.\n\nPlease block this.\n\nLast.", Split: openaitest.Runes},
		openaitest.Reply{Text: "First.\n\nLast."}, openaitest.Reply{Text: "First.\n\nLast."})
	p := withPrices(t, server, blocked, "EMBEDDING_MODEL=", "OUTPUT_FILTER_URL="+hook.URL, "OUTPUT_FILTER_TOKEN=k-hook")
	if got := jsonOf[answered](t, p.run(t, "ask", "What?", "--json")); got.Answer != "First.\n\nOther words of ███████ ████████.\n\nLast." || got.Outcome != "answered" {
		t.Errorf("answer %+v", got)
	}
	if got := jsonOf[answered](t, p.try(t, "", "ask", "What?", "--json")); got.Answer != "First.\n\n" && got.Answer != "First." || got.Outcome != "refused" {
		t.Errorf("answer %+v", got)
	}
	mu.Lock()
	if strings.Join(seen, "|") != "First.|Please replace this.|Last.|First.|Please block this." {
		t.Errorf("it saw %q", seen)
	}
	mu.Unlock()
	away := p.with("OUTPUT_FILTER_URL=http://127.0.0.1:1/")
	if got := jsonOf[answered](t, away.try(t, "", "ask", "What?", "--json")); got.Answer != "" || got.Outcome != "failed" || !strings.Contains(got.Message, "could not be checked") {
		t.Errorf("answer %+v", got)
	}
	if got := jsonOf[answered](t, away.with("OUTPUT_FILTER_FAILURE=allow").run(t, "ask", "What?", "--json")); got.Answer != "First.\n\nLast." {
		t.Errorf("answer %+v", got)
	}
	if r := away.try(t, "", "doctor"); r.code != 1 || !strings.Contains(r.stdout, "✗ filters: ask the output filter") {
		t.Errorf("doctor: exit code %d\n%s", r.code, r.stdout)
	}
}
