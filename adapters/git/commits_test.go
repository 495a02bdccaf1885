package git_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/git"
	"github.com/footnotehq/footnote/adapters/git/gittest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
)

// told are the commits that a run yields, by their subjects.
func told(t *testing.T, o git.Options) map[string]document.Document {
	t.Helper()
	c, err := git.New(o)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]document.Document)
	for batch, err := range c.Sync(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range batch.Documents {
			if !strings.Contains(string(item.ID), ":commit:") {
				continue
			}
			d, err := item.Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !item.ModifiedAt.Equal(d.UpdatedAt) {
				t.Errorf("%s is of %s and was changed at %s", d.Title, d.UpdatedAt, item.ModifiedAt)
			}
			all[d.Title] = d
		}
	}
	return all
}

func TestCommitsAreDocuments(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Commit("Begin", map[string][]byte{"docs/a.md": []byte("a"), "private/b.md": []byte("b"), "c.md": []byte("---\nacl: group:board\n---\nsecret")})
	s.By("Ann Lee", "ann@acme.example")
	at := s.Commit("Explain refunds\n\nThey take five days.\n\nCo-authored-by: Bo Chen <bo@acme.example>", map[string][]byte{"docs/a.md": []byte("aa"), "private/b.md": []byte("bb")})
	s.Commit("Open what the board decided", map[string][]byte{"c.md": []byte("public now")})
	s.Commit("Mention it", map[string][]byte{"c.md": []byte("again"), "docs/a.md": []byte("aaa")})
	s.Commit("Tidy what nobody reads", map[string][]byte{"private/b.md": []byte("bbb")})
	s.Commit("Nothing", nil)
	s.By("renovate[bot]", "bot@acme.example")
	s.Commit("Bump", map[string][]byte{"docs/a.md": []byte("b")})
	s.By("Ada", "ada@acme.example")
	s.Git("checkout", "--quiet", "-b", "side", "HEAD~1")
	s.Commit("On the side", map[string][]byte{"docs/side.md": []byte("s")})
	s.Git("checkout", "--quiet", "trunk")
	s.Git("merge", "--quiet", "--no-ff", "--message", "Merge the side", "side")
	s.Git("push", "--quiet", "origin", "trunk")

	o := options(t, s)
	o.BaseURL = "https://docs.example/acme/handbook/blob/trunk/"
	if got := told(t, o); len(got) != 0 {
		t.Errorf("commits that nobody asked for: %v", slices.Collect(maps.Keys(got)))
	}
	o.Commits, o.ACL = true, access.ACL{access.Members}
	o.Told = func(path string) bool { return !strings.HasPrefix(path, "private/") }
	o.Withhold = func(_ string, begins []byte) bool { return bytes.Contains(begins, []byte("acl:")) }
	for range 2 { // the mirror knows them by now
		got := told(t, o)
		if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, []string{"Explain refunds", "On the side"}) {
			t.Fatalf("the commits are %q", names)
		}
		d := got["Explain refunds"]
		if d.Metadata["author"] != "Ann Lee <ann@acme.example>; Bo Chen <bo@acme.example>" || d.Metadata[knowledge.ChangedFiles] != "docs/a.md" || !d.UpdatedAt.Equal(at) ||
			!slices.Equal(d.ACL, o.ACL) || !strings.HasPrefix(d.URL, "https://docs.example/acme/handbook/commit/") {
			t.Errorf("%+v", d)
		}
		var text strings.Builder
		for _, b := range d.Sections[0].Blocks {
			text.WriteString(b.Text + "\n")
		}
		if said := text.String(); !strings.Contains(said, "By Ann Lee, Bo Chen on "+at.Format(time.DateOnly)) || !strings.Contains(said, "five days") || strings.Contains(said, "private") || strings.Contains(said, "@acme.example on") {
			t.Errorf("it says %q", said)
		}
	}
	s.Commit("Later", map[string][]byte{"docs/a.md": []byte("later")})
	if got := told(t, o); len(got) != 3 {
		t.Errorf("then the commits are %q", slices.Sorted(maps.Keys(got)))
	}
}

// Where people see a commit stands beside where they see files.
func TestWhereCommitsAreShown(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Commit("Begin", map[string][]byte{"a.md": []byte("a")})
	s.Commit("Go on", map[string][]byte{"a.md": []byte("b")})
	for base, want := range map[string]string{
		"https://gitlab.example/a/b/-/blob/HEAD/": "https://gitlab.example/a/b/-/commit/", "https://git.example/a/b/src/branch/main/": "https://git.example/a/b/commit/", "https://docs.example/": "",
	} {
		o := options(t, s)
		o.BaseURL, o.Commits = base, true
		if got := told(t, o)["Go on"].URL; !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("below %s it is %q", base, got)
		}
	}
}
