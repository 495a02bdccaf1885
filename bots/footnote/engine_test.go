package main_test

import (
	"strings"
	"testing"
)

// Whatever is wrong with the search engine is said in a sentence, without its password; what is
// indexed stays, and PostgreSQL goes on searching until the engine has everything.
func TestEngineFaultsAreSentences(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	for url, want := range map[string]string{
		"":                              "set INDEX_URL",
		"https://me:hunter2@host":       "begins with opensearch://",
		"opensearch://me:hunter2@/Docs": "no valid host",
		"opensearch://me:hunter2@host/footnote?verify=no":    "unknown option",
		"opensearch://me:hunter2@127.0.0.1:1/footnote?ca=/x": "read the certificates",
	} {
		r := p.with("INDEX_URL="+url).try(t, "", "engine", "move")
		if r.code == 0 || !strings.Contains(r.stderr, want) || strings.Contains(r.stderr, "hunter2") {
			t.Errorf("with INDEX_URL=%s: exit %d, %s, want a sentence with %q", url, r.code, r.stderr, want)
		}
	}
	away := p.with("INDEX_URL=opensearch://me:hunter2@127.0.0.1:1/footnote?tls=off")
	away.run(t, "index", handbook(t))
	if r := away.try(t, "", "engine", "move"); r.code != 1 || !strings.Contains(r.stderr, "check that it runs") || strings.Contains(r.stderr, "hunter2") {
		t.Errorf("a move to an engine that is away: exit %d, %s", r.code, r.stderr)
	}
	if r := away.run(t, "engine"); !strings.Contains(r.stdout, "PostgreSQL answers searches") {
		t.Errorf("the state is: %s", r.stdout)
	}
	if r := away.try(t, "", "doctor"); r.code != 1 || !strings.Contains(r.stdout, "✗ search engine") || strings.Contains(r.stdout, "hunter2") {
		t.Errorf("the doctor says, with exit %d:\n%s", r.code, r.stdout)
	}
	if r := away.run(t, "search", "holiday"); r.stdout == "" {
		t.Error("before a move PostgreSQL does not search")
	}
}
