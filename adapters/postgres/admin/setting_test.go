package admin_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
)

// A change counts only if the person saw the value that it replaces. Of several changes at once,
// all are made or none.
func TestSettingsAreChangedByThoseWhoSawThem(t *testing.T) {
	t.Parallel()
	s := admin.NewSettings(postgrestest.Open(t))
	at, tenant := session.Place{Platform: "slack", Workspace: "T1", Channel: "C1"}, access.DefaultTenant
	machine := session.Actor{Platform: session.Host, ID: "ada"}
	change := func(key, was, value string) session.SettingChange {
		return session.SettingChange{Key: key, Value: value, Was: &was}
	}
	holds := func(want ...string) {
		t.Helper()
		stored, err := s.Settings(t.Context(), tenant, at)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, one := range stored {
			got = append(got, one.Key+" "+one.Value+" "+one.By)
		}
		if !slices.Equal(got, want) {
			t.Errorf("stored: %v, want %v", got, want)
		}
	}
	try := func(want error, changes ...session.SettingChange) {
		t.Helper()
		if err := s.ChangeSettings(t.Context(), tenant, at, machine, changes...); !errors.Is(err, want) {
			t.Errorf("%+v: %v, want %v", changes, err, want)
		}
	}
	try(nil, change("follow", "", "always"), change("bots", "", "true"))
	holds("bots true host:ada", "follow always host:ada")
	for _, stale := range []session.SettingChange{change("follow", "", "mention"), change("follow", "mention", ""), change("wait", "1m", ""), change("wait", "1m", "2m")} {
		try(session.ErrSettingChanged, change("bots", "true", ""), stale)
	}
	holds("bots true host:ada", "follow always host:ada")
	try(nil, change("bots", "true", ""), change("follow", "always", "mention"))
	holds("follow mention host:ada")

	const many = 8
	outcomes := make(chan error, many)
	for i := range many { // of people who saw the same, one comes first
		go func() {
			outcomes <- s.ChangeSettings(t.Context(), tenant, at, session.Actor{Platform: "slack", ID: fmt.Sprint("U", i)}, change("wait", "", fmt.Sprint(i, "m")), change("agent", "", "a"))
		}()
	}
	stored := 0
	for range many {
		if err := <-outcomes; err == nil {
			stored++
		} else if !errors.Is(err, session.ErrSettingChanged) {
			t.Error(err)
		}
	}
	if stored != 1 {
		t.Errorf("%d people came first", stored)
	}
}
