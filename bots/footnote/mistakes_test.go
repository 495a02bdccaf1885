package main_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// logs waits until a server has logged all of some texts.
func (s *server) logs(ctx context.Context, t *testing.T, texts ...string) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for _, text := range texts {
		for !strings.Contains(s.log.String(), text) {
			select {
			case <-tick.C:
			case <-ctx.Done():
				t.Fatalf("the log lacks %q:\n%s", text, s.log)
			}
		}
	}
}

func TestSilentMistakesAreSaid(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	slack.Channel("help", nil, slack.Person("alice", nil))
	docs := handbook(t)
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	configure := func(sources string) {
		t.Helper()
		text := sources + `
document_sets:
  people: [handbok]
channels:
  - {platform: slack, channel: help, follow: dialogue}
  - {platform: slack, channel: C0NOSUCHONE, follow: dialogue}
  - {platform: slack, channel: C000HELP, follow: dialogue}
  - {platform: slack, channel: mcp, user_quota: 200/hour}
`
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	configure("sources:\n  handbook: {path: " + docs + "}")
	p := newProgram(t, socketSettings(slack, "FOOTNOTE_CONFIG="+file)...)
	p.run(t, "index")
	want := []string{
		`channels[1] names the channel "help"`, "channels[2] names the channel C0NOSUCHONE, which does not exist",
		`document_sets.people names the source "handbok"`, "Set sources.handbook.base_url",
	}
	unquoted := func(text string) string { return strings.ReplaceAll(text, `\"`, `"`) }
	r := p.try(t, "", "doctor")
	for _, text := range want {
		if !strings.Contains(r.stdout, text) {
			t.Errorf("doctor lacks %q:\n%s", text, r.stdout)
		}
	}
	if strings.Contains(r.stdout, "channels[3]") || strings.Contains(r.stdout, "channels[4]") || strings.Contains(r.stdout, "SLACK_APP_TOKEN") {
		t.Errorf("doctor finds what is right:\n%s", r.stdout)
	}
	configure("")
	if r := p.try(t, "", "doctor"); !strings.Contains(r.stdout, "can still be found. To remove that, run: footnote sources remove ") {
		t.Errorf("of a source that was removed from the file doctor says:\n%s", r.stdout)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s := serve(t, p)
	s.logs(ctx, t, "channels[1]", "channels[2]", "document_sets.people", "footnote sources remove")
	if strings.Contains(unquoted(s.log.String()), "channels[3]") {
		t.Errorf("a channel that exists is called missing:\n%s", s.log)
	}
	s.stop(t)
	if r := newProgram(t).run(t, "doctor"); !strings.Contains(r.stdout, "Set SLACK_BOT_TOKEN or DISCORD_BOT_TOKEN") {
		t.Errorf("without tokens doctor says:\n%s", r.stdout)
	}
}

func TestMissingScopeIsSaidWithItsPage(t *testing.T) {
	t.Parallel()
	scopes := slices.DeleteFunc(slices.Clone(slacktest.AllScopes), func(s string) bool { return s == "files:read" })
	slack := slacktest.Start(slacktest.Config{Scopes: scopes})
	t.Cleanup(slack.Close)
	p := newProgram(t, socketSettings(slack)...)
	const page = "add it under OAuth & Permissions → Bot Token Scopes"
	if r := p.try(t, "", "doctor"); !strings.Contains(r.stdout, "! Slack scope files:read: missing") || !strings.Contains(r.stdout, page) {
		t.Errorf("doctor says:\n%s", r.stdout)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	serve(t, p).logs(ctx, t, "Slack scope files:read", page)
	slack.Fail(slacktest.Fault{Method: "apps.connections.open", Times: 1 << 20, Error: "missing_scope"})
	if r := p.try(t, "", "doctor"); !strings.Contains(r.stdout, "connections:write under Basic Information → App-Level Tokens") {
		t.Errorf("of an app token without its scope doctor says:\n%s", r.stdout)
	}
}

func TestOneTokenOnTwoDatabasesIsSaid(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	first := newProgram(t, socketSettings(slack)...)
	alone := serve(t, first)
	alone.inSlack(ctx, t, slack)
	if r := first.try(t, "", "doctor"); strings.Contains(r.stdout, "Another server") {
		t.Errorf("of a server of this database doctor says:\n%s", r.stdout)
	}
	second := newProgram(t, socketSettings(slack)...)
	if r := second.try(t, "", "doctor"); !strings.Contains(r.stdout, "Another server with the same token") {
		t.Errorf("of a server of another database doctor says:\n%s", r.stdout)
	}
	serve(t, second).logs(ctx, t, "Another server with the same token")
	if strings.Contains(alone.log.String(), "Another server") {
		t.Error("the server that was alone when it connected says so too")
	}
}

func TestModelThatDoesNotAnswerDegradesReadiness(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	advice := map[string]string{"404": "check LLM_MODEL", "401": "set OPENAI_API_KEY", "HTML": "which usually ends in /v1"}
	for name, answer := range map[string]http.HandlerFunc{
		"404": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"error":{"message":"no such model"}}`, http.StatusNotFound)
		},
		"401": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"error":{"message":"bad key"}}`, http.StatusUnauthorized)
		},
		"HTML": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("<!doctype html><title>Welcome</title>"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := httptest.NewServer(answer)
			t.Cleanup(model.Close)
			s := serve(t, newProgram(t, socketSettings(slack, "OPENAI_BASE_URL="+model.URL+"/v1")...))
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			s.readiness(ctx, t, http.StatusOK, map[string]string{"status": "degraded", "model": "does not answer: "})
			s.logs(ctx, t, "the model does not answer")
			if said, _ := s.ready(ctx, t); !strings.Contains(said["model"], advice[name]) {
				t.Errorf("readiness says %q", said["model"])
			}
		})
	}
}
