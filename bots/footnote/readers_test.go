package main_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// wiki makes a source with readers of its own, in which people are known by addresses, with a
// group.
func wiki(t *testing.T, p *program, group ...string) {
	t.Helper()
	for _, sql := range []string{
		`insert into source (tenant_id, id, kind, name) values ('default', 'wiki', 'files', 'wiki')`,
		`insert into source_access (tenant_id, source_id, loop, until) values ('default', 'wiki', 'groups', now() + interval '1 day')`,
		`insert into source_person (tenant_id, source_id, id, name, emails, read_at) select 'default', 'wiki', n, n, array[n || '@example.com'], now() from unnest(array['alice', 'bob', 'cyd']) n`,
		`insert into source_address (tenant_id, source_id, person, email) select tenant_id, source_id, id, unnest(emails) from source_person`,
		`insert into source_group (tenant_id, source_id, principal, name, read_at, seen_at) values ('default', 'wiki', 'group:wiki:grp:1', 'Sailors', now(), now())`,
	} {
		if _, err := database(t, p).Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := database(t, p).Pool.Exec(t.Context(),
		`insert into source_member (tenant_id, source_id, person, principal) select 'default', 'wiki', unnest($1::text[]), 'group:wiki:grp:1'`, group); err != nil {
		t.Fatal(err)
	}
}

// A private channel is answered from what every one of its people may read in a source. Once
// somebody is there who may not, it is not, and the asker is offered what was left out; in a public
// channel it is only what the operator lists.
func TestAPrivateChannelIsAnsweredFromWhatEverybodyInItMayRead(t *testing.T) {
	t.Parallel()
	c := newCrew(t, slacktest.Config{NoTiers: true})
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(file, []byte("identity: {domains: [example.com]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.env[0] = append(c.env[0], "FOOTNOTE_CONFIG="+file)
	alice, bob, cyd := c.slack.Person("alice", nil), c.slack.Person("bob", nil), c.slack.Person("cyd", nil)
	room := c.slack.Channel("sailors", func(ch *slacktest.Channel) { ch.Private = true }, alice, bob)
	public := c.slack.Channel("help", nil, alice, bob)
	library(t, c.program, map[string]string{"wordmembers": "members", "wordsailors": "group:wiki:grp:1"})
	wiki(t, c.program, "alice", "bob")
	c.serve(0)
	words := []string{"wordmembers", "wordsailors"}
	if got := c.ask(0, alice, room, words...); !slices.Equal(got, words) {
		t.Errorf("among sailors the prompts hold %v, want %v", got, words)
	}
	if got := c.ask(0, alice, public, words...); !slices.Equal(got, words[:1]) {
		t.Errorf("in a public channel the prompts hold %v, want %v", got, words[:1])
	}
	if got := c.ask(0, cyd, nil, words...); !slices.Equal(got, words[:1]) {
		t.Errorf("for somebody who is no sailor the prompts hold %v, want %v", got, words[:1])
	}
	if got := c.ask(0, bob, nil, words...); !slices.Equal(got, words) {
		t.Errorf("for a sailor alone the prompts hold %v, want %v", got, words)
	}
	offered := func() int {
		return len(slices.DeleteFunc(c.slack.Ephemeral(alice), func(m slacktest.Message) bool { return !strings.Contains(string(m.Blocks), "footnote:private") }))
	}
	c.until("what was left out in public is offered", func() bool { return offered() == 1 })
	c.does(0, func() { cyd.Join(room) })
	if got := c.ask(0, alice, room, words...); !slices.Equal(got, words[:1]) {
		t.Errorf("with somebody who is no sailor the prompts hold %v, want %v", got, words[:1])
	}
	c.until("what was left out is offered", func() bool { return offered() == 2 })
	if _, err := database(t, c.program).Pool.Exec(t.Context(), `insert into source_member (tenant_id, source_id, person, principal) values ('default', 'wiki', 'cyd', 'group:wiki:grp:1')`); err != nil {
		t.Fatal(err)
	}
	if got := c.ask(0, alice, room, words...); !slices.Equal(got, words) {
		t.Errorf("once everybody is a sailor the prompts hold %v, want %v", got, words)
	}
}
