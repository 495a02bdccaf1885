package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Who is who is listed with its evidence, and the operator's mapping leads.
func TestPeopleAreListedAndImported(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"docs/boat.md": "# Boat\n\nThe boat is moored at the north pier.\n"})
	file := filepath.Join(dir, "footnote.yaml")
	if err := os.WriteFile(file, []byte("sources:\n  wiki: {path: docs}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, "FOOTNOTE_CONFIG="+file)
	p.run(t, "index")
	if r := p.run(t, "people"); !strings.Contains(r.stdout, "No source has listed its people") {
		t.Errorf("without people: %s", r.stdout)
	}
	if r := p.run(t, "doctor"); strings.Contains(r.stdout, "identity.domains") {
		t.Errorf("the doctor speaks of people where there are none:\n%s", r.stdout)
	}
	for _, sql := range []string{
		`insert into source_access (tenant_id, source_id, loop, until) select tenant_id, id, 'groups', now() + interval '1 day' from source`,
		`insert into source_person (tenant_id, source_id, id, name, emails, read_at)
			select tenant_id, s.id, p.id, p.name, p.emails, now() from source s, (values
				('1', 'Ada', array['ada@example.com']), ('2', 'Bob', array['bob@example.com']), ('3', 'Cyd', array['cyd@example.com', 'c@example.com'])) p (id, name, emails)`,
		`insert into source_address (tenant_id, source_id, person, email) select tenant_id, source_id, id, unnest(emails) from source_person`,
		`insert into source_access (tenant_id, source_id, loop, until) select tenant_id, id, 'nodes', now() + interval '1 day' from source`,
		`insert into access_node (tenant_id, source_id, id, principal, name, readers, read_at, seen_at)
			select tenant_id, id, 'n', 'node:' || id || ':n', 'n', array['group:' || id || ':all'], now(), now() from source`,
		`insert into account (platform, workspace, id, name, email, full_member, seen_at) values
			('slack', 'T1', 'U1', 'ada', 'ada@example.com', true, now()), ('slack', 'T1', 'U2', 'bob', 'bob@example.com', true, now()),
			('slack', 'T1', 'U3', 'cyd', 'cyd@elsewhere.org', true, now()), ('slack', 'T2', 'U3', 'eve', '', false, now())`,
	} {
		if _, err := database(t, p).Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	type person struct {
		Person, Name, State, Evidence string
		Accounts                      []string
	}
	states := func() (said string) {
		for _, m := range jsonOf[[]person](t, p.run(t, "people", "--json")) {
			said += m.Name + " " + m.State + " " + strings.Join(m.Accounts, ",") + ". "
		}
		return said
	}
	if got, want := states(), "Ada unmatched . Bob unmatched . Cyd unmatched . "; got != want {
		t.Errorf("without a domain: %q, want %q", got, want)
	}
	if r := p.run(t, "doctor"); !strings.Contains(r.stdout, "! identity.domains: example.com would match 2 people: list it") {
		t.Errorf("the doctor proposes no domain:\n%s", r.stdout)
	}
	if err := os.WriteFile(file, []byte("sources:\n  wiki: {path: docs}\nidentity: {domains: [example.com]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := states(), "Ada matched slack:U1. Bob matched slack:U2. Cyd unmatched . "; got != want {
		t.Errorf("with a domain: %q, want %q", got, want)
	}
	if r := p.run(t, "doctor"); !strings.Contains(r.stdout, "which misses 1 of 3 full members") || strings.Contains(r.stdout, "would match") {
		t.Errorf("the doctor proposes no covering group:\n%s", r.stdout)
	}
	wrong := p.try(t, "source,person,account\nnowhere,1,slack:U1\nwiki,9,slack:U1\nwiki,1,slack:U3\nwiki,1,slack:U1\nwiki,2,slack:U1\nwiki,1,slack:U2\nwiki,1\nwiki,1,mail:ada\n", "people", "import", "-")
	for _, want := range []string{
		"-:2: there is no source nowhere", "-:3: wiki: there is no person 9", "-:4: several accounts are slack:U3: write slack:WORKSPACE:ID",
		"-:6: slack:U1 stands in line 5", "-:7: 1 of", "-:8: wrong number of fields", `-:9: "mail:ada" is no account`, "nothing was imported",
	} {
		if !strings.Contains(wrong.stderr, want) {
			t.Errorf("%q is missing:\n%s", want, wrong.stderr)
		}
	}
	if r := p.try(t, "person,account\n", "people", "import", "-"); r.code != 2 || !strings.Contains(r.stderr, "the column source is missing") {
		t.Errorf("without a header: %d %s", r.code, r.stderr)
	}
	if _, err := database(t, p).Pool.Exec(t.Context(), `update document set url = 'https://wiki/boat', acl = array[(select principal from access_node)]`); err != nil {
		t.Fatal(err)
	}
	if r := p.run(t, "why", "https://wiki/boat", "--for", "slack:U1"); !strings.Contains(r.stdout, "Its readers: group:") || !strings.Contains(r.stdout, "slack:U1 may read it by group:") || !strings.Contains(r.stdout, "by your address") {
		t.Errorf("it says:\n%s", r.stdout)
	}
	if r := p.run(t, "why", "https://wiki/boat", "--for", "slack:cyd@elsewhere.org"); !strings.Contains(r.stdout, "holds none of these") {
		t.Errorf("it says:\n%s", r.stdout)
	}
	if r := p.run(t, "why", "https://wiki/none", "--for", "slack:U1"); !strings.Contains(r.stdout, "No document with the address") {
		t.Errorf("it says:\n%s", r.stdout)
	}
	mapping := filepath.Join(dir, "people.csv")
	if err := os.WriteFile(mapping, []byte("\ufeffAccount, Source, Person\nslack:T1:U3, wiki, C@Example.com\nslack:bob@example.com, wiki,\ndiscord:41771983423143936, wiki, 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := p.run(t, "people", "import", mapping); !strings.Contains(r.stdout, "3 accounts are known now") {
		t.Errorf("it says %s", r.stdout)
	}
	if got, want := states(), "Ada matched discord:41771983423143936,slack:U1. Bob unmatched slack:U2. Cyd matched slack:U3. "; got != want {
		t.Errorf("with the operator's mapping: %q, want %q", got, want)
	}
	if r := p.run(t, "people", "--state", "unmatched"); !strings.Contains(r.stdout, "is no one here, as said by") || !strings.Contains(r.stdout, "2 matched, 1 unmatched, 0 conflicting") {
		t.Errorf("it lists:\n%s", r.stdout)
	}
	p.try(t, "source,person,account\n", "people", "import", "--replace", "-")
	if got, want := states(), "Ada matched slack:U1. Bob matched slack:U2. Cyd unmatched . "; got != want {
		t.Errorf("without a mapping again: %q, want %q", got, want)
	}
	if r := p.run(t, "people", "relink", "slack:U1"); !strings.Contains(r.stdout, "was not forgotten") {
		t.Errorf("it says %s", r.stdout)
	}
}
