package github_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/git/gittest"
	"github.com/footnotehq/footnote/adapters/github"
	"github.com/footnotehq/footnote/adapters/github/githubtest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

// folder yields the files of a folder with their text. They can be read until the run over them
// ends.
type folder struct{ github.Folder }

func (f folder) Source() document.Source { return f.Folder.Source }
func (f folder) Settings() string        { return "" }

func (f folder) Sync(context.Context, index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		batch := index.Batch{Complete: true}
		var closed atomic.Bool
		defer closed.Store(true)
		err := filepath.WalkDir(f.Path, func(place string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(place, ".md") && !strings.HasSuffix(place, ".go") {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			name, err := filepath.Rel(f.Path, place)
			batch.Documents = append(batch.Documents, index.Item{
				ID: document.ID(string(f.Folder.Source.ID) + ":" + name), ModifiedAt: info.ModTime(),
				Load: func(context.Context) (document.Document, error) {
					if closed.Load() {
						return document.Document{}, fs.ErrClosed
					}
					data, err := os.ReadFile(place)
					return document.Document{
						Ref: document.Ref{Title: name, URL: f.Base + name, UpdatedAt: info.ModTime()}, ACL: f.ACL,
						Sections: []document.Section{{Blocks: []document.Block{{Kind: document.Paragraph, Text: string(data)}}}},
					}, err
				},
			})
			return err
		})
		yield(batch, err)
	}
}

func withFiles(t *testing.T) func(o *github.Options, _ *github.Config) {
	return func(o *github.Options, _ *github.Config) {
		o.Files, o.Wiki, o.CacheDir = []string{"*.md", "src/**/*.go"}, true, t.TempDir()
		o.Read = func(f github.Folder) (index.Connector, error) { return folder{f}, nil }
	}
}

func TestFilesFollowTheBranch(t *testing.T) {
	t.Parallel()
	a := newAcme(t, withFiles(t))
	r := a.Repo(a.org, "app", githubtest.Private)
	r.Git = gittest.New(t)
	a.Push(r, map[string][]byte{
		"README.md": []byte("# App"), "docs/a.md": []byte("about a"), "src/x/main.go": []byte("package main"), "other.go": []byte("package other"), "big.md": bytes.Repeat([]byte("x"), 40<<20),
		".github/CODEOWNERS": []byte("* @acme/all\n/docs/ @acme/writers # they write\n"),
	})
	id := func(name string) string { return fmt.Sprintf("%d:file:%s", r.ID, name) }
	holds := func(when string, want map[string]string) {
		t.Helper()
		a.MustSync()
		got := a.texts()
		if c := a.Last.Counts; c.Total > 0 && c.Seen() > c.Total {
			t.Errorf("%s it has read %d of %d documents", when, c.Seen(), c.Total)
		}
		if len(got) != len(want) {
			t.Errorf("%s there are %v, want %v", when, got, want)
		}
		for name, text := range want {
			if !strings.Contains(got[id(name)], text) {
				t.Errorf("%s: %s holds %q, want %q", when, name, got[id(name)], text)
			}
		}
	}
	holds("at first", map[string]string{"README.md": "# App", "docs/a.md": "about a", "src/x/main.go": "package main"})
	if !slices.ContainsFunc(a.Last.Skipped, func(n index.Notice) bool {
		return n.Name == "acme/app: big.md" && strings.Contains(n.Sentence, "40 MB")
	}) {
		t.Errorf("of a file of 40 MB it is said %v", a.Last.Skipped)
	}
	for _, e := range a.Store.Entries(sourcetest.Tenant) {
		d := e.Document
		if !slices.Equal(d.ACL, access.ACL{access.Node("github-code", fmt.Sprint(r.ID))}) || d.Metadata["repository"] != "acme/app" {
			t.Errorf("%s: %+v", d.ID, d)
		}
		if strings.HasSuffix(string(d.ID), "docs/a.md") && (d.Metadata["owners"] != "@acme/writers" || d.URL != a.URL+"/acme/app/blob/trunk/docs/a.md") {
			t.Errorf("%+v", d)
		}
	}
	asked := a.Counts(0, "git ")
	holds("without a change", map[string]string{"README.md": "# App", "docs/a.md": "about a", "src/x/main.go": "package main"})
	if n := a.Counts(0, "git "); n != asked {
		t.Errorf("a pass without a change asked Git %d times", n-asked)
	}
	a.Push(r, map[string][]byte{"docs": nil, "NEW.md": []byte("new")})
	holds("after a push", map[string]string{"README.md": "# App", "NEW.md": "new", "src/x/main.go": "package main"})
	r.Git.Git("reset", "--quiet", "--hard", "HEAD~1")
	a.Push(r, map[string][]byte{"README.md": []byte("# Forced")})
	holds("after a forced push", map[string]string{"README.md": "# Forced", "docs/a.md": "about a", "src/x/main.go": "package main"})
	a.Rename(r, "application")
	holds("after it was renamed", map[string]string{"README.md": "acme/application", "docs/a.md": "acme/application", "src/x/main.go": "acme/application"})
	a.options.Files = []string{"*.go"}
	a.Again()
	holds("with other patterns", map[string]string{"src/x/main.go": "package main", "other.go": "package other"})
}

// What is fetched under a name that came to be another repository's is not taken for this one's.
func TestFilesOfAnotherRepositoryAreNotRead(t *testing.T) {
	t.Parallel()
	a := newAcme(t, withFiles(t))
	open, secret := a.Repo(a.org, "open", githubtest.Private), a.Repo(a.org, "secret", githubtest.Private)
	open.Git, secret.Git, secret.Wiki, open.Wiki = gittest.New(t), gittest.New(t), gittest.New(t), gittest.New(t)
	open.HasWiki, secret.HasWiki = true, true
	for r, text := range map[*githubtest.Repo]string{open: "for all", secret: "for few"} {
		a.Push(r, map[string][]byte{"README.md": []byte(text)})
		r.Wiki.Commit("page", map[string][]byte{"Home-Page.md": []byte(text)})
	}
	swap := func() {
		a.Rename(open, "elsewhere")
		a.Rename(secret, "open")
	}
	a.Faults.Add(githubtest.Fault{Path: "git", Then: swap}, 0, 1)
	_, err := a.Sync(t.Context())
	check := func() {
		t.Helper()
		for id, text := range a.texts() {
			if strings.HasPrefix(id, fmt.Sprint(open.ID)+":") && strings.Contains(text, "for few") {
				t.Errorf("%s holds %q (%v)", id, text, err)
			}
		}
	}
	check()
	a.Pass(2 * time.Hour)
	a.MustSync()
	check()
	if got := a.texts(); len(got) != 4 || !strings.Contains(got[fmt.Sprintf("%d:wiki:Home-Page.md", open.ID)], "Home Page") {
		t.Errorf("afterwards there are %v", got)
	}
}

func TestAWiki(t *testing.T) {
	t.Parallel()
	a := newAcme(t, withFiles(t))
	r := a.Repo(a.org, "app", githubtest.Private)
	r.HasWiki = true
	a.MustSync()
	if got := a.texts(); len(got) != 0 {
		t.Errorf("of a wiki without a page there are %v", got)
	}
	r.Wiki = gittest.New(t)
	r.Wiki.Commit("pages", map[string][]byte{"How-to-Deploy.md": []byte("Run make."), "sub/Other.md": []byte("Text.")})
	a.Pass(2 * time.Hour)
	a.MustSync()
	urls := make(map[string]string)
	for _, e := range a.Store.Entries(sourcetest.Tenant) {
		urls[e.Document.Title] = strings.TrimPrefix(e.Document.URL, a.URL)
	}
	if len(urls) != 2 || urls["How to Deploy (acme/app)"] != "/acme/app/wiki/How-to-Deploy" || urls["Other (acme/app)"] != "/acme/app/wiki/Other" {
		t.Errorf("the pages are %v", urls)
	}
	a.Do(func() { r.HasWiki = false })
	a.MustSync()
	if got := a.texts(); len(got) != 0 {
		t.Errorf("of a wiki that was turned off there are %v", got)
	}
}

func TestOwnersOfFiles(t *testing.T) {
	t.Parallel()
	at := t.TempDir()
	if err := os.WriteFile(filepath.Join(at, "CODEOWNERS"), []byte(`
# the example of GitHub's page
*       @global-owner1 @global-owner2
*.js    @js-owner #This is an inline comment.
*.go docs@example.com
/build/logs/ @doctocat
docs/* docs@example.com
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @octo
/apps/github
[broken @nobody
`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"README.md": "@global-owner1 @global-owner2", "src/a.js": "@js-owner", "a.go": "docs@example.com", "build/logs/x.txt": "@octo", "docs/getting-started.md": "@doctocat",
		"docs/build-app/troubleshooting.md": "@doctocat", "x/apps/y/z": "@octocat", "apps/github/x": "", "scripts/a/b": "@doctocat @octocat", "deeply/nested/logs/x": "@octo",
	} {
		if got := github.OwnersOf(at, name); got != want {
			t.Errorf("%s is owned by %q, want %q", name, got, want)
		}
	}
}
