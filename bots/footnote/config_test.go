package main_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

const channelsYAML = `agents: {helper: {instructions: Help.}}
document_sets: {docs: [a, b], notes: [c]}
channels:
  - platform: slack
    follow: mention
  - {platform: slack, workspace: T1, channel: C1, agent: helper, document_sets: [docs, notes]}
`

func TestConfigShowsWhatHoldsAndWhoSaidSo(t *testing.T) {
	t.Parallel()
	path := filepath.Join(folder(t, map[string]string{"footnote.yaml": channelsYAML}), "footnote.yaml")
	p := newProgram(t, "FOOTNOTE_CONFIG="+path)
	if r := p.run(t, "config", "diff"); !strings.Contains(r.stderr, "No setting was changed.") {
		t.Errorf("before anything was changed:\n%s%s", r.stdout, r.stderr)
	}
	before := p.run(t, "config", "show").stdout
	for _, want := range []string{"everywhere\n  agent          -                        default", "slack\n  follow         mention                  footnote.yaml:5",
		"slack workspace T1 channel C1\n  agent          helper                   footnote.yaml:6"} {
		if !strings.Contains(before, want) {
			t.Errorf("config show lacks %q:\n%s", want, before)
		}
	}
	settings, c1 := admin.NewSettings(database(t, p)), session.Place{Platform: "slack", Workspace: "T1", Channel: "C1"}
	for key, value := range map[string]string{"follow": "always", "document_sets": "notes", "agent": "gone"} {
		if err := settings.ChangeSettings(t.Context(), access.DefaultTenant, c1, session.Actor{Platform: "slack", ID: "U1"}, session.SettingChange{Key: key, Value: value}); err != nil {
			t.Fatal(err)
		}
	}
	diff := p.run(t, "config", "diff").stdout
	for _, want := range []string{"follow: mention -> always, by U1 on ", "document_sets: docs, notes -> notes, by U1", "agent: helper -> gone, by U1 on ", "does not count"} {
		if !strings.Contains(diff, want) {
			t.Errorf("config diff lacks %q:\n%s", want, diff)
		}
	}
	type shown struct {
		Configuration string
		Places        []struct {
			Channel  string
			Settings []struct {
				Key, Value string
				Origin     []string
			}
		}
	}
	after := jsonOf[shown](t, p.run(t, "config", "show", "--platform", "slack", "--workspace", "T1", "--channel", "C1", "--json"))
	if strings.Contains(before, after.Configuration) || len(after.Places) != 1 {
		t.Errorf("the hash is still %s; places %+v", after.Configuration, after.Places)
	}
	values := make(map[string]string)
	for _, s := range after.Places[0].Settings {
		values[s.Key] = s.Value
	}
	if values["follow"] != "always" || values["agent"] != "helper" || values["document_sets"] != "notes" || values["enabled"] != "true" {
		t.Errorf("in the channel holds %v", values)
	}
}

// A file that is read again counts at once; one with faults changes nothing, and each fault is
// told.
func TestServeReadsItsConfigurationAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(folder(t, map[string]string{"footnote.yaml": channelsYAML}), "footnote.yaml")
	p := newProgram(t, "FOOTNOTE_CONFIG="+path)
	s := serve(t, p)
	defer s.stop(t)
	hash := func() string {
		t.Helper()
		for {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.addr+"/readyz", nil)
			if err != nil {
				t.Fatal(err)
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				continue // it is starting
			}
			var parts map[string]string
			err = json.NewDecoder(res.Body).Decode(&parts)
			_ = res.Body.Close()
			if err == nil && parts["configuration"] != "" {
				return parts["configuration"]
			}
		}
	}
	first := hash()
	if shown := p.run(t, "config", "show").stdout; !strings.Contains(shown, "configuration "+first) {
		t.Errorf("the server goes by %s, another process says\n%s", first, shown)
	}
	again := func(text, logged string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		for !strings.Contains(s.log.String(), logged) {
			select {
			case <-ctx.Done():
				t.Fatalf("%q was not logged:\n%s", logged, s.log)
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	again("channels:\n  - {platform: slack, follow: sometimes, bots: maybe}\n", "channels[1].bots holds")
	if !strings.Contains(s.log.String(), `footnote.yaml:2: channels[1].follow holds \"sometimes\": write mention, dialogue or always`) {
		t.Errorf("the first fault is not in the log:\n%s", s.log)
	}
	if got := hash(); got != first {
		t.Errorf("a file with faults changed the configuration to %s", got)
	}
	again(strings.Replace(channelsYAML, "mention", "always", 1), "configuration read again")
	second := hash()
	if second == first {
		t.Error("the file that was read again does not count")
	}
	if err := admin.NewSettings(database(t, p)).ChangeSettings(t.Context(), access.DefaultTenant, session.Place{Platform: "slack"}, session.Actor{Platform: "slack", ID: "U1"}, session.SettingChange{Key: "bots", Value: "true"}); err != nil {
		t.Fatal(err)
	}
	if got := hash(); got == second {
		t.Error("what was changed in chat is not part of the hash")
	}
}

func TestWhyExplainsATurnASessionAndAMessage(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example")
	asked := jsonOf[answered](t, p.run(t, "ask", "How many vacation days does an employee have?", "--json"))
	for _, ref := range []string{asked.TurnID, asked.SessionID} {
		got := p.run(t, "why", ref).stdout
		for _, want := range []string{"Turn " + asked.TurnID, "Decision: ", "Audience: whoever sees the answer holds members, public", "Search: ", "keywords #1, BM25",
			"% of the question", "Outcome: answered, written by"} {
			if !strings.Contains(got, want) {
				t.Errorf("why %s lacks %q:\n%s", ref, want, got)
			}
		}
	}
	type explanation struct {
		Turn     string
		Outcome  string
		Searches []struct {
			Queries []string
			Found   []struct {
				Title      string `json:"document_title"`
				KeywordPos int    `json:"keyword_pos"`
				Score      float64
			}
		}
	}
	why := jsonOf[[]explanation](t, p.run(t, "why", asked.TurnID, "--json"))
	if len(why) != 1 || len(why[0].Searches) == 0 || len(why[0].Searches[0].Found) == 0 || why[0].Searches[0].Found[0].Score <= 0 || why[0].Searches[0].Found[0].Title == "" {
		t.Errorf("why --json: %+v", why)
	}
	ref := thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1", Thread: "1700000000.000100"}
	err := pgsession.New(database(t, p)).Judged(t.Context(), access.DefaultTenant, []session.Verdict{{Ref: ref, Message: "1700000000.000200", Action: "observe", Reason: "people_talk"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{"C1/1700000000.000200", "1700000000.000200", "https://example.slack.com/archives/C1/p1700000000000200?thread_ts=1700000000.000100"} {
		if got := p.run(t, "why", ref).stdout; !strings.Contains(got, "Several people talk in the thread") || !strings.Contains(got, "channel C1") {
			t.Errorf("why %s:\n%s", ref, got)
		}
	}
	if r := p.try(t, "", "why", "C2/1700000000.000200"); r.code != 1 || !strings.Contains(r.stderr, "nothing is known of it") {
		t.Errorf("a message of another channel: exit code %d\n%s", r.code, r.stderr)
	}
}

// Programs of PostgreSQL connect without an argument, also where another database is set.
func TestDatabaseSetsTheVariablesOfItsPrograms(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "PGDATABASE=other", "PGSERVICEFILE=other", "PGHOSTADDR=192.0.2.1")
	p.run(t, "index", handbook(t))
	const show = `echo "$PGHOST|$PGPORT|$PGUSER|$PGDATABASE|$DATABASE_URL|$PGSERVICEFILE$PGHOSTADDR"`
	said := strings.Split(strings.TrimSpace(p.run(t, "database", "--", "sh", "-c", show).stdout), "|")
	if len(said) != 6 || slices.Contains(said[:5], "") || said[5] != "" || said[3] == "other" || !strings.Contains(said[4], said[3]) {
		t.Errorf("the program is given %q", said)
	}
}
