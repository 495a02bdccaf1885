package pgaccess_test

import (
	"slices"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
)

// An owner's account is found by the rules by which a person's rights in a source are.
func TestOwnersHaveTheAccountsThatTheirRightsHave(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	slack := access.Workspace{Platform: "slack", ID: "T1"}
	account := func(id, email string) access.Account {
		return access.Account{Workspace: slack, ID: id, Name: "name of " + id, Email: email, Full: true}
	}
	guest := account("GUEST", "guest@a.example")
	guest.Full = false
	w := society{
		tenant: "t", slack: slack,
		accounts: []access.Account{
			account("ANN", "ann@a.example"), account("TWIN1", "twin@a.example"), account("TWIN2", "twin@a.example"), account("GONE", "gone@a.example"), account("NOONE", "noone@a.example"),
			account("BOX", "box@a.example"), account("SAID", "said@a.example"), account("OTHER", ""), account("HUB", "hub@a.example"), guest,
		},
		emails: map[string][]string{"1": {"box@a.example"}, "2": {"box@a.example"}, "3": {"said@a.example"}, "4": {"hub@a.example"}, "5": {"private@a.example"}},
		said: map[access.Account]string{
			{Workspace: slack, ID: "OTHER"}: "3", {Workspace: discord, ID: "D3"}: "3", {Workspace: slack, ID: "NOONE"}: "", {Workspace: discord, ID: "D5"}: "5",
		},
		gone: []access.Account{{Workspace: slack, ID: "GONE"}},
	}
	if err := w.store(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pool.Exec(t.Context(), `update source_person set name = 'hub' where tenant_id = 't' and id = '4'`); err != nil {
		t.Fatal(err)
	}
	store := pgaccess.New(db)
	found := func(in access.Workspace, identity string) (ids []string) {
		t.Helper()
		all, err := store.AccountsOf(t.Context(), "t", in, identity, "wiki")
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range all {
			ids = append(ids, a.ID)
			if byAddress := a.Email != ""; byAddress != (a.ID == "ANN" || a.ID == "HUB" || a.ID == "TWIN1" || a.ID == "TWIN2") {
				t.Errorf("%s is found by %+v", identity, a)
			}
		}
		return ids
	}
	for _, c := range []struct {
		in       access.Workspace
		identity string
		want     []string
	}{
		{slack, "ann@a.example", []string{"ANN"}}, {slack, "Ann@A.example", []string{"ANN"}}, {slack, "twin@a.example", []string{"TWIN1", "TWIN2"}},
		{slack, "gone@a.example", nil}, {slack, "noone@a.example", nil}, {slack, "box@a.example", nil}, {slack, "guest@a.example", nil}, {slack, "nobody@a.example", nil},
		{slack, "said@a.example", []string{"OTHER"}}, {access.Workspace{Platform: "discord", ID: "G1"}, "said@a.example", []string{"D3"}},
		{access.Workspace{Platform: "discord", ID: "G1"}, "ann@a.example", nil}, {access.Workspace{Platform: "slack", ID: "T2"}, "ann@a.example", nil},
		{slack, "", nil}, {slack, "@", nil}, {slack, "@hub", nil}, {slack, "@ann@a.example", nil}, {slack, "x' or '1'='1\x00@a.example", nil},
	} {
		if got := found(c.in, c.identity); !slices.Equal(got, c.want) {
			t.Errorf("%q is %v in %s, want %v", c.identity, got, c.in.Platform, c.want)
		}
	}
	// Names of people are accounts in GitHub alone.
	if _, err := db.Pool.Exec(t.Context(), `update source set kind = 'github' where tenant_id = 't'`); err != nil {
		t.Fatal(err)
	}
	if got := found(slack, "@HUB"); !slices.Equal(got, []string{"HUB"}) {
		t.Errorf("an account of GitHub is %v", got)
	}
	if all, err := store.AccountsOf(t.Context(), "t", slack, "@hub", "another"); err != nil || len(all) > 0 {
		t.Errorf("an account of another source is %v (%v)", all, err)
	}
	if all, err := store.AccountsOf(t.Context(), "other", slack, "ann@a.example", "wiki"); err != nil || len(all) > 1 {
		t.Errorf("another tenant's person is %v (%v)", all, err)
	}
}
