package main_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// What the configuration file owns is listed and shown by commands that need no database.
func TestSetupIsListed(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"footnote.yaml": personas + `
projects:
  launch:
    files:
      - {path: ./plan.md, acl: [public]}
      - {path: ./salaries.md, acl: ["group:board"]}
`, "plan.md": "# Plan\n", "salaries.md": "# Salaries\n"})
	p := &program{env: []string{"FOOTNOTE_CONFIG=" + filepath.Join(dir, "footnote.yaml"), "LLM_MODEL=test-model"}}
	for _, try := range []struct {
		args  string
		wants []string
	}{
		{"agents", []string{"deployer\n  documents: operations", "plain (answers by default)"}},
		{"agents show deployer", []string{"in place of the system prompt:\n    You help with deployments.", "reminder:\n    Name the command."}},
		{"projects", []string{"launch: ", "plan.md"}},
		{"projects show launch", []string{"plan.md\n  readers: public", "salaries.md\n  readers: group:board"}},
		{"projects --json", []string{`"name":"launch"`, `"readers":["public"]`}},
		{"sets", []string{"operations: runbooks\n  limits: deployer"}},
		{"sets --json", []string{`"agents":["deployer"]`}},
	} {
		out := p.run(t, strings.Fields(try.args)...).stdout
		for _, want := range try.wants {
			if !strings.Contains(out, want) {
				t.Errorf("footnote %s lacks %q:\n%s", try.args, want, out)
			}
		}
	}
	for args, says := range map[string]string{"agents show none": "there are: plain, deployer, lost", "projects show none": "there are: launch"} {
		if r := p.try(t, "", strings.Fields(args)...); r.code != 2 || !strings.Contains(r.stderr, says) {
			t.Errorf("footnote %s: %+v", args, r)
		}
	}
}
