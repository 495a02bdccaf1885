package git_test

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/git"
	"github.com/footnotehq/footnote/adapters/git/gittest"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/session/dicetest"
)

// folder yields the files of a folder with their text.
type folder struct {
	at, base string
	source   document.Source
}

func (f folder) Source() document.Source { return f.source }
func (f folder) Settings() string        { return f.base }

func (f folder) Sync(context.Context, index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		batch := index.Batch{Complete: true}
		err := filepath.WalkDir(f.at, func(place string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(place)
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			name, err := filepath.Rel(f.at, place)
			batch.Documents = append(batch.Documents, index.Item{
				ID: document.ID(name), ModifiedAt: info.ModTime(),
				Load: func(context.Context) (document.Document, error) {
					return document.Document{Ref: document.Ref{Title: string(data)}}, nil
				},
			})
			return err
		})
		yield(batch, err)
	}
}

func options(t testing.TB, s *gittest.Server) git.Options {
	t.Helper()
	return git.Options{
		URL: s.URL, BaseURL: "https://docs.example/", CAFile: s.CAFile, AllowHosts: []string{"127.0.0.1"}, CacheDir: t.TempDir(),
		Read: func(at, base string, source document.Source) (index.Connector, error) {
			return folder{at, base, source}, nil
		},
	}
}

// held is what a run found: files with their text, when they were changed, and what was left out.
type held struct {
	files   map[string]string
	times   map[string]time.Time
	skipped map[string]string
}

func read(t interface {
	Helper()
	Fatal(...any)
}, o git.Options,
) (held, error) {
	t.Helper()
	h := held{make(map[string]string), make(map[string]time.Time), make(map[string]string)}
	c, err := git.New(o)
	if err != nil {
		return h, err
	}
	for batch, err := range c.Sync(context.Background(), nil) {
		if err != nil {
			return h, err
		}
		for _, n := range batch.Skipped {
			h.skipped[n.Name] = n.Sentence
		}
		for _, item := range batch.Documents {
			d, err := item.Load(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			h.files[string(item.ID)], h.times[string(item.ID)] = d.Title, item.ModifiedAt
		}
	}
	return h, nil
}

func mustRead(t *testing.T, o git.Options) held {
	t.Helper()
	h, err := read(t, o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestFilesFollowTheBranch(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	first := s.Commit("first", map[string][]byte{"README.md": []byte("# Acme"), "guide/vpn.md": []byte("vpn"), "guide/old.md": []byte("old")})
	o := options(t, s)
	h := mustRead(t, o)
	if want := map[string]string{"README.md": "# Acme", "guide/vpn.md": "vpn", "guide/old.md": "old"}; !maps.Equal(h.files, want) {
		t.Fatalf("the files are %v, want %v", h.files, want)
	}
	second := s.Commit("second", map[string][]byte{"guide": nil, "guide/vpn.md/really/a folder.md": []byte("deep")})
	h = mustRead(t, o)
	if want := map[string]string{"README.md": "# Acme", "guide/vpn.md/really/a folder.md": "deep"}; !maps.Equal(h.files, want) {
		t.Fatalf("after the second commit the files are %v, want %v", h.files, want)
	}
	if !h.times["README.md"].Equal(first) || !h.times["guide/vpn.md/really/a folder.md"].Equal(second) {
		t.Errorf("they were changed at %v, want %v and %v", h.times, first, second)
	}
	before := s.Requests()
	if again := mustRead(t, o); !maps.Equal(again.files, h.files) || s.Requests()-before > 1 {
		t.Errorf("a run without changes asked %d times and found %v", s.Requests()-before, again.files)
	}
	// A branch whose history was written anew.
	s.Git("checkout", "--quiet", "--orphan", "anew")
	s.Git("branch", "--delete", "--force", "trunk")
	s.Git("branch", "--move", "trunk")
	s.Commit("anew", map[string][]byte{"guide": nil, "only.md": []byte("only")})
	if h = mustRead(t, o); !maps.Equal(h.files, map[string]string{"README.md": "# Acme", "only.md": "only"}) {
		t.Errorf("after the history was written anew the files are %v", h.files)
	}
}

func TestABranchCanBeNamed(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Commit("first", map[string][]byte{"a.md": []byte("trunk")})
	s.Git("checkout", "--quiet", "-b", "v2")
	s.Commit("v2", map[string][]byte{"a.md": []byte("two")})
	o := options(t, s)
	if h := mustRead(t, o); h.files["a.md"] != "trunk" {
		t.Errorf("the server's own branch has %v", h.files)
	}
	o.URL += "#v2"
	if h := mustRead(t, o); h.files["a.md"] != "two" {
		t.Errorf("the named branch has %v", h.files)
	}
	o.URL = s.URL + "#v3"
	if _, err := read(t, o); err == nil || !strings.Contains(err.Error(), `has no branch "v3"`) {
		t.Errorf("a branch that is not there: %v", err)
	}
}

// What is no file of the repository is left out, and told where somebody may miss it.
func TestWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	s, other := gittest.New(t), gittest.New(t)
	other.Commit("other", map[string][]byte{"secret.md": []byte("secret")})
	s.Commit("first", map[string][]byte{
		"a.md": []byte("a"), "big.md": []byte(strings.Repeat("x", 3000)), "picture.png": []byte("png"),
		"model.bin": []byte("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"),
	})
	s.Git("-c", "http.sslVerify=false", "submodule", "--quiet", "add", other.URL, "other")
	if err := os.Symlink("/etc/passwd", filepath.Join(strings.TrimSpace(s.Git("rev-parse", "--show-toplevel")), "link.md")); err != nil {
		t.Fatal(err)
	}
	s.Commit("second", nil)
	o := options(t, s)
	o.MaxBytes = 2000
	o.Wanted = func(name string) bool { return !strings.HasSuffix(name, ".png") && name != ".gitmodules" }
	h := mustRead(t, o)
	if want := map[string]string{"a.md": "a"}; !maps.Equal(h.files, want) {
		t.Errorf("the files are %v, want %v", h.files, want)
	}
	for name, words := range map[string]string{"other": "source", "model.bin": "Git LFS", "big.md": "more than"} {
		if !strings.Contains(h.skipped[name], words) {
			t.Errorf("of %s it is said %q", name, h.skipped[name])
		}
	}
	if again := mustRead(t, o); !maps.Equal(again.skipped, h.skipped) {
		t.Errorf("without changes it says %v, before %v", again.skipped, h.skipped)
	}
}

func TestFaultsAreSentences(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	o := options(t, s)
	if _, err := read(t, o); err == nil || !strings.Contains(err.Error(), "holds no commit yet") {
		t.Errorf("an empty repository: %v", err)
	}
	s.Commit("first", map[string][]byte{"a.md": []byte("a")})
	s.Token = "s3cret"
	if _, err := read(t, o); err == nil || !strings.Contains(err.Error(), "GIT_TOKENS") {
		t.Errorf("without a token: %v", err)
	}
	o.Token = func(host string) string { return map[string]string{s.Host: "s3cret"}[host] }
	if h := mustRead(t, o); h.files["a.md"] != "a" {
		t.Errorf("with its token it has %v", h.files)
	}
	o.MaxFetch = 100
	o.CacheDir = t.TempDir()
	if _, err := read(t, o); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("more than the limit: %v", err)
	}
	o.MaxFetch = 0
	s.Fail = func(w http.ResponseWriter, _ *http.Request) bool {
		http.Error(w, "down", http.StatusBadGateway)
		return true
	}
	if _, err := read(t, o); err == nil || !strings.Contains(err.Error(), "cannot be read now") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("a server that is down: %v", err)
	}
	asked := make(chan string, 9)
	elsewhere := gittest.New(t)
	elsewhere.Fail = func(_ http.ResponseWriter, r *http.Request) bool {
		asked <- r.Header.Get("Authorization")
		return false
	}
	s.Fail = func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, "https://"+elsewhere.Host+r.URL.RequestURI(), http.StatusFound)
		return true
	}
	if _, err := read(t, o); err == nil || len(asked) > 0 && <-asked != "" {
		t.Errorf("a redirect to another host was followed with the token: %v", err)
	}
	away := o
	away.URL = "https://127.0.0.1:1/acme/handbook.git"
	if _, err := read(t, away); err == nil || !strings.Contains(err.Error(), "check the address") || strings.Count(err.Error(), "handbook.git") != 1 {
		t.Errorf("a server that cannot be reached: %v", err)
	}
	s.Fail = nil
	o.AllowHosts = nil
	if _, err := read(t, o); err == nil || !strings.Contains(err.Error(), "ALLOW_PRIVATE_HOSTS") {
		t.Errorf("a private address: %v", err)
	}
	for address, words := range map[string]string{
		"ssh://git@acme.example/a.git": "is not the address", "https://acme.example": "is not the address", "https://ada:pw@acme.example/a.git": "GIT_TOKENS",
		"http://acme.example/a.git#b": "over https: write https://acme.example/a.git#b", "https://acme.example/a.git?x=1": "question mark",
	} {
		if _, err := git.New(git.Options{URL: address, BaseURL: "https://x.example", CacheDir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", address, err)
		}
	}
	o.BaseURL = ""
	if _, err := read(t, o); err == nil || !strings.Contains(err.Error(), "base_url") {
		t.Errorf("an unknown server without a base address: %v", err)
	}
}

func TestWhereReadersFindTheFiles(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://github.com/acme/handbook.git":     "https://github.com/acme/handbook/blob/HEAD/",
		"https://GitHub.com/acme/handbook.git/#v2": "https://github.com/acme/handbook/blob/v2/",
		"https://gitlab.com/a/b/c.git":             "https://gitlab.com/a/b/c/-/blob/HEAD/",
		"https://codeberg.org/a/b.git#main":        "https://codeberg.org/a/b/src/branch/main/",
	} {
		c, err := git.New(git.Options{URL: address, CacheDir: t.TempDir(), Read: func(at, base string, source document.Source) (index.Connector, error) {
			return folder{at, base, source}, nil
		}})
		if err != nil || c.Settings() != "git 1 "+want {
			t.Errorf("%s: %v, %v, want %s", address, c.Settings(), err, want)
		}
	}
}

// A mirror that was damaged, or left behind by a process that died, is made anew.
func TestADamagedMirrorIsMadeAnew(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.Commit("first", map[string][]byte{"a.md": []byte("a"), "b.md": []byte("b")})
	o := options(t, s)
	mustRead(t, o)
	mirror, err := filepath.Glob(filepath.Join(o.CacheDir, "*"))
	if err != nil || len(mirror) != 1 {
		t.Fatal(mirror, err)
	}
	for n, damage := range []func() error{
		func() error { return os.Remove(filepath.Join(mirror[0], "state.json")) },
		func() error {
			return os.WriteFile(filepath.Join(mirror[0], "state.json"), []byte(`{"commit": "`), 0o600)
		},
		func() error { return os.RemoveAll(filepath.Join(mirror[0], "repository")) },
		func() error {
			packs, err := filepath.Glob(filepath.Join(mirror[0], "repository", "objects", "pack", "*"))
			for _, p := range packs {
				if err := os.Chmod(p, 0o600); err != nil {
					return err
				}
				if err := os.Truncate(p, 10); err != nil {
					return err
				}
			}
			return err
		},
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		s.Commit("more", map[string][]byte{"b.md": fmt.Append(nil, "b", n)})
		if h := mustRead(t, o); !maps.Equal(h.files, map[string]string{"a.md": "a", "b.md": fmt.Sprint("b", n)}) {
			t.Errorf("after damage %d the files are %v", n, h.files)
		}
	}
}

// After each run the files are those that Git itself says are in the branch, whatever was
// committed, rewound and removed.
func TestTheFilesAreThoseOfTheBranch(t *testing.T) {
	t.Parallel()
	random := dicetest.New(t)
	s := gittest.New(t)
	s.Commit("first", map[string][]byte{"a": []byte("a")})
	o := options(t, s)
	names := []string{"a", "b", "b/c", "b/c/d", "é x.md", "-f", "b/.hidden", "Ä/ö"}
	var steps []string
	for range 15 {
		for range 1 + random.IntN(3) {
			if random.IntN(5) == 0 && strings.Count(s.Git("log", "--oneline"), "\n") > 1 {
				s.Git("reset", "--quiet", "--hard", "HEAD~1")
				steps = append(steps, "rewind")
			}
			name := names[random.IntN(len(names))]
			changes := map[string][]byte{name: nil}
			if random.IntN(3) > 0 {
				for above := name; above != "."; above = filepath.Dir(above) { // what is a file becomes a folder, and the other way round
					s.Git("rm", "-r", "--quiet", "--force", "--ignore-unmatch", "--", above)
				}
				changes[name] = fmt.Append(nil, random.Uint64())
			}
			steps = append(steps, fmt.Sprintf("%s=%s", name, changes[name]))
			s.Commit("change", changes)
		}
		h := mustRead(t, o)
		list := strings.FieldsFunc(s.Git("ls-tree", "-r", "-z", "--name-only", "HEAD"), func(r rune) bool { return r == 0 })
		if got := slices.Sorted(maps.Keys(h.files)); !slices.Equal(got, slices.Sorted(slices.Values(list))) {
			t.Fatalf("after %q the files are %q, want %q", steps, got, list)
		}
		for name, text := range h.files {
			if want := s.Git("show", "HEAD:"+name); text != want {
				t.Fatalf("after %q the file %q holds %q, want %q", steps, name, text, want)
			}
		}
	}
}
