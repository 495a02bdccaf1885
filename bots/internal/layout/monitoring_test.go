package layout_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/telemetry"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/goccy/go-yaml"
)

// exposed are the names that the program exposes once everything has happened, each with its
// labels.
func exposed(t *testing.T) map[string][]string {
	t.Helper()
	m := telemetry.New(telemetry.Config{
		Queue:     func(context.Context) (int, error) { return 0, nil },
		Connected: func(context.Context) map[string]bool { return map[string]bool{"slack": true} },
		Engine:    func(context.Context) (telemetry.Engine, error) { return telemetry.Engine{}, nil },
		Caps:      func(context.Context) (map[string]float64, error) { return map[string]float64{"daily": 0.5}, nil },
		Sources: func(context.Context) ([]telemetry.Source, error) {
			return []telemetry.Source{{ID: "wiki", Left: map[string]time.Duration{"nodes": time.Hour}, People: map[string]int{"matched": 1}}}, nil
		},
	})
	m.Turn("slack", session.Saved{Outcome: session.Answered, Runs: []session.Run{{Model: "m", Usage: llm.Usage{Input: 1, Output: 1}}}})
	m.Wrote(stream.Write{Call: thread.Edit, First: true, Since: time.Second})
	m.Stopped(time.Millisecond)
	m.Spent(spend.Account{Model: "m", Purpose: spend.Answering, Currency: "EUR"}, spend.Use{Amount: 1})
	m.Searched(retrieve.Trace{Timings: map[string]time.Duration{"total": time.Millisecond}})
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	sample := regexp.MustCompile(`(?m)^([a-z_0-9]+)(?:\{(.*)\})? `)
	label := regexp.MustCompile(`([a-z_]+)="`)
	found := make(map[string][]string)
	for _, s := range sample.FindAllStringSubmatch(w.Body.String(), -1) {
		found[s[1]] = nil
		for _, l := range label.FindAllStringSubmatch(s[2], -1) {
			found[s[1]] = append(found[s[1]], l[1])
		}
	}
	return found
}

// Parts of expressions of PromQL, as far as they occur here.
var (
	metricIn   = regexp.MustCompile(`\b((?:footnote|go|process)_[a-z_]+|up)\b(?:\{([^}]*)\})?`)
	labelIn    = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)`)
	groupingIn = regexp.MustCompile(`\b(?:by|without|on|ignoring)\s*\(([^)]*)\)`)
)

// target are the labels that Prometheus gives to everything that it scrapes.
var target = []string{"job", "instance"}

// check reports what an expression names and the program does not expose. It returns the names of
// the metrics.
func check(t *testing.T, where, expression string, exposed map[string][]string) (names []string) {
	t.Helper()
	labels := slices.Clone(target)
	for _, m := range metricIn.FindAllStringSubmatch(expression, -1) {
		own, known := exposed[m[1]]
		if !known && m[1] != "up" {
			t.Errorf("%s: the program exposes no %s", where, m[1])
		}
		own = append(slices.Clone(own), target...)
		for _, l := range labelIn.FindAllStringSubmatch(m[2], -1) {
			if !slices.Contains(own, l[1]) {
				t.Errorf("%s: %s has no label %s", where, m[1], l[1])
			}
		}
		names, labels = append(names, m[1]), append(labels, own...)
	}
	for _, g := range groupingIn.FindAllStringSubmatch(expression, -1) {
		for name := range strings.SplitSeq(g[1], ",") {
			if name = strings.TrimSpace(name); !slices.Contains(labels, name) {
				t.Errorf("%s: what is grouped has no label %s", where, name)
			}
		}
	}
	if len(names) == 0 {
		t.Errorf("%s: %q names no metric", where, expression)
	}
	for _, pair := range []string{"()", "[]", "{}"} {
		if strings.Count(expression, pair[:1]) != strings.Count(expression, pair[1:]) {
			t.Errorf("%s: %q has a bracket that is not closed", where, expression)
		}
	}
	return names
}

// The dashboard shows everything that the program counts, and nothing that it does not.
func TestDashboardShowsWhatIsCounted(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(root(t), "deploy", "monitoring", "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Title, UID    string
		SchemaVersion int
		Panels        []struct {
			ID          int
			Type, Title string
			GridPos     struct{ H, W, X, Y int }
			Targets     []struct{ RefID, Expr string }
		}
		Templating struct {
			List []struct{ Name, Type, Query string }
		}
	}
	if err := json.Unmarshal(data, &dashboard); err != nil {
		t.Fatal(err)
	}
	if dashboard.Title == "" || dashboard.UID == "" || dashboard.SchemaVersion == 0 || len(dashboard.Panels) == 0 {
		t.Error("Grafana takes no dashboard without title, uid, version of its schema and panels")
	}
	known := exposed(t)
	shown := make(map[string]bool)
	ids, places := make(map[int]bool), make(map[string]string)
	for _, p := range dashboard.Panels {
		place := fmt.Sprint(p.GridPos.X, ",", p.GridPos.Y)
		if ids[p.ID] || places[place] != "" || p.GridPos.X+p.GridPos.W > 24 || p.GridPos.H == 0 {
			t.Errorf("the panel %q has the id or the place of another one, or none", p.Title)
		}
		ids[p.ID], places[place] = true, p.Title
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("the panel %q shows nothing", p.Title)
		}
		for _, q := range p.Targets {
			for _, name := range check(t, p.Title, q.Expr, known) {
				shown[family(name)] = true
			}
		}
	}
	for _, v := range dashboard.Templating.List {
		if v.Type == "query" {
			check(t, "$"+v.Name, v.Query, known)
		}
	}
	for name := range known {
		if strings.HasPrefix(name, "footnote_") && !shown[family(name)] {
			t.Errorf("the dashboard does not show %s", name)
		}
	}
}

// family is the name of a metric without what a histogram adds to it.
func family(name string) string {
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}

func TestAlertsAreAboutWhatIsCounted(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(root(t), "deploy", "monitoring", "rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var rules struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := yaml.UnmarshalWithOptions(data, &rules, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	known := exposed(t)
	names := make(map[string]bool)
	value := regexp.MustCompile(`\$labels\.([a-z_]+)`)
	for _, group := range rules.Groups {
		for _, r := range group.Rules {
			if r.Alert == "" || names[r.Alert] || group.Name == "" {
				t.Errorf("an alert of the group %q has no name of its own: %q", group.Name, r.Alert)
			}
			names[r.Alert] = true
			of := check(t, r.Alert, r.Expr, known)
			if _, err := time.ParseDuration(r.For); r.For != "" && err != nil {
				t.Errorf("%s: for: %v", r.Alert, err)
			}
			if s := r.Labels["severity"]; s != "critical" && s != "warning" {
				t.Errorf("%s has the severity %q", r.Alert, s)
			}
			if r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
				t.Errorf("%s does not say what is wrong and what to do", r.Alert)
			}
			labels := slices.Clone(target)
			for _, name := range of {
				labels = append(labels, known[name]...)
			}
			for _, l := range value.FindAllStringSubmatch(r.Annotations["summary"]+r.Annotations["description"], -1) {
				if !slices.Contains(labels, l[1]) {
					t.Errorf("%s speaks of a label %s that it does not have", r.Alert, l[1])
				}
			}
		}
	}
	if len(names) == 0 {
		t.Error("there is no alert")
	}
}

// Each alert is raised in one of the tests that promtool runs ("make alerts"), by metrics and
// labels that there are.
func TestEveryAlertIsRaisedInATest(t *testing.T) {
	t.Parallel()
	var rules struct {
		Groups []struct {
			Rules []struct{ Alert string }
		}
	}
	var tests struct {
		RuleFiles []string `yaml:"rule_files"`
		Tests     []struct {
			Name   string
			Series []struct{ Series string } `yaml:"input_series"`
			Alerts []struct {
				Name   string `yaml:"alertname"`
				Raised []any  `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	for name, into := range map[string]any{"rules.yaml": &rules, "rules_test.yaml": &tests} {
		data, err := os.ReadFile(filepath.Join(root(t), "deploy", "monitoring", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(data, into); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	known, raised := exposed(t), make(map[string]bool)
	for _, test := range tests.Tests {
		for _, s := range test.Series {
			check(t, test.Name, s.Series, known)
		}
		for _, a := range test.Alerts {
			raised[a.Name] = raised[a.Name] || len(a.Raised) > 0
		}
	}
	for _, group := range rules.Groups {
		for _, r := range group.Rules {
			if !raised[r.Alert] {
				t.Errorf("no test raises %s", r.Alert)
			}
			delete(raised, r.Alert)
		}
	}
	for name := range raised {
		t.Errorf("there is no alert %s", name)
	}
	if !slices.Equal(tests.RuleFiles, []string{"rules.yaml"}) {
		t.Errorf("the tests are about %v", tests.RuleFiles)
	}
}

// The page on metrics lists what the program exposes of its own.
func TestDocumentsListEveryMetric(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root(t), "deploy", "docs", "metrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	for name, labels := range exposed(t) {
		labels = slices.DeleteFunc(slices.Clone(labels), func(l string) bool { return l == "le" })
		slices.Sort(labels)
		row := "| `" + family(name)
		if len(labels) > 0 {
			row += "{" + strings.Join(slices.Compact(labels), ",") + "}"
		}
		if strings.HasPrefix(name, "footnote_") && !strings.Contains(string(text), row+"`") {
			t.Errorf("deploy/docs/metrics.md has no row %s`", row)
		}
	}
}
