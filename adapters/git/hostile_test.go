package git_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/footnotehq/footnote/adapters/git"
	"github.com/footnotehq/footnote/adapters/git/gittest"
	"github.com/footnotehq/footnote/core/footprint/footprinttest"
)

// eight reads repositories in a process with little memory: eight at once, each of which is made by
// its number.
func eight(t *testing.T, build func(s *gittest.Server, n int), check func(t *testing.T, h held, err error)) {
	t.Helper()
	footprinttest.Limited(t, 1<<30, func(t *testing.T) {
		var all []git.Options
		for n := range 8 {
			s := gittest.New(t)
			build(s, n)
			o := options(t, s)
			o.Commits = true
			all = append(all, o)
		}
		runtime.GC()
		var done sync.WaitGroup
		for _, o := range all {
			done.Go(func() {
				h, err := read(t, o)
				check(t, h, err)
			})
		}
		done.Wait()
	})
}

// refused checks that a run ended with a sentence that names a limit.
func refused(part string) func(*testing.T, held, error) {
	return func(t *testing.T, _ held, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the run ended with %v, want %q", err, part)
		}
	}
}

// holds checks that a run read a file and named what it left out.
func holds(name, skipped string) func(*testing.T, held, error) {
	return func(t *testing.T, h held, err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
			return
		}
		if _, there := h.files[name]; !there {
			t.Errorf("%s was not read", name)
		}
		for _, sentence := range h.skipped {
			if strings.Contains(sentence, skipped) {
				return
			}
		}
		t.Errorf("nothing was left out because %q", skipped)
	}
}

func blob(s *gittest.Server, name, text string) gittest.Entry {
	return gittest.Entry{Mode: "100644", Name: name, Hash: s.Object("blob", []byte(text))}
}

// nested returns a tree that holds another one a thousand times, depth times over.
func nested(s *gittest.Server, depth int, tree string) string {
	for range depth {
		var entries []gittest.Entry
		for i := range 1000 {
			entries = append(entries, gittest.Entry{Mode: "40000", Name: fmt.Sprintf("%03d", i), Hash: tree})
		}
		tree = s.Tree(entries...)
	}
	return tree
}

func TestNestedTreesInLittleMemory(t *testing.T) {
	eight(t, func(s *gittest.Server, n int) {
		leaf := s.Tree()
		if n%2 == 0 {
			leaf = s.Tree(blob(s, "a.md", "x"))
		}
		s.CommitTree(nested(s, 6, leaf), "bomb")
	}, refused("the branch has too many files"))
}

// TestNestedTreesBehindTheBranchLittleMemory has the bomb in the history alone, where trees are
// compared.
func TestNestedTreesBehindTheBranchLittleMemory(t *testing.T) {
	eight(t, func(s *gittest.Server, _ int) {
		first := s.CommitTree(nested(s, 6, s.Tree(blob(s, "a.md", "x"))), "bomb")
		second := s.CommitTree(nested(s, 6, s.Tree(blob(s, "a.md", "y"))), "another", first)
		s.CommitTree(s.Tree(blob(s, "README.md", "hello")), "gone", second)
	}, func(t *testing.T, h held, err error) {
		t.Helper()
		if err != nil || h.files["README.md"] != "hello" {
			t.Errorf("the run read %v and ended with %v", h.files, err)
		}
	})
}

// zeros are as many bytes of nothing.
type zeros struct{ at, size int64 }

func (z *zeros) Read(p []byte) (int, error) {
	n := min(int64(len(p)), z.size-z.at)
	if n == 0 {
		return 0, io.EOF
	}
	clear(p[:n])
	z.at += n
	return int(n), nil
}

func (z *zeros) Seek(to int64, _ int) (int64, error) { z.at = to; return to, nil }

func TestBlobBombInLittleMemory(t *testing.T) {
	eight(t, func(s *gittest.Server, n int) {
		size := int64(2 << 30)
		if n > 0 { // eight of 2 GB take minutes to make
			size = 80 << 20
		}
		s.CommitTree(s.Tree(blob(s, "README.md", "hello"), gittest.Entry{Mode: "100644", Name: "bomb.md", Hash: s.Stream("blob", size, &zeros{size: size})}), "bomb")
	}, holds("README.md", "more than the 50 MB that are read of one file"))
}

func TestManyEntriesInLittleMemory(t *testing.T) {
	eight(t, func(s *gittest.Server, _ int) {
		hash := s.Object("blob", []byte("x"))
		var folders []gittest.Entry
		for i := range 4 {
			var entries []gittest.Entry
			for j := range 30_000 {
				entries = append(entries, gittest.Entry{Mode: "100644", Name: fmt.Sprintf("%d-%06d.md", i, j), Hash: hash})
			}
			folders = append(folders, gittest.Entry{Mode: "40000", Name: fmt.Sprint(i), Hash: s.Tree(entries...)})
		}
		s.CommitTree(s.Tree(folders...), "many")
	}, refused("more than 100000 of them would be read"))
}

func TestLongPathsAndDeepTreesInLittleMemory(t *testing.T) {
	eight(t, func(s *gittest.Server, _ int) {
		inner := s.Tree(blob(s, "a.md", "x"))
		deep := inner
		for range 300 {
			deep = s.Tree(gittest.Entry{Mode: "40000", Name: "d", Hash: deep})
		}
		long := s.Tree(gittest.Entry{Mode: "40000", Name: strings.Repeat("l", 1<<20), Hash: inner})
		s.CommitTree(s.Tree(blob(s, "README.md", "hello"), gittest.Entry{Mode: "40000", Name: "deep", Hash: deep},
			gittest.Entry{Mode: "40000", Name: "long", Hash: long}), "deep")
	}, func(t *testing.T, h held, err error) {
		t.Helper()
		holds("README.md", "more than 100 folders")(t, h, err)
		holds("README.md", "more than 1024 bytes")(t, h, err)
	})
}

func TestManyReferencesInLittleMemory(t *testing.T) {
	eight(t, func(s *gittest.Server, _ int) {
		s.References(400_000, s.CommitTree(s.Tree(blob(s, "README.md", "hello")), "many"))
	}, refused("more branches and tags than are read"))
}

func TestManyAndLargeCommitsInLittleMemory(t *testing.T) {
	eight(t, func(s *gittest.Server, _ int) {
		var all []string
		last := ""
		for i := range 300 {
			tree := s.Tree(blob(s, "README.md", fmt.Sprint(i)))
			if last == "" {
				last = s.CommitTree(tree, strings.Repeat("message ", 30_000))
			} else {
				last = s.CommitTree(tree, strings.Repeat("message ", 30_000), last)
			}
			all = append(all, last)
		}
		s.CommitTree(s.Tree(blob(s, "README.md", "hello")), "many parents", all...)
	}, func(t *testing.T, h held, err error) {
		t.Helper()
		if err != nil || h.files["README.md"] != "hello" {
			t.Errorf("the run ended with %v", err)
		}
	})
}

func TestNamesThatNoFileCanHaveAreLeftOut(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	inner := s.Tree(blob(s, "config", "x"))
	names := []string{"..", ".git", ".GIT", ".git.", ".git ", "git~1", ".g\u200cit", ".git::$INDEX_ALLOCATION", "a/b", "bad\xff.md", "."}
	entries := []gittest.Entry{blob(s, "README.md", "hello")}
	for _, name := range names {
		entries = append(entries, blob(s, name, "x"), gittest.Entry{Mode: "40000", Name: name, Hash: inner})
	}
	entries = append(entries, blob(s, ".gitignore", "y"), blob(s, "z.md", "after"))
	s.CommitTree(s.Tree(entries...), "names")
	h := mustRead(t, options(t, s))
	if len(h.files) != 3 || h.files["README.md"] != "hello" || h.files["z.md"] != "after" {
		t.Errorf("the files are %q", h.files)
	}
	if len(h.skipped) != len(names) {
		t.Errorf("%d names are left out, want %d: %q", len(h.skipped), len(names), h.skipped)
	}
}

func TestALimitLeavesWhatWasRead(t *testing.T) {
	t.Parallel()
	s := gittest.New(t)
	s.CommitTree(s.Tree(blob(s, "README.md", "hello")), "first")
	o := options(t, s)
	mustRead(t, o)
	s.CommitTree(nested(s, 3, s.Tree(blob(s, "a.md", "x"))), "bomb")
	_, err := read(t, o)
	refused("what was read of it before stays")(t, held{}, err)
	s.CommitTree(s.Tree(blob(s, "README.md", "again")), "mended")
	if h := mustRead(t, o); h.files["README.md"] != "again" {
		t.Errorf("after the bomb was removed the files are %q", h.files)
	}
}
