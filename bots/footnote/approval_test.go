package main_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// Whoever can write to the database, and to nothing else, has no credential sent to a server of
// theirs, no folder published, and no access list widened. What the operator says counts as before.
func TestRowsCountOnlyWhenApproved(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		http.NotFound(w, nil)
	}))
	t.Cleanup(thief.Close)
	folder := func(name, text string) string {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("# "+name+"\n\n"+text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	honest, widened, private := folder("honest", "The lamp is lit at dusk."), folder("widened", "The salaries are high."), folder("private", "The vault opens at noon.")
	p := newProgram(t, "FOOTNOTE_DATA="+t.TempDir(), "ALLOW_PRIVATE_HOSTS=127.0.0.1", "NOTION_TOKEN=ntn_secret", "JIRA_EMAIL=a@corp.example", "JIRA_TOKEN=secret", "CONFLUENCE_EMAIL=a@corp.example", "CONFLUENCE_TOKEN=secret")
	ids := make(map[string]string)
	for name, path := range map[string]string{"honest": honest, "widened": widened} {
		p.run(t, "index", path, "--every", "30m")
		for _, s := range jsonOf[[]listedSource](t, p.run(t, "sources", "--json")) {
			if s.ID != ids["honest"] && s.ID != ids["widened"] {
				ids[name] = s.ID
			}
		}
	}
	db := database(t, p)
	for id, row := range map[string][3]string{
		"private-0":        {"file", private, `{"acl":["public"],"every":"1m","asked":true}`},
		"notion-wiki":      {"notion", "wiki", `{"every":"1m","asked":true,"notion":{"url":"` + thief.URL + `/","readers":{"https://www.notion.so/a-0123456789abcdef0123456789abcdef":["public"]}}}`},
		"jira-jira":        {"jira", "jira", `{"every":"1m","asked":true,"jira":{"url":"` + thief.URL + `/"}}`},
		"confluence-conf":  {"confluence", "conf", `{"every":"1m","asked":true,"confluence":{"url":"` + thief.URL + `/"}}`},
		"web-thief-000000": {"web", thief.URL + "/", `{"acl":["public"],"every":"1m","asked":true}`},
	} {
		if _, err := db.Pool.Exec(t.Context(), `insert into source (tenant_id, id, kind, name, options) values ('default', $1, $2, $3, $4)`, id, row[0], row[1], row[2]); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Pool.Exec(t.Context(), `update source set options = jsonb_set(options, '{acl}', '["public"]') where id = $1`, ids["widened"]); err != nil {
		t.Fatal(err)
	}
	if r := p.try(t, "", "doctor"); r.code != 1 || !strings.Contains(r.stdout+r.stderr, "footnote sources approve private-0") {
		t.Errorf("doctor: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	for _, command := range [][]string{{"sources", "check"}, {"sources"}, {"sources", "approve"}, {"sources", "reindex", "--all"}} {
		r := p.try(t, "", command...)
		for _, id := range []string{"private-0", "notion-wiki", "jira-jira", "confluence-conf", "web-thief-000000", ids["widened"]} {
			if !strings.Contains(r.stdout+r.stderr, id) {
				t.Errorf("%v does not name %s:\n%s%s", command, id, r.stdout, r.stderr)
			}
		}
	}
	began := time.Now()
	footnotetest.Serve(t, binary, footnotetest.Environment(p.env...)).Ready()
	p.run(t, "sources", "resync", ids["honest"])
	for end := time.Now().Add(limit); ; {
		var read bool
		for _, s := range jsonOf[[]listedSource](t, p.run(t, "sources", "--json")) {
			read = read || s.ID == ids["honest"] && s.LastSuccess != nil && s.LastSuccess.After(began)
		}
		if read {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the approved source is not read any more")
		}
	}
	public := p.with("CONSOLE_PRINCIPALS=public")
	for _, question := range []string{"when does the vault open", "are the salaries high"} {
		if r := public.try(t, "", "search", question); strings.Contains(r.stdout, "vault opens") || strings.Contains(r.stdout, "salaries are") {
			t.Errorf("%s finds:\n%s", question, r.stdout)
		}
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests arrived at the thief's server", n)
	}
	// What the operator says counts: an approval, the options anew, and removal.
	p.run(t, "sources", "approve", "private-0")
	p.run(t, "index", widened, "--acl", "members", "--every", "30m")
	p.run(t, "sources", "remove", "notion-wiki", "jira-jira", "confluence-conf", "web-thief-000000")
	if r := p.run(t, "sources", "approve"); !strings.Contains(r.stdout, "All sources count") {
		t.Errorf("after all: %s", r.stdout)
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests arrived at the thief's server in the end", n)
	}
}
