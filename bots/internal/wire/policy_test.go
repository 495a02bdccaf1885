package wire_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
)

const file = `agents:
  helper: {instructions: Help.}
  legal: {instructions: Careful., document_sets: [contracts, handbook]}
document_sets: {handbook: a, contracts: b, secrets: c}
channels:
  - {platform: slack, agent: legal}
  - {platform: slack, workspace: T1, channel: C1, follow: mention, document_sets: handbook}
`

func open(t *testing.T) *wire.Base {
	t.Helper()
	env := map[string]string{"DATABASE_URL": localtest.Migrated(t, postgres.Migrate)}
	cfg, err := config.Load(func(name string) string { return env[name] })
	if err != nil {
		t.Fatal(err)
	}
	if cfg.File, err = config.ParseFile("footnote.yaml", []byte(file)); err != nil {
		t.Fatal(err)
	}
	base, err := wire.Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := base.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return base
}

func TestWhatChatChangedCountsBeforeTheFile(t *testing.T) {
	t.Parallel()
	base := open(t)
	c1 := session.Place{Platform: "slack", Workspace: "T1", Channel: "C1"}
	holds := func() policy.Effective {
		t.Helper()
		e, err := base.Policies().Policy(t.Context(), base.Tenant, c1)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	set := func(at session.Place, key, value string) {
		t.Helper()
		if err := base.Settings().ChangeSettings(t.Context(), base.Tenant, at, session.Actor{Platform: "slack", ID: "U1"}, session.SettingChange{Key: key, Value: value}); err != nil {
			t.Fatal(err)
		}
	}
	if e := holds(); e.Agent != "legal" || e.Follow != policy.FollowMention || !slices.Equal(e.DocumentSets, []string{"handbook"}) {
		t.Errorf("by the file: %+v", e.Policy)
	}
	set(c1, "follow", "always")
	set(session.Place{Platform: "slack", Workspace: "T1"}, "bots", "true")
	set(c1, "agent", "gone")
	e := holds()
	if e.Follow != policy.FollowAlways || !e.Bots || e.Agent != "legal" || len(e.Ignored) != 1 || e.Ignored[0].Key != "agent" {
		t.Errorf("with what chat changed: %+v, ignored %v", e.Policy, e.Ignored)
	}
	if origins := e.Origins("agent"); len(origins) != 1 || origins[0].String() != "footnote.yaml:6" {
		t.Errorf("the agent comes from %v", origins)
	}
}

func TestChatIsToldWhatCannotBeSet(t *testing.T) {
	t.Parallel()
	base := open(t)
	c1 := session.Place{Platform: "slack", Workspace: "T1", Channel: "C1"}
	for _, tt := range []struct{ key, value, want string }{
		{"agent", "helper", ""},
		{"agent", "nobody", `there is no agent "nobody": the agents are helper, legal`},
		{"project", "x", `there is no project "x": define it under projects: in footnote.yaml`},
		{"document_sets", "handbook", ""},
		{"document_sets", "nothing", `there is no document set "nothing"`},
		{"document_sets", "secrets", "the configuration file limits this channel to handbook; in chat the documents can only become fewer"},
		{"document_sets", "secrets, handbook", ""},
		{"follow", "always", ""},
	} {
		err := base.Policies().Accept(t.Context(), base.Tenant, c1, tt.key, tt.value)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s %s: %v, want %q", tt.key, tt.value, err, tt.want)
		}
	}
}

func TestReplicasGoByOneConfiguration(t *testing.T) {
	t.Parallel()
	base := open(t)
	hash := func() string {
		t.Helper()
		h, err := base.Hash(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	first := hash()
	if err := base.Settings().ChangeSettings(t.Context(), base.Tenant, session.Place{Platform: "slack"}, session.Actor{Platform: "slack", ID: "U1"}, session.SettingChange{Key: "bots", Value: "true"}); err != nil {
		t.Fatal(err)
	}
	second := hash()
	if second == first {
		t.Error("a change in chat is not part of the hash")
	}
	again, err := config.ParseFile("footnote.yaml", []byte("# nothing else\n"+file))
	if err != nil {
		t.Fatal(err)
	}
	if err := base.Reload(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	if hash() != second {
		t.Error("a comment changes the hash")
	}
	changed, err := config.ParseFile("footnote.yaml", []byte(strings.Replace(file, "mention", "dialogue", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if err := base.Reload(t.Context(), changed); err != nil {
		t.Fatal(err)
	}
	if hash() == second {
		t.Error("a file that was read again is not part of the hash")
	}
	e, err := base.Policies().Policy(t.Context(), base.Tenant, session.Place{Platform: "slack", Workspace: "T1", Channel: "C1"})
	if err != nil || e.Follow != policy.FollowDialogue {
		t.Errorf("after the file was read again: follow %s, %v", e.Follow, err)
	}
}
