package github_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/github"
	"github.com/footnotehq/footnote/adapters/github/githubtest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

func signed(secret, event, body string) func(string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return http.Header{"X-Hub-Signature-256": {"sha256=" + hex.EncodeToString(mac.Sum(nil))}, "X-Github-Event": {event}}.Get
}

// The example of GitHub's page on signatures.
func TestHooksAreSigned(t *testing.T) {
	t.Parallel()
	const secret, body, sum = "It's a Secret to Everybody", "Hello, World!", "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
	for signature, unsigned := range map[string]bool{sum: false, "": true, "sha256=": true, sum[:20]: true, "sha1=" + sum[7:]: true, strings.Replace(sum, "7", "8", 1): true, "sha256=zz": true} {
		_, err := github.ReadHook(secret, http.Header{"X-Hub-Signature-256": {signature}}.Get, []byte(body))
		if errors.Is(err, index.ErrUnsigned) != unsigned || err == nil { // the example is no JSON
			t.Errorf("%q: %v", signature, err)
		}
	}
	if _, err := github.ReadHook("", signed("", "ping", "{}"), []byte("{}")); !errors.Is(err, index.ErrUnsigned) {
		t.Errorf("without a secret: %v", err)
	}
}

func TestWhatHooksAreAbout(t *testing.T) {
	t.Parallel()
	const repository = `"repository": {"id": 12, "default_branch": "main"}`
	for _, tt := range []struct {
		event, body string
		want        []string
	}{
		{"ping", `{"zen": "x"}`, nil},
		{"star", `{"action": "created", ` + repository + `}`, nil},
		{"repository", `{"action": "privatized", ` + repository + `}`, []string{"access 12", "content"}},
		{"installation_repositories", `{"action": "removed"}`, []string{"access", "content"}},
		{"member", `{"action": "removed", ` + repository + `}`, []string{"access 12"}},
		{"team", `{"action": "removed_from_repository", ` + repository + `}`, []string{"access 12"}},
		{"membership", `{"action": "removed"}`, []string{"access"}},
		{"organization", `{"action": "member_removed"}`, []string{"access"}},
		{"issues", `{"action": "opened", ` + repository + `}`, []string{"content"}},
		{"issues", `{"action": "deleted", ` + repository + `}`, []string{"threads 12 issue"}},
		{"discussion", `{"action": "transferred", ` + repository + `}`, []string{"threads 12 discussion"}},
		{"issue_comment", `{"action": "created", ` + repository + `}`, []string{"content"}},
		{"issue_comment", `{"action": "deleted", "issue": {"number": 7, "node_id": "I_k"}, ` + repository + `}`, []string{"thread 12 issue 7 I_k"}},
		{"issue_comment", `{"action": "deleted", "issue": {"number": 8, "node_id": "PR_k", "pull_request": {}}, ` + repository + `}`, []string{"thread 12 pull 8 PR_k"}},
		{"discussion_comment", `{"action": "deleted", "discussion": {"number": 9, "node_id": "D_k"}, ` + repository + `}`, []string{"thread 12 discussion 9 D_k"}},
		{"pull_request_review", `{"action": "dismissed", "pull_request": {"number": 8, "node_id": "PR_k"}, ` + repository + `}`, []string{"thread 12 pull 8 PR_k"}},
		{"push", `{"ref": "refs/heads/main", ` + repository + `}`, []string{"content"}},
		{"push", `{"ref": "refs/heads/other", ` + repository + `}`, nil},
		{"gollum", `{` + repository + `}`, []string{"wiki 12"}},
		{"issues", `{"action": "deleted"}`, []string{"content"}},
	} {
		got, err := github.ReadHook("s", signed("s", tt.event, tt.body), []byte(tt.body))
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%s %s is about %q (%v), want %q", tt.event, tt.body, got, err, tt.want)
		}
	}
}

// heard is what was heard and not followed yet.
type heard struct{ subjects []string }

func (h *heard) Hear(_ context.Context, _ document.SourceID, subjects []string) error {
	h.subjects = append(h.subjects, subjects...)
	return nil
}

func (h *heard) Heard(context.Context, document.SourceID, int) ([]index.Hint, error) {
	var all []index.Hint
	for _, s := range h.subjects {
		all = append(all, index.Hint{Subject: s})
	}
	return all, nil
}

func (h *heard) Followed(_ context.Context, _ document.SourceID, hints []index.Hint) error {
	for _, f := range hints {
		h.subjects = slices.DeleteFunc(h.subjects, func(s string) bool { return s == f.Subject })
	}
	return nil
}

// A deletion of which GitHub's dates and counts tell nothing is seen at once where a webhook told
// of it, and not believed where it is not so.
func TestHintsAreFollowed(t *testing.T) {
	t.Parallel()
	a := newAcme(t, nil)
	h := &heard{}
	a.Connector.Listen(h)
	r := a.Repo(a.org, "app", githubtest.Private)
	one, two := a.Open(r, "issue", "one", "text", a.ada), a.Open(r, "issue", "two", "text", a.ada)
	a.Say(one, a.ada, "regretted")
	a.MustSync()
	a.Pass(time.Hour)
	a.MustSync()
	a.Do(func() { one.Comments = nil }) // which moves no date
	a.MustSync()
	if a.differs() == "" {
		t.Fatal("it was seen without a hint")
	}
	tell := func(subjects ...string) {
		t.Helper()
		h.subjects = append(h.subjects, subjects...)
		a.MustSync()
		a.mustHold()
		if len(h.subjects) > 0 {
			t.Errorf("%q were not followed", h.subjects)
		}
	}
	subject := fmt.Sprintf("thread %d issue %d T_kg%d", r.ID, one.Number, one.ID)
	tell(subject)
	tell(subject, "thread 999 issue 1 X", "thread x", "", fmt.Sprintf("thread %d issue %d T_kg%d", r.ID, two.Number, one.ID))
	a.DeleteThread(r, two)
	a.Open(r, "issue", "three", "text", a.ada) // the number of them is the same
	tell(fmt.Sprintf("threads %d issue", r.ID))
	h.subjects = []string{"content", fmt.Sprintf("access %d", r.ID)}
	a.MustSync()
	if len(h.subjects) != 1 {
		t.Errorf("a pass over documents followed %q", h.subjects)
	}
}

// Who may read a repository of which a webhook told is read before all others.
func TestHintedReadersAreReadFirst(t *testing.T) {
	t.Parallel()
	a := newAcme(t, nil)
	for i := range 120 {
		a.Repo(a.org, fmt.Sprintf("r%d", i), githubtest.Private)
	}
	last := a.Repos[119]
	a.Connector.Listen(&heard{subjects: []string{fmt.Sprintf("access %d", last.ID), "access", "access 999"}})
	var first access.Principal
	for b, err := range a.Connector.Groups(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range b.Groups {
			if first == "" && strings.Contains(string(g.Principal), ":repo:") {
				first = g.Principal
			}
		}
	}
	if want := access.SourceGroup("github-code", "repo", fmt.Sprint(last.ID)); first != want {
		t.Errorf("the first is %s, want %s", first, want)
	}
}
