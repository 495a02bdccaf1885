package main_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/gitlab/gitlabtest"
)

// The projects of a group are read by footnote index, once more without reading what has not
// changed, and a question is answered with a link. The token appears nowhere.
func TestGitLabIsASource(t *testing.T) {
	t.Parallel()
	lab := gitlabtest.NewServer(t, gitlabtest.NewWorld())
	ada := lab.User("ada")
	app := lab.Project(lab.Group(nil, "acme", gitlabtest.Public), "app", gitlabtest.Public)
	issue := lab.Add(&gitlabtest.Thing{Kind: gitlabtest.Issue, Project: app, Title: "Toner", Text: "The spare toner cartridges are kept in the blue cupboard.", Author: ada})
	lab.Comment(issue, &gitlabtest.Note{Text: "Ada has the key.", Author: ada})
	lab.Add(&gitlabtest.Thing{Kind: gitlabtest.File, Project: app, Path: "docs/Rota.md", Text: "# Rota\n\nAda cleans the printer on Mondays.\n"})
	lab.Add(&gitlabtest.Thing{Kind: gitlabtest.Page, Project: app, Path: "home", Title: "Home", Text: "Welcome to the shed."})
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	p := newProgram(t, "FOOTNOTE_CONFIG="+file, "ALLOW_PRIVATE_HOSTS=127.0.0.1")
	add := []string{"sources", "add", "gitlab", "--url", lab.URL, "--groups", "acme", "--managed-domains", "example.com", "--name", "code"}
	if r := p.try(t, "", add...); r.code != 1 || !strings.Contains(r.stderr, "read_api") || !strings.Contains(r.stderr, "set GITLAB_TOKEN") {
		t.Errorf("without a credential: exit code %d\n%s", r.code, r.stderr)
	}
	p = p.with("GITLAB_TOKEN=" + lab.Token)
	if r := p.run(t, add...); !strings.Contains(r.stderr, "1 project (0 private, 0 internal, 1 public)") || strings.Contains(r.stderr, lab.Token) {
		t.Errorf("adding says:\n%s", r.stderr)
	}
	other := p.with("FOOTNOTE_CONFIG=" + filepath.Join(t.TempDir(), "footnote.yaml"))
	if r := other.run(t, "sources", "add", "gitlab", "--url", lab.URL, "--groups", "acme"); !strings.Contains(r.stderr, "\n! people are not matched by address") || strings.Contains(r.stderr, "cannot be read") {
		t.Errorf("adding without domains says:\n%s", r.stderr)
	}
	if r := other.try(t, "", "sources", "check"); !strings.Contains(r.stdout, "\n  ! people are not matched by address") || strings.Contains(r.stdout, "cannot be read") {
		t.Errorf("checking without domains says:\n%s", r.stdout)
	}
	if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), "groups:") {
		t.Errorf("the file holds\n%s\n%v", data, err)
	}
	if r := p.run(t, "index"); !strings.Contains(r.stderr, "code: documents: 3 indexed") {
		t.Errorf("indexing says:\n%s", r.stderr)
	}
	mark := lab.Mark()
	if r := p.run(t, "index"); !strings.Contains(r.stderr, "code: documents: 0 indexed") {
		t.Errorf("indexing again says:\n%s", r.stderr)
	}
	if notes, raw := lab.Counts(mark, "/notes"), lab.Counts(mark, "/raw"); notes+raw > 0 {
		t.Errorf("what has not changed was read: %d comments, %d files", notes, raw)
	}
	if list := jsonOf[[]listedSource](t, p.run(t, "sources", "--json")); len(list) != 1 || list[0].ID != "gitlab-code" || list[0].Documents != 3 || list[0].Every != "5m" {
		t.Errorf("the sources are %+v", list)
	}
	if r := p.run(t, "ask", "Where are the spare toner cartridges?"); !strings.Contains(r.stdout, "blue cupboard") || !strings.Contains(r.stdout, lab.URL+"/acme/app/-/issues/1") {
		t.Errorf("the answer is:\n%s%s", r.stdout, r.stderr)
	}
	lab.Switch(func(s *gitlabtest.Switches) { s.NoMembers = true })
	if r := p.try(t, "", "sources", "check"); r.code != 1 || !strings.Contains(r.stdout+r.stderr, "the members of acme/app cannot be read") {
		t.Errorf("checking says, without members (exit code %d):\n%s%s", r.code, r.stdout, r.stderr)
	}
	lab.Revoke(true)
	if r := p.try(t, "", "index"); r.code == 0 || !strings.Contains(r.stderr, "does not accept the token") || strings.Contains(r.stderr, lab.Token) {
		t.Errorf("without a credential it says:\n%s", r.stderr)
	}
}

// A right that is taken at GitLab is gone with the next look at who may read. A webhook brings the
// content of an issue up to date at once.
func TestARevocationAtGitLabIsSeen(t *testing.T) {
	t.Parallel()
	lab := gitlabtest.NewServer(t, gitlabtest.NewWorld())
	ada, bob := lab.User("ada"), lab.User("bob")
	acme := lab.Group(nil, "acme", gitlabtest.Private, &gitlabtest.Member{User: ada, Level: gitlabtest.Reporter}, &gitlabtest.Member{User: bob, Level: gitlabtest.Guest})
	app := lab.Project(acme, "app", gitlabtest.Private)
	add := func(text string) *gitlabtest.Thing {
		return lab.Add(&gitlabtest.Thing{Kind: gitlabtest.Issue, Project: app, Title: "Toner", Text: text})
	}
	issue, gone := add("It is in the cupboard."), add("It is nowhere.")
	r := serveTwice(t, "identity: {domains: [example.com]}\nsources:\n  code: {every: 1d, gitlab: {url: '"+lab.URL+"', groups: [acme], managed_domains: [example.com]}}\n",
		"GITLAB_TOKEN="+lab.Token, "GITLAB_WEBHOOK_SECRET=h00k")
	id := func(t *gitlabtest.Thing) string { return fmt.Sprintf("gitlab-code:%d/issue/%d", app.ID, t.IID) }
	if !r.shows(id(issue), "ada") || !r.shows(id(issue), "bob") {
		t.Fatal("members are not shown the issue")
	}
	lab.Edit(issue, func() { issue.Confidential = true })
	r.looksAgain()
	if !r.shows(id(issue), "ada") || r.shows(id(issue), "bob") {
		t.Errorf("the issue is confidential: shown to the reporter %v, to the guest %v", r.shows(id(issue), "ada"), r.shows(id(issue), "bob"))
	}
	lab.Do(func() { acme.Members = acme.Members[1:] })
	r.looksAgain()
	if r.shows(id(issue), "ada") {
		t.Error("the issue is shown to an account that left the group")
	}
	lab.Delete(gone)
	body := fmt.Sprintf(`{"object_kind": "issue", "project": {"id": %d}, "object_attributes": {"iid": %d}}`, app.ID, gone.IID)
	r.until("the webhook is taken", func() bool {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+r.hooks[1]+"/hooks/default/gitlab-code", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Gitlab-Token", "h00k")
		request.Header.Set("X-Gitlab-Event", "Issue Hook")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return false // it does not listen yet
		}
		return answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	})
	r.until("the deleted issue goes", func() bool { return r.number(`select count(*) from document`) == 1 })
}
