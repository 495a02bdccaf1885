package main_test

import (
	"bufio"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// auditEntry is the form of audit --json.
type auditEntry struct {
	Sequence  int64   `json:"sequence"`
	Deed      string  `json:"deed"`
	Who       *string `json:"who"`
	Alias     *string `json:"alias"`
	WhoOn     string  `json:"who_on"`
	Platform  string  `json:"platform"`
	Workspace string  `json:"workspace"`
	Channel   string  `json:"channel"`
	Thread    string  `json:"thread"`
	Direct    bool    `json:"direct"`
	Turn      string  `json:"turn"`
	Outcome   string  `json:"outcome"`
	TookMS    *int64  `json:"took_ms"`
	Models    []struct {
		Model string `json:"model"`
	} `json:"models"`
	Documents []struct {
		ID  string `json:"id"`
		URL string `json:"url"`
		As  string `json:"as"`
	} `json:"documents"`
	Details map[string]string `json:"details"`
}

// audit reads the trail.
func (p *program) audit(t *testing.T, args ...string) []auditEntry {
	t.Helper()
	var all []auditEntry
	lines := bufio.NewScanner(strings.NewReader(p.run(t, append([]string{"audit", "--json"}, args...)...).stdout))
	for lines.Scan() {
		var e auditEntry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		all = append(all, e)
	}
	return all
}

func deedsOf(entries []auditEntry) []string {
	all := make([]string, len(entries))
	for i, e := range entries {
		all[i] = e.Deed
	}
	return all
}

func TestAuditTellsWhoDidWhat(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	if r := p.run(t, "audit"); r.stdout != "" || !strings.Contains(r.stderr, "no such entries") {
		t.Errorf("before anything was done:\n%s%s", r.stdout, r.stderr)
	}
	docs := handbook(t)
	p.run(t, "index", docs, "--base-url", "https://docs.example", "--acl", "group:ops,user:slack:U7")
	p.run(t, "index", docs, "--acl", "members")
	p.run(t, "sources", "reindex", "--all")
	asked := jsonOf[answered](t, p.run(t, "ask", "--json", "How many vacation days does an employee have?"))
	if got := p.try(t, "Secret words.", "prompt", "set", "-"); got.code != 0 {
		t.Fatal(got.stderr)
	}
	p.run(t, "prompt", "reset")
	p.run(t, "discord", "allow", "123", "--tenant", "default")
	source := jsonOf[[]listedSource](t, p.run(t, "sources", "--json"))[0].ID
	p.run(t, "sources", "rm", source)

	all := p.audit(t)
	want := []string{
		"source.options", "source.index", "source.options", "source.index", "source.reindex", "turn", "prompt.set", "prompt.reset", "workspace.bind",
		"source.remove",
	}
	if got := deedsOf(all); !slices.Equal(got, want) {
		t.Fatalf("the trail holds %q, want %q", got, want)
	}
	turn := all[5]
	if turn.Turn != asked.TurnID || turn.Outcome != "answered" || turn.Platform != "console" || turn.Who == nil || turn.TookMS == nil || len(turn.Models) != 1 {
		t.Errorf("the question is %+v", turn)
	}
	if len(turn.Documents) == 0 || turn.Documents[0].As != "cited" || turn.Documents[0].URL != "https://docs.example/vacation.md" {
		t.Errorf("the documents of the question are %+v", turn.Documents)
	}
	if d := all[2].Details; d["acl"] != "members" || d["before_acl"] != "group:ops, user:slack:*" {
		t.Errorf("the access list was changed: %v", d)
	}
	for _, e := range slices.Delete(slices.Clone(all), 5, 6) {
		if e.WhoOn != "host" || e.Who == nil || *e.Who == "" {
			t.Errorf("%s was done by %v on %q", e.Deed, e.Who, e.WhoOn)
		}
	}
	raw := p.run(t, "audit", "--json").stdout
	for _, words := range []string{"vacation days", "Secret", "thirty", "U7"} {
		if strings.Contains(raw, words) {
			t.Errorf("the trail holds %q:\n%s", words, raw)
		}
	}
	table := p.run(t, "audit", "--since", "1h").stdout
	if strings.Count(table, "\n") != len(want)+1 || !strings.Contains(table, "cited https://docs.example/vacation.md") {
		t.Errorf("the table is\n%s", table)
	}
	for name, c := range map[string]struct {
		args []string
		want int
	}{
		"who":          {[]string{"--who", *turn.Who}, len(want)}, // the person at the terminal goes by the account, too
		"alias":        {[]string{"--who", *turn.Alias}, 1},
		"nobody":       {[]string{"--who", "U9"}, 0},
		"days to come": {[]string{"--since", "2999-01-01"}, 0},
		"days past":    {[]string{"--until", "2001-01-01"}, 0},
		"today":        {[]string{"--since", "1d", "--until", "2999-01-01"}, len(want)},
	} {
		if got := p.audit(t, c.args...); len(got) != c.want {
			t.Errorf("%s: %d entries, want %d", name, len(got), c.want)
		}
	}
	if r := p.try(t, "", "audit", "--tenant", "nobody"); r.code != 2 || !strings.Contains(r.stderr, "default") {
		t.Errorf("another tenant: exit code %d\n%s", r.code, r.stderr)
	}
}

func TestAuditNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	p := &program{}
	for name, c := range map[string]struct{ args, want []string }{
		"no time":     {[]string{"--since", "yesterday"}, []string{"--since", "yesterday", "36h"}},
		"no end":      {[]string{"--until", "2026-13-01"}, []string{"--until", "2026-13-01"}},
		"both":        {[]string{"--since", "x", "--until", "y"}, []string{"--since \"x\"", "--until \"y\""}},
		"wrong order": {[]string{"--since", "2026-02-01", "--until", "2026-01-01"}, []string{"--since is not before --until"}},
		"unknown":     {[]string{"--whom", "U1"}, []string{"--whom"}},
	} {
		r := p.try(t, "", append([]string{"audit"}, c.args...)...)
		if r.code != 2 {
			t.Errorf("%s: exit code %d", name, r.code)
		}
		for _, want := range c.want {
			if !strings.Contains(r.stderr, want) {
				t.Errorf("%s: %q is not in\n%s", name, want, r.stderr)
			}
		}
	}
}

// In Slack: a question, an administrator's change, an answer and a question that are deleted there,
// and a person who wants to be forgotten.
func TestAuditAndErasureInSlack(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	p := newProgram(t, socketSettings(slack)...)
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example", "--acl", "public")
	alice := slack.Person("alice", func(p *slacktest.Person) { p.Admin = true })
	bob := slack.Person("bob", nil)
	room := slack.Channel("help", nil, alice, bob)
	s := serve(t, p)
	defer s.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s.inSlack(ctx, t, slack)
	// eventually waits for a state of the database.
	eventually := func(what, query string, args ...any) {
		t.Helper()
		db := database(t, p)
		for {
			var holds bool
			if err := db.Pool.QueryRow(ctx, query, args...).Scan(&holds); err != nil {
				t.Fatalf("%s: %v\n%s", what, err, s.log)
			}
			if holds {
				return
			}
			select {
			case <-ctx.Done():
				t.Fatalf("%s does not come\n%s", what, s.log)
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	const delivered = `select count(*) = $1 from turn where delivered_at is not null and state = 'done' and not disturbed`
	ask := func(by *slacktest.Person, text string, n int) (root, answer string) {
		t.Helper()
		root = by.Say(room, "", slacktest.Mention()+" "+text)
		eventually("the answer", delivered, n)
		for _, m := range slack.Answers(room, root) {
			if strings.Contains(m.Shown(), "https://docs.example") {
				answer = m.TS
			}
		}
		if answer == "" {
			t.Fatalf("there is no answer in %+v", slack.Thread(room, root))
		}
		return root, answer
	}
	_, first := ask(alice, "How many vacation days does an employee have?", 1)
	second, _ := ask(alice, "How do I roll back a failed deployment?", 2)
	ask(bob, "Who is paged after fifteen minutes?", 3)
	alice.Delete(room, first) // as an administrator may
	eventually("the answer's deletion", `select count(*) = 1 from audit where deed = 'answer.delete'`)
	alice.Delete(room, second)
	eventually("the question's deletion", `select count(*) = 1 from turn where withdrawn_at is not null and state = 'done' and not disturbed`)
	const erased = `
		with gone as (select tenant_id, id from turn where withdrawn_at is not null or removed_at is not null),
		said as (select m.* from message m join gone on m.turn_id = gone.id)
		select (select count(*) from gone) = 2 and not exists (select from run join gone on run.turn_id = gone.id)
			and not exists (select from said where model_index >= 0) and not exists (select from said where text like '%roll back%')
			and (select count(*) from run) = 1`
	eventually("the erasure", erased)
	alice.Slash(room, "/footnote", "pause")
	eventually("the pause", `select count(*) = 1 from audit where deed = 'setting.set'`)
	alice.Slash(room, "/footnote", "resume")
	eventually("its end", `select count(*) = 2 from audit where deed = 'setting.set'`)
	before := p.audit(t, "--who", alice.ID)
	if got, want := deedsOf(before), []string{"turn", "turn", "setting.set", "setting.set"}; !slices.Equal(got, want) {
		t.Errorf("alice did %q, want %q", got, want)
	}
	for _, e := range before {
		if e.Platform != "slack" || e.Workspace != slacktest.TeamID || e.Channel != room.ID || e.WhoOn != "slack" || e.Deed == "turn" && e.Thread == "" {
			t.Errorf("%s was done in %+v", e.Deed, e)
		}
	}
	alice.Slash(room, "/footnote", "forget-me confirm")
	eventually("that alice is forgotten", `select count(*) = 1 from audit where deed = 'person.forget'`)
	const left = `
		select not exists (select from turn where asker_id = $1 or stop_requested_by = $1) and not exists (select from setting where changed_by = $1)
			and not exists (select from audit_person where person = $1) and not exists (select from participant where person = $1)
			and not exists (select from audit a where a::text like '%' || $1 || '%')`
	eventually("that nothing names alice", left, alice.ID)
	if got := p.audit(t, "--who", alice.ID); len(got) != 0 {
		t.Errorf("the trail names who was forgotten: %+v", got)
	}
	after := p.audit(t, "--who", *before[0].Alias)
	if len(after) != len(before)+1 || after[0].Who != nil || after[0].Outcome != "answered" || len(after[0].Documents) == 0 {
		t.Errorf("of who was forgotten the trail keeps %+v", after)
	}
	if got := p.audit(t, "--who", bob.ID); len(got) != 1 || got[0].Outcome != "answered" {
		t.Errorf("bob's entries are %+v", got)
	}
}
