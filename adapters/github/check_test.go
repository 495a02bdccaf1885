package github_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/github"
	"github.com/footnotehq/footnote/adapters/github/githubtest"
)

func TestCheckSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	a := newAcme(t, withFiles(t))
	if _, err := a.Connector.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "sees no repository") {
		t.Errorf("of nothing: %v", err)
	}
	closed := a.Repo(a.org, "closed", githubtest.Private)
	a.Repo(a.org, "open", githubtest.Public)
	a.Do(func() { a.ada.Verified = []string{"ada@acme.example"} })
	s, err := a.Connector.Check(t.Context())
	if err != nil || len(s.Lacks) > 0 || s.String() != "2 repositories (1 private, 0 internal, 1 public), 1 member, 1 of them with an address that their organisation vouches for" {
		t.Errorf("%s, lacking %q: %v", s, s.Lacks, err)
	}
	a.Do(func() { a.ada.Verified, closed.CannotList, closed.NoContents = nil, true, true })
	a.Faults.Add(githubtest.Fault{Path: "graphql:AllDiscussions", Answer: func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"data": {"node": {"found": null}}, "errors": [{"type": "FORBIDDEN", "message": "Resource not accessible by integration"}]}`))
	}}, 0, 1)
	s, err = a.Connector.Check(t.Context())
	lacks := strings.Join(append(s.Lacks, s.Notes...), "\n")
	if err != nil || len(s.Lacks) != 3 || len(s.Notes) != 1 {
		t.Errorf("lacking %q: %v", s.Lacks, err)
	}
	for _, want := range []string{"who may read", "Metadata", "Contents", "Discussions", "footnote people import"} {
		if !strings.Contains(lacks, want) {
			t.Errorf("%q is not told:\n%s", want, lacks)
		}
	}
	a.options.Organization, a.options.Repositories = "", []string{"acme/closed", "acme/nowhere"}
	a.Again()
	if s, err = a.Connector.Check(t.Context()); err != nil || !strings.Contains(strings.Join(s.Lacks, "\n"), "acme/nowhere is not there") {
		t.Errorf("%q: %v", s.Lacks, err)
	}
	if len(github.Permissions) != 6 {
		t.Errorf("there are %d permissions", len(github.Permissions))
	}
}
