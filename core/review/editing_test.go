package review_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
)

// rules is what a configuration file sets for every place, before what people changed.
type rules struct {
	store session.Settings
	file  []policy.SettingValue
}

func (r rules) Policy(ctx context.Context, tenant access.TenantID, at session.Place) (policy.Effective, error) {
	said := slices.Clone(r.file)
	stored, err := r.store.Settings(ctx, tenant, at)
	for _, s := range stored {
		said = append(said, policy.ChangedValue(s))
	}
	return policy.Resolve(said...), err
}

func (rules) Accept(_ context.Context, _ access.TenantID, _ session.Place, key, value string) error {
	if key == "agent" && value != "helper" {
		return errors.New("there is no such agent")
	}
	return nil
}

func (rules) Hash(context.Context) (string, error) { return "test", nil }

func (r rules) sets(_ session.Place, key string) (policy.Origin, bool) {
	for _, v := range r.file {
		if v.Key == key {
			return v.Origin, true
		}
	}
	return policy.Origin{}, false
}

var c1 = session.Place{Platform: "slack", Workspace: "T1", Channel: "C1"}

// editing returns an Editing over a store in memory. The file sets the given keys and values.
func editing(file ...string) (review.Editing, *sessiontest.Memory) {
	store := sessiontest.NewMemory()
	r := rules{store: store}
	for i := 0; i < len(file); i += 2 {
		r.file = append(r.file, policy.SettingValue{Key: file[i], Value: file[i+1], Origin: policy.Origin{File: fmt.Sprint("footnote.yaml:", i+1)}})
	}
	return review.Editing{
		Tenant: access.DefaultTenant,
		Editor: command.Editor{Settings: store, Policies: r, FileSays: r.sets, Logger: slog.New(slog.DiscardHandler)},
		Places: func(context.Context) ([]session.Place, error) {
			return []session.Place{{}, {Platform: "slack"}, c1}, nil
		},
		Names: func(key string) []string {
			return map[string][]string{"agent": {"helper"}, "project": {}, "document_sets": {"manuals", "contracts"}}[key]
		},
		Room: func(_ context.Context, at thread.Ref) (chat.Room, error) {
			switch at.Channel {
			case "C2":
				return chat.Room{Ref: thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C2"}, Present: access.Presence{Tenant: access.DefaultTenant}}, nil
			case "C3":
				return chat.Room{Ref: thread.Ref{Platform: "slack", Workspace: "T9", Channel: "C3"}, Present: access.Presence{Tenant: "other"}}, nil
			case "C4":
				return chat.Room{}, errors.New("the platform is away")
			default:
				return chat.Room{}, fmt.Errorf("look up: %w", thread.ErrNotPermitted)
			}
		},
	}, store
}

var ada = review.SignedIn{Person: access.Account{Workspace: access.Workspace{Platform: "slack", ID: "T1"}, ID: "U1"}, Role: review.Admin}

// as returns another person who is signed in.
func as(id string, role review.Role) review.SignedIn {
	in := ada
	in.Person.ID, in.Role = id, role
	return in
}

func fieldOf(t *testing.T, f review.PlaceForm, key string) review.SettingField {
	t.Helper()
	i := slices.IndexFunc(f.Fields, func(s review.SettingField) bool { return s.Key == key })
	if i < 0 {
		t.Fatalf("there is no field %s", key)
	}
	return f.Fields[i]
}

// values lists what is stored, as "key value author".
func values(t *testing.T, store *sessiontest.Memory) []string {
	t.Helper()
	all, err := store.AllSettings(t.Context(), access.DefaultTenant)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, s := range all {
		out = append(out, s.Key+" "+s.Value+" "+s.By)
	}
	return out
}

func save(t *testing.T, e review.Editing, by review.SignedIn, given ...review.Given) (review.PlaceForm, []session.SettingChange) {
	t.Helper()
	f, done, err := e.Save(t.Context(), c1, by, given)
	if err != nil {
		t.Fatal(err)
	}
	return f, done
}

func TestFormStoresAllChangesOrNone(t *testing.T) {
	t.Parallel()
	e, store := editing()
	f, done := save(t, e, ada, review.Given{Key: "agent", Value: "nobody"}, review.Given{Key: "bots", Value: " true "}, review.Given{Key: "wait", Value: "soon"},
		review.Given{Key: "helpers", Value: strings.Repeat("x", review.MaxValue+1)})
	if len(done) > 0 || len(values(t, store)) > 0 || !slices.Equal(f.Refused(), []string{"helpers"}) {
		t.Errorf("of a value that is too long: %v, %v, %v", done, values(t, store), f.Refused())
	}
	f, done = save(t, e, ada, review.Given{Key: "agent", Value: "nobody"}, review.Given{Key: "bots", Value: " true "}, review.Given{Key: "wait", Value: "soon"})
	if len(done) > 0 || len(values(t, store)) > 0 || !slices.Equal(f.Refused(), []string{"wait"}) || fieldOf(t, f, "bots").Typed != "true" || fieldOf(t, f, "agent").Typed != "nobody" {
		t.Errorf("of a wrong value: %v, %v, %v, %+v", done, values(t, store), f.Refused(), fieldOf(t, f, "agent"))
	}
	f, _ = save(t, e, ada, review.Given{Key: "agent", Value: "nobody"}, review.Given{Key: "bots", Value: "true"})
	if len(values(t, store)) > 0 || !strings.Contains(fieldOf(t, f, "agent").Refused, "there is no such agent") {
		t.Errorf("of an unknown name: %v, %v", values(t, store), f.Refused())
	}
	f, done = save(t, e, ada, review.Given{Key: "agent", Value: "helper"}, review.Given{Key: "bots", Value: "true"}, review.Given{Key: "wait"})
	if len(f.Refused()) > 0 || len(done) != 2 || !slices.Equal(values(t, store), []string{"agent helper U1", "bots true U1"}) {
		t.Errorf("of valid values: %v, %v, %v", f.Refused(), done, values(t, store))
	}
	// The same form once more changes nothing, and Undo restores what was before.
	if _, again := save(t, e, ada, review.Given{Key: "agent", Value: "helper"}, review.Given{Key: "bots", Value: "true"}); len(again) > 0 {
		t.Errorf("the form that is sent twice changes %v", again)
	}
	if _, undone := save(t, e, ada, f.Undo(done)...); len(undone) != 2 || len(values(t, store)) > 0 {
		t.Errorf("undone: %v, stored: %v", undone, values(t, store))
	}
	var refused *review.InputError
	if _, _, err := e.Save(t.Context(), c1, ada, []review.Given{{Key: "none", Value: "x"}}); !errors.As(err, &refused) || !strings.Contains(refused.Sentence, "no setting `none`") {
		t.Errorf("an unknown key: %v", err)
	}
}

func TestStaleFormIsRefused(t *testing.T) {
	t.Parallel()
	e, store := editing()
	save(t, e, ada, review.Given{Key: "follow", Value: "always"})
	other := as("U2", review.Admin)
	f, done := save(t, e, other, review.Given{Key: "follow", Value: "mention"}, review.Given{Key: "wait", Value: "5m"})
	one := fieldOf(t, f, "follow")
	if len(done) > 0 || one.Typed != "mention" || one.Stored != "always" || one.Refused != "`U1` set `follow` to `always` after you opened the form. Send the form again to replace it." || fieldOf(t, f, "wait").Typed != "5m" {
		t.Errorf("a stale form: %v, %+v", done, one)
	}
	if got := values(t, store); !slices.Equal(got, []string{"follow always U1"}) {
		t.Errorf("stored: %v", got)
	}
	if _, done = save(t, e, other, review.Given{Key: "follow", Value: one.Typed, Was: one.Stored}, review.Given{Key: "wait", Value: "5m"}); len(done) != 2 {
		t.Errorf("sent again: %v", done)
	}
	// A field that the person did not change leaves the other person's change alone.
	if _, done = save(t, e, ada, review.Given{Key: "follow", Value: "always", Was: "always"}, review.Given{Key: "bots", Value: "true"}); len(done) != 1 || !slices.Contains(values(t, store), "follow mention U2") {
		t.Errorf("untouched: %v, %v", done, values(t, store))
	}
	save(t, e, other, review.Given{Key: "follow", Was: "mention"})
	if f, _ = save(t, e, ada, review.Given{Key: "follow", Value: "always", Was: "mention"}); !strings.HasPrefix(fieldOf(t, f, "follow").Refused, "Another person reset") {
		t.Errorf("of a setting that was reset: %+v", fieldOf(t, f, "follow"))
	}
}

func TestFormKeepsToTheFile(t *testing.T) {
	t.Parallel()
	e, store := editing("follow", "mention", "askers", "members")
	f, done := save(t, e, ada, review.Given{Key: "follow", Value: "always"})
	if one := fieldOf(t, f, "follow"); len(done) > 0 || !one.Fixed || one.FileSays != "footnote.yaml:1" || !strings.Contains(one.Refused, "is set in the configuration file (footnote.yaml:1)") {
		t.Errorf("a setting of the file: %v, %+v", done, one)
	}
	if f, done = save(t, e, ada, review.Given{Key: "askers", Value: "group:staff"}); len(done) != 1 || fieldOf(t, f, "askers").Holds != "members, and of those group:staff" {
		t.Errorf("narrowed: %v, %+v", done, fieldOf(t, f, "askers"))
	}
	// Chat may overrule the file. The form resets that, and cannot take the reset back.
	chat := command.Editor{Settings: store, Policies: e.Editor.Policies, Logger: e.Editor.Logger}
	if out, err := chat.Edit(t.Context(), command.Edit{Tenant: e.Tenant, At: c1, By: session.Actor{Platform: "slack", ID: "U5"}, Admin: true, Changes: []session.SettingChange{{Key: "follow", Value: "always"}}}); err != nil || len(out.Done) != 1 {
		t.Fatalf("in chat: %+v, %v", out, err)
	}
	if f, err := e.Form(t.Context(), c1); err != nil || fieldOf(t, f, "follow").Fixed || !slices.Equal(fieldOf(t, f, "follow").Choices, []string{"always"}) {
		t.Errorf("the field is %+v, %v", fieldOf(t, f, "follow"), err)
	}
	if f, done = save(t, e, ada, review.Given{Key: "follow", Was: "always"}); len(done) != 1 || fieldOf(t, f, "follow").Holds != "mention" || len(f.Undo(done)) > 0 {
		t.Errorf("reset: %v, %+v", done, fieldOf(t, f, "follow"))
	}
}

func TestOnlyAdminsChangeSettings(t *testing.T) {
	t.Parallel()
	e, store := editing()
	for _, role := range []review.Role{review.Moderator, review.GapReader, ""} {
		if f, done := save(t, e, as("U1", role), review.Given{Key: "follow", Value: "always"}); len(done) > 0 || len(f.Refused()) != 1 {
			t.Errorf("%q changes %v", role, done)
		}
	}
	if got := values(t, store); len(got) > 0 {
		t.Errorf("stored: %v", got)
	}
	machine := review.SignedIn{Person: access.Account{Workspace: access.Workspace{Platform: review.Terminal}, ID: "ops"}, Role: review.Admin}
	save(t, e, machine, review.Given{Key: "follow", Value: "always"})
	if got := values(t, store); !slices.Equal(got, []string{"follow always host:ops"}) {
		t.Errorf("stored for an account of the machine: %v", got)
	}
}

func TestPlacesAreFound(t *testing.T) {
	t.Parallel()
	e, _ := editing()
	workspace := session.Place{Platform: "slack", Workspace: "T1"}
	for _, tt := range []struct {
		at, want session.Place
		sentence string
	}{
		{at: c1, want: c1},
		{at: session.Place{Platform: "slack", Channel: "C1"}, want: c1},
		{at: session.Place{Platform: "slack", Channel: "C2"}, want: session.Place{Platform: "slack", Workspace: "T1", Channel: "C2"}},
		{at: workspace, want: workspace},
		{at: session.Place{Platform: "slack", Workspace: "T2"}, sentence: "no such workspace"},
		{at: session.Place{Platform: "slack"}, sentence: "no such workspace"},
		{sentence: "no such workspace"},
		{at: session.Place{Platform: "slack", Workspace: "T2", Channel: "C2"}, sentence: "another workspace"},
		{at: session.Place{Platform: "slack", Channel: "C3"}, sentence: "another workspace"},
		{at: session.Place{Platform: "slack", Channel: "C4"}, sentence: "-"},
		{at: session.Place{Platform: "slack", Channel: "C9"}, sentence: "slack has no channel C9"},
	} {
		got, err := e.Find(t.Context(), tt.at, ada.Person)
		var refused *review.InputError
		switch {
		case tt.sentence == "" && (err != nil || got != tt.want):
			t.Errorf("%+v: %+v, %v", tt.at, got, err)
		case tt.sentence == "-" && (!errors.Is(err, review.ErrNoReply) || errors.As(err, &refused)):
			t.Errorf("%+v: %v", tt.at, err)
		case tt.sentence != "" && tt.sentence != "-" && (!errors.As(err, &refused) || !strings.Contains(refused.Sentence, tt.sentence)):
			t.Errorf("%+v: %v, want %q", tt.at, err, tt.sentence)
		}
	}
}

func TestSettingsAreShownToTheChannel(t *testing.T) {
	t.Parallel()
	v := review.Viewer{
		Person:   access.Account{Workspace: access.Workspace{Platform: "slack", ID: "T1"}, ID: "U1"},
		Audience: access.NewAudience(access.DefaultTenant, access.Channel("slack", "C1")),
	}
	for at, shown := range map[session.Place]bool{
		c1: true, {}: true, {Platform: "slack"}: true, {Platform: "slack", Workspace: "T1"}: true,
		{Platform: "slack", Workspace: "T1", Channel: "C2"}: false, {Platform: "slack", Workspace: "T2"}: false, {Platform: "discord", Workspace: "T1"}: false,
	} {
		for _, role := range review.Roles() {
			if got := review.ShowsPlace(v, role, at); got != (shown || role == review.Admin) {
				t.Errorf("%s sees %+v: %t", role, at, got)
			}
		}
	}
	v.Person.Workspace.ID = ""
	if review.ShowsPlace(v, review.Moderator, session.Place{Platform: "slack", Workspace: "T1"}) {
		t.Error("a viewer of no known workspace sees the settings of one")
	}
}
