package files_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/google/go-cmp/cmp"
)

// folder makes a folder with files; a name that ends in a slash is a folder.
func folder(t testing.TB, contents map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range contents {
		place := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			if err := os.MkdirAll(place, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.WriteFile(place, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// found is what a run over a folder yields.
type found struct {
	docs     map[string]document.Document // by path
	failures map[string]string
	skipped  map[string]string
	order    []string
	total    int
	complete bool
}

// read runs a connector and loads everything it yields.
func read(t testing.TB, o files.Options) found {
	t.Helper()
	c, err := files.New(o)
	if err != nil {
		t.Fatalf("New() = %v", err)
	}
	f := found{docs: make(map[string]document.Document), failures: make(map[string]string), skipped: make(map[string]string)}
	for batch, err := range c.Sync(t.Context(), nil) {
		if err != nil {
			t.Fatalf("Sync() = %v", err)
		}
		f.add(t, c, batch)
	}
	return f
}

func (f *found) add(t testing.TB, c *files.Connector, batch index.Batch) {
	t.Helper()
	f.total, f.complete = batch.Total, batch.Complete
	for _, n := range batch.Failures {
		f.failures[n.Name] = n.Sentence
	}
	for _, n := range batch.Skipped {
		f.skipped[n.Name] = n.Sentence
	}
	for _, item := range batch.Documents {
		name, ok := strings.CutPrefix(string(item.ID), string(c.Source().ID)+":")
		if !ok {
			t.Errorf("the id %q does not begin with the source %q", item.ID, c.Source().ID)
		}
		f.order = append(f.order, name)
		d, err := item.Load(t.Context())
		if err != nil {
			f.failures[name] = err.Error()
			continue
		}
		f.docs[name] = d
	}
}

func TestFormats(t *testing.T) {
	t.Parallel()
	type want struct{ title, text string }
	tests := []struct {
		name, content string
		want          want
	}{
		{"guide.md", "# Install\n\nRun *it*.", want{"Install", "# Install\n\nRun it."}},
		{"untitled.md", "Just text.", want{"untitled", "Just text."}},
		{"page.html", "<title>Page</title><p>Text", want{"Page", "Text"}},
		{"heading.htm", "<h1>Heading</h1><p>Text", want{"Heading", "# Heading\n\nText"}},
		{"notes.txt", "First\nline.\n\n\n- a\n- b\n", want{"notes", "First\nline.\n\n- a\n- b"}},
		{"title.rst", "=====\nTitle\n=====\n\nPart\n----\nText.\n", want{"Title", "# Title\n\n## Part\n\nText."}},
		{"README", "Read me.", want{"README", "Read me."}},
		{"pkg/main.go", "package main\n\nfunc main() {}\n", want{"pkg/main.go", "```go\npackage main\n```\n\n```go\nfunc main() {}\n```"}},
		{"deploy.yaml", "a: 1\nb: 2\n", want{"deploy.yaml", "```yaml\na: 1\nb: 2\n```"}},
		{"min.json", `{"a":1,"b":[2]}`, want{"min.json", "```json\n{\n  \"a\": 1,\n  \"b\": [\n    2\n  ]\n}\n```"}},
		{"people.csv", "name,role\n\"Doe, J.\",\"on\ncall\"\n", want{"people", "name | role\nDoe, J. | on call"}},
		{"broken.csv", "a,\"b\nc", want{"broken", "a | b c"}},
		{"semicolons.csv", "item;price;note\nbox;1,60;\"large, brown\"\n", want{"semicolons", "item | price | note\nbox | 1,60 | large, brown"}},
		{"said.csv", "sep=|\na,b|c\n1;2|3\n", want{"said", "a,b | c\n1;2 | 3"}},
		{"quoted.csv", "\"a;b;c\",d\n1,2\n", want{"quoted", "a;b;c | d\n1 | 2"}},
		{"sizes.tsv", "a\tb\n", want{"sizes", "a | b"}},
		{"crlf.txt", "a\r\nb\rc", want{"crlf", "a\nb\nc"}},
		{"empty.md", "", want{"empty", ""}},
		{"latin1.txt", "caf\xe9 au lait f\xfcr alle", want{"latin1", "café au lait für alle"}},
		{"meta.html", "<meta charset=windows-1251><title>\xcf\xf0\xe8\xe2\xe5\xf2</title><p>\xec\xe8\xf0", want{"Привет", "мир"}},
		{"utf16le.txt", "\xff\xfeG\x00r\x00\xfc\x00n\x00", want{"utf16le", "Grün"}},
		{"utf16be.txt", "\xfe\xff\x00G\x00r\x00\xfc\x00n", want{"utf16be", "Grün"}},
		{"utf16.txt", "H\x00e\x00l\x00l\x00o\x00 \x00w\x00o\x00r\x00l\x00d\x00", want{"utf16", "Hello world"}},
		{"bom.md", "\xef\xbb\xbf# Title", want{"Title", "# Title"}},
		{"nearly.txt", strings.Repeat("größer ", 20) + "\xff", want{"nearly", strings.Repeat("größer ", 20) + "\uFFFD"}},
		{"nul.txt", "a few NUL bytes\x00 do not make a text binary, they are left out", want{"nul", "a few NUL bytes do not make a text binary, they are left out"}},
	}
	contents := make(map[string]string)
	for _, tt := range tests {
		contents[tt.name] = tt.content
	}
	got := read(t, files.Options{Path: folder(t, contents)})
	if len(got.failures)+len(got.skipped) > 0 {
		t.Errorf("failures %v, skipped %v", got.failures, got.skipped)
	}
	for _, tt := range tests {
		d := got.docs[tt.name]
		if diff := cmp.Diff(tt.want, want{d.Title, d.Text()}, cmp.AllowUnexported(want{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestWalk(t *testing.T) {
	t.Parallel()
	root := folder(t, map[string]string{
		"a.md": "a", "sub/b.md": "b", "sub/deep/c.html": "<p>c", "sub/draft-d.md": "d", "z.go": "package z",
		".hidden.md": "x", ".git/config": "x", "node_modules/m/index.md": "x", "sub/.cache/x.md": "x", "empty/": "",
		"photo.png": "x", "old.XLS": "x", "letter.odt": "PK", "unknown.qqq": "\x7fELF\x00\x01\x02\x03\x04\x05",
	})
	tests := []struct {
		name             string
		include, exclude []string
		want, skipped    []string
	}{
		{"everything", nil, nil, []string{"a.md", "sub/b.md", "sub/deep/c.html", "sub/draft-d.md", "z.go"}, []string{"letter.odt", "old.XLS", "photo.png"}},
		{"by name", []string{"*.md"}, nil, []string{"a.md", "sub/b.md", "sub/draft-d.md"}, nil},
		{"by path", []string{"sub/*.md"}, nil, []string{"sub/b.md", "sub/draft-d.md"}, nil},
		{"in any folder", []string{"**/*.html", "/a.md"}, nil, []string{"a.md", "sub/deep/c.html"}, nil},
		{"a whole folder", []string{"sub/**"}, []string{"draft-*", "sub/deep/**"}, []string{"sub/b.md"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := read(t, files.Options{Path: root, Include: tt.include, Exclude: tt.exclude})
			delete(got.failures, "unknown.qqq")
			order := slices.DeleteFunc(got.order, func(name string) bool { return name == "unknown.qqq" })
			if diff := cmp.Diff(tt.want, order); diff != "" {
				t.Errorf("documents (-want +got):\n%s", diff)
			}
			var skipped []string
			for name := range got.skipped {
				skipped = append(skipped, name)
			}
			slices.Sort(skipped)
			if diff := cmp.Diff(tt.skipped, skipped); diff != "" {
				t.Errorf("skipped (-want +got):\n%s", diff)
			}
			if len(got.failures) > 0 || !got.complete {
				t.Errorf("failures %v, complete %v", got.failures, got.complete)
			}
		})
	}
}

// Whatever lies in a folder, reading it neither waits nor leads out of it, and each file that is
// left out is named with a reason.
func TestStrangeFolders(t *testing.T) {
	t.Parallel()
	outside := folder(t, map[string]string{"secret.md": "secret"})
	root := folder(t, map[string]string{
		"good.md": "good", "real/inside.md": "inside", ".data/config.md": "mounted",
		"picture.txt": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "program": "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00",
		"line.txt": strings.Repeat("x", 1_000_000), "words.md": strings.Repeat("word ", 200_000), "broken.html": "<p>a<table><tr><td><b>b",
		"noise.md": strings.Repeat("\x00\x01\x02\x03abc", 1000), "deep.html": strings.Repeat("<div>", 100_000) + "deep",
		"table.csv": strings.Repeat("a,b,c\n", 100_000),
	})
	at := func(name string) string { return filepath.Join(root, name) }
	huge, err := os.Create(at("huge.log"))
	if err != nil {
		t.Fatal(err)
	}
	if err := huge.Truncate(100 << 20); err != nil { // takes no room on the disk
		t.Fatal(err)
	}
	_ = huge.Close()
	for name, target := range map[string]string{
		"loop.md": at("loop.md"), "folder-loop": ".", "real/up": "..", "out.md": filepath.Join(outside, "secret.md"), "out-folder": outside,
		"nowhere.md": "missing.md", "again.md": "real/inside.md", "mounted.md": ".data/config.md", "mounted-again.md": ".data/config.md",
		"device.md": "/dev/zero",
	} {
		if err := os.Symlink(target, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(at("pipe.md"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("pipe.md", at("pipe-link.md")); err != nil {
		t.Fatal(err)
	}
	short, err := os.MkdirTemp("", "fn") // the path of a socket has about a hundred bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", filepath.Join(short, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	if err := os.Rename(filepath.Join(short, "s"), at("socket.md")); err != nil {
		t.Fatal(err)
	}

	got := read(t, files.Options{Path: root})
	if diff := cmp.Diff([]string{
		"broken.html", "deep.html", "good.md", "huge.log", "line.txt", "noise.md", "picture.txt", "program", "real/inside.md", "table.csv", "words.md",
	}, got.order); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	for name, reason := range map[string]string{
		"huge.log": "more than 50 MB", "noise.md": "binary data", "picture.txt": "image/png", "program": "binary data",
	} {
		if !strings.Contains(got.failures[name], reason) {
			t.Errorf("the reason for %s is %q, want one with %q", name, got.failures[name], reason)
		}
		delete(got.failures, name)
	}
	for name, reason := range map[string]string{
		"loop.md": "to itself", "folder-loop": "to a folder", "real/up": "to a folder", "out.md": "out of the folder", "out-folder": "out of the folder",
		"nowhere.md": "leads nowhere", "again.md": "indexed where it lies", "mounted.md": "indexed where it lies", "mounted-again.md": "indexed where it lies", "device.md": "out of the folder", "pipe.md": "a pipe", "pipe-link.md": "a pipe", "socket.md": "a socket",
	} {
		if !strings.Contains(got.skipped[name], reason) {
			t.Errorf("the reason for %s is %q, want one with %q", name, got.skipped[name], reason)
		}
		delete(got.skipped, name)
	}
	if len(got.failures)+len(got.skipped) > 0 {
		t.Errorf("also left out: %v %v", got.failures, got.skipped)
	}
	for name, d := range got.docs {
		if strings.Contains(d.Text(), "secret") {
			t.Errorf("%s shows a file outside of the folder", name)
		}
	}
}

func TestFilesThatChangeUnderneath(t *testing.T) {
	t.Parallel()
	root := folder(t, map[string]string{"gone.md": "x", "pipe.md": "x", "grown.md": "x", "linked.md": "x", "kept.md": "x"})
	outside := folder(t, map[string]string{"secret.md": "secret"})
	c, err := files.New(files.Options{Path: root, MaxBytes: 1000})
	if err != nil {
		t.Fatal(err)
	}
	f := found{docs: make(map[string]document.Document), failures: make(map[string]string), skipped: make(map[string]string)}
	for batch, err := range c.Sync(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"gone.md", "pipe.md", "linked.md"} {
			if err := os.Remove(filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := syscall.Mkfifo(filepath.Join(root, "pipe.md"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(outside, "secret.md"), filepath.Join(root, "linked.md")); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, "grown.md"), make([]byte, 1001), 0o644); err != nil {
			t.Fatal(err)
		}
		f.add(t, c, batch)
	}
	if len(f.docs) != 1 || len(f.failures) != 4 {
		t.Errorf("read %v, failed %v", f.docs, f.failures)
	}
}

func TestFaultsSayWhatToDo(t *testing.T) {
	t.Parallel()
	full := folder(t, map[string]string{"a.md": "a", "only.ppt": "x"})
	tests := []struct {
		name    string
		options files.Options
		want    []string
	}{
		{"no path", files.Options{}, []string{"name the folder"}},
		{"missing", files.Options{Path: filepath.Join(full, "nope")}, []string{"there is no file or folder", "nope", "check the spelling"}},
		{"base URL", files.Options{Path: full, BaseURL: "docs.example.org"}, []string{"write it like https://"}},
		{"several", files.Options{Path: filepath.Join(full, "nope"), BaseURL: "ftp://x", Include: []string{"[a"}}, []string{"there is no file", "base URL", "pattern"}},
		{"an empty folder", files.Options{Path: folder(t, nil)}, []string{"it is empty", "Give the path"}},
		{"nothing wanted", files.Options{Path: full, Include: []string{"guides/**"}}, []string{"include and exclude leave out all of the 2 files"}},
		{"braces", files.Options{Path: full, Include: []string{"{guides,notes}/**"}}, []string{"one pattern for each choice"}},
		{"nothing to read", files.Options{Path: full, Include: []string{"*.ppt"}}, []string{"none can be read", "only.ppt", "Save it as"}},
		{"one file that cannot be read", files.Options{Path: filepath.Join(full, "only.ppt")}, []string{"Save it as"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, err := files.New(tt.options)
			if err == nil {
				for _, err = range c.Sync(t.Context(), nil) {
					if err == nil {
						t.Error("Sync() yielded a batch")
					}
				}
			}
			for _, want := range tt.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("the error is %v, want one with %q", err, want)
				}
			}
		})
	}
}

func TestCancelledWalk(t *testing.T) {
	t.Parallel()
	c, err := files.New(files.Options{Path: folder(t, map[string]string{"a.md": "a"})})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range c.Sync(ctx, nil) {
		if err == nil {
			t.Error("Sync() went on after it was cancelled")
		}
	}
}

func TestSource(t *testing.T) {
	t.Parallel()
	root := folder(t, map[string]string{"My Docs/a.md": "a"})
	c, err := files.New(files.Options{Path: filepath.Join(root, "My Docs") + "/"})
	if err != nil {
		t.Fatal(err)
	}
	same, err := files.New(files.Options{Path: filepath.Join(root, "x", "..", "My Docs"), BaseURL: "https://docs.example.org"})
	if err != nil {
		t.Fatal(err)
	}
	s := c.Source()
	if s != same.Source() || !strings.HasPrefix(string(s.ID), "files-my-docs-") || s.Kind != files.Kind || s.Name != filepath.Join(root, "My Docs") {
		t.Errorf("Source() = %+v and %+v", s, same.Source())
	}
	if c.Settings() == same.Settings() {
		t.Error("another base URL makes other addresses, but the settings are the same")
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	root := folder(t, map[string]string{
		"a.md": "a", "b.md": "---\nupdated: 2025-04-05\n---\nb", "c.html": `<meta name="last-modified" content="2024-01-02"><p>c`,
	})
	touched := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, name := range []string{"a.md", "b.md", "c.html"} {
		if err := os.Chtimes(filepath.Join(root, name), touched, touched); err != nil {
			t.Fatal(err)
		}
	}
	got := read(t, files.Options{Path: root})
	for name, want := range map[string]string{"a.md": "2026-01-01", "b.md": "2025-04-05", "c.html": "2024-01-02"} {
		if d := got.docs[name].UpdatedAt.UTC().Format(time.DateOnly); d != want {
			t.Errorf("%s is of %s, want %s", name, d, want)
		}
	}
}

func TestOneFile(t *testing.T) {
	t.Parallel()
	root := folder(t, map[string]string{"a.md": "a", "b.md": "b"})
	if err := os.Symlink("b.md", filepath.Join(root, "link.md")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"a.md": "a", "link.md": "b"} {
		got := read(t, files.Options{Path: filepath.Join(root, name)})
		d, ok := got.docs[want+".md"]
		if len(got.docs) != 1 || !ok || d.Text() != want || d.URL != "file://"+root+"/"+want+".md" || !got.complete {
			t.Errorf("%s gives %+v", name, got)
		}
	}
}
