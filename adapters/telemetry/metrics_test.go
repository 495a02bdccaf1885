package telemetry_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/telemetry"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/google/go-cmp/cmp"
)

// scrape returns the lines of our own metrics but for the buckets of histograms and what is
// constant.
func scrape(t *testing.T, m *telemetry.Metrics) []string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	var lines []string
	for line := range strings.Lines(w.Body.String()) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "footnote_") && !strings.Contains(line, "_bucket{") {
			lines = append(lines, line)
		}
	}
	return lines
}

// The names are what dashboards and alarms are made of: a change of this list breaks them.
func TestNamesAreStable(t *testing.T) {
	t.Parallel()
	m := telemetry.New(telemetry.Config{Queue: func(context.Context) (int, error) { return 7, nil },
		Connected: func(context.Context) map[string]bool { return map[string]bool{"slack": true, "redis": false} },
		Disk:      func() (uint64, bool) { return 1 << 20, true },
		Engine: func(context.Context) (telemetry.Engine, error) {
			return telemetry.Engine{Queued: 3, Oldest: 90 * time.Second, Left: 5000, Serving: true}, nil
		},
		Caps: func(context.Context) (map[string]float64, error) { return map[string]float64{"daily": 0.25}, nil }})
	m.Turn("slack", session.Saved{Outcome: session.Answered, Runs: []session.Run{{Model: "m-1", Usage: llm.Usage{Input: 1200, Output: 80}, Invented: 2}}})
	m.Turn("discord", session.Saved{Outcome: session.Failed})
	m.Stopped(20 * time.Millisecond)
	m.Acted(thread.ActionDown)
	m.Acted("made up")
	m.Repeated("slack")
	m.TakenOver()
	m.Wrote(stream.Write{Call: thread.Create, First: true, Since: 800 * time.Millisecond})
	m.Wrote(stream.Write{Call: thread.Edit})
	m.Wrote(stream.Write{Call: thread.StreamAppend})
	m.Wrote(stream.Write{Call: thread.StreamStop})
	tooMany := roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusTooManyRequests}, nil
	})
	if _, err := m.Counted("discord", tooMany).RoundTrip(nil); err != nil { //nolint:bodyclose // it has none
		t.Fatal(err)
	}
	m.Wrote(stream.Write{Call: thread.Edit, Err: errors.New("other")})
	m.Searched(retrieve.Trace{Timings: map[string]time.Duration{"embed": 10 * time.Millisecond, "total": 30 * time.Millisecond}})
	want := []string{
		`footnote_connected{part="redis"} 0`,
		`footnote_connected{part="slack"} 1`,
		`footnote_cost_cap_used_ratio{cap="daily"} 0.25`,
		`footnote_dedupe_hits_total 1`,
		`footnote_disk_free_bytes 1.048576e+06`,
		`footnote_edits_total 2`,
		`footnote_engine_left_chunks 5000`,
		`footnote_engine_oldest_seconds 90`,
		`footnote_engine_queued 3`,
		`footnote_engine_serving 1`,
		`footnote_feedback_total{kind="down"} 1`,
		`footnote_feedback_total{kind="retry"} 0`,
		`footnote_feedback_total{kind="up"} 0`,
		`footnote_first_words_seconds_sum 0.8`,
		`footnote_first_words_seconds_count 1`,
		`footnote_invented_citations_total 2`,
		`footnote_lease_takeovers_total 1`,
		`footnote_queue_depth 7`,
		`footnote_rate_limited_total{service="discord"} 1`,
		`footnote_rate_limited_total{service="model"} 0`,
		`footnote_rate_limited_total{service="slack"} 0`,
		`footnote_retrieval_seconds_sum{stage="embed"} 0.01`,
		`footnote_retrieval_seconds_count{stage="embed"} 1`,
		`footnote_retrieval_seconds_sum{stage="total"} 0.03`,
		`footnote_retrieval_seconds_count{stage="total"} 1`,
		`footnote_stop_seconds_sum 0.02`,
		`footnote_stop_seconds_count 1`,
		`footnote_tokens_total{kind="input",model="m-1"} 1200`,
		`footnote_tokens_total{kind="output",model="m-1"} 80`,
		`footnote_turns_total{outcome="answered",platform="slack"} 1`,
		`footnote_turns_total{outcome="failed",platform="discord"} 1`,
	}
	if diff := cmp.Diff(want, scrape(t, m)); diff != "" {
		t.Error(diff)
	}
}

func TestOutcomeCountersStartAtZero(t *testing.T) {
	t.Parallel()
	m := telemetry.New(telemetry.Config{})
	m.Serves("slack", "discord")
	m.Turn("slack", session.Saved{Outcome: session.Failed})
	var got []string
	for _, line := range scrape(t, m) {
		if strings.HasPrefix(line, "footnote_turns_total") {
			got = append(got, line)
		}
	}
	if len(got) != 18 || !slices.Contains(got, `footnote_turns_total{outcome="failed",platform="slack"} 1`) ||
		!slices.Contains(got, `footnote_turns_total{outcome="failed",platform="discord"} 0`) {
		t.Errorf("the outcomes are %q", got)
	}
}

func TestScrapeSurvivesLostDatabase(t *testing.T) {
	t.Parallel()
	m := telemetry.New(telemetry.Config{Queue: func(context.Context) (int, error) { return 0, errors.New("away") }})
	if lines := scrape(t, m); !slices.Contains(lines, "footnote_queue_depth NaN") || !slices.Contains(lines, "footnote_edits_total 0") {
		t.Errorf("without a database there are %q", lines)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
