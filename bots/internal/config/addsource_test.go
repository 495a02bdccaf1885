package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/bots/internal/config"
)

var chat = []config.Pair{{Key: "slack.channels", Value: []string{"general", "#board: x"}}, {Key: "slack.public", Value: true}, {Key: "every", Value: "5m"}}

const chatEntry = "  chat:\n    slack:\n      channels: [general, \"#board: x\"]\n      public: true\n    every: 5m\n"

// A source is added at the end of the sources, and not a byte of the rest changes.
func TestSourcesAreAddedBesideWhatTheFileSays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after string }{
		"no file":               {"", "sources:\n" + chatEntry},
		"comments alone":        {"# ours\n\n", "# ours\nsources:\n" + chatEntry + "\n"},
		"no sources":            {"prices: {currency: EUR} # yes", "prices: {currency: EUR} # yes\nsources:\n" + chatEntry},
		"nothing below":         {"sources: # none yet\nprices: {currency: EUR}\n", "sources: # none yet\n" + chatEntry + "prices: {currency: EUR}\n"},
		"at the end":            {"sources:\n  docs: {path: docs}\n", "sources:\n  docs: {path: docs}\n" + chatEntry},
		"without a last line":   {"sources:\n  docs:\n    path: docs", "sources:\n  docs:\n    path: docs\n" + chatEntry},
		"before other keys":     {"sources:\n  docs:\n    path: docs # here\n    # more\n\n# of costs\nprices: {currency: EUR}\n", "sources:\n  docs:\n    path: docs # here\n    # more\n" + chatEntry + "\n# of costs\nprices: {currency: EUR}\n"},
		"another indent":        {"sources:\n      docs: {path: docs}\n", "sources:\n      docs: {path: docs}\n" + "    " + strings.TrimSuffix(strings.ReplaceAll(chatEntry, "\n", "\n    "), "    ")},
		"no indent of comments": {"sources:\n  docs: {path: docs}\n# the end\n", "sources:\n  docs: {path: docs}\n" + chatEntry + "# the end\n"},
		"marks of a document":   {"---\nagent: a\nagents: {a: {instructions: x}}\n...\n", "---\nagent: a\nagents: {a: {instructions: x}}\nsources:\n" + chatEntry + "...\n"},
		"lines of Windows":      {"sources:\r\n  docs: {path: docs}\r\n", "sources:\r\n  docs: {path: docs}\r\n" + strings.ReplaceAll(chatEntry, "\n", "\r\n")},
		"lines of a rule":       {"sources:\n  docs: {path: docs}\nchannels:\n  - {platform: slack, follow: always}\n", "sources:\n  docs: {path: docs}\n" + chatEntry + "channels:\n  - {platform: slack, follow: always}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after, err := config.AddSource("footnote.yaml", []byte(c.before), "chat", chat)
			if err != nil {
				t.Fatal(err)
			}
			if string(after) != c.after {
				t.Errorf("it is now:\n%s\nwant:\n%s", after, c.after)
			}
			f, err := config.ParseFile("footnote.yaml", after)
			if err != nil {
				t.Fatal(err)
			}
			s, ok := f.Source("chat")
			if !ok || s.Slack == nil || len(s.Slack.Channels) != 2 || s.Slack.Channels[1] != "#board: x" || !s.Slack.Public || s.Every != 5*time.Minute {
				t.Errorf("the source is %+v", s)
			}
		})
	}
}

// What cannot be added to is left alone, with the entry to add by hand.
func TestSourcesAreNotAddedWhereTheyCannotBe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, source, want string }{
		"a file with faults":    {"sources:\n  docs: {paths: x}\n", "chat", "footnote.yaml:2: sources.docs.paths is not a setting"},
		"a name that is taken":  {"sources:\n  chat: {path: x}\n", "chat", "has a source chat already: choose another name with --name"},
		"sources in braces":     {"sources: {docs: {path: x}}\n", "chat", "add this below sources: by yourself:\n" + chatEntry},
		"the file in braces":    {"{sources: {docs: {path: x}}}\n", "chat", "add this below sources: by yourself:\n" + chatEntry},
		"a name with a comma":   {"", "a, b", "cannot be called"},
		"a name out of the way": {"", "../x", "cannot be called"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if after, err := config.AddSource("footnote.yaml", []byte(c.before), c.source, chat); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it is %q with the error %v; want %q", after, err, c.want)
			}
		})
	}
	_, err := config.SourceEntry("chat", []config.Pair{{Key: "slack.public", Value: true}, {Key: "acl", Value: []string{"members"}}})
	if err == nil || !strings.HasPrefix(err.Error(), "sources.chat: base_url, acl") {
		t.Errorf("a faulty entry is told as %v", err)
	}
}

// Whatever a file holds, it says what it said, or is not written.
func FuzzAddSource(f *testing.F) {
	for _, seed := range []string{"", "sources:\n  a: {path: b}\n", "sources:\n  a:\n    path: |+\n     b\n\n\nagents:\n  x: {instructions: y}\n", "\ufeffsources:\n", "\ufeff", "\ufeff# note\r\nsources:\r\n  a: {path: b}\r\n", "sources: &x\n  a: {path: b}\n", "? sources\n: a: {path: b}\n", "sources: ~\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, before string) {
		after, err := config.AddSource("footnote.yaml", []byte(before), "chat", chat)
		if err != nil {
			return
		}
		head := 0
		for head < len(before) && before[head] == after[head] {
			head++
		}
		if !strings.HasSuffix(string(after), before[head:]) {
			t.Errorf("%q has become %q", before, after)
		}
	})
}

// A file is replaced whole, with its mode, and what a link leads to is written in the place of the
// link.
func TestFilesAreReplacedInTheirPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.yaml"), filepath.Join(dir, "footnote.yaml")
	if err := os.Symlink("real.yaml", link); err != nil {
		t.Fatal(err)
	}
	if err := config.WriteFile(link, nil, []byte("one")); err != nil { // the link leads nowhere yet
		t.Fatal(err)
	}
	if err := os.Chmod(real, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := config.WriteFile(link, []byte("one"), []byte("two")); err != nil {
		t.Fatal(err)
	}
	if err := config.WriteFile(link, []byte("one"), []byte("three")); !errors.Is(err, config.ErrChanged) {
		t.Errorf("what another wrote meanwhile is lost: %v", err)
	}
	if err := config.WriteFile(link, nil, []byte("three")); !errors.Is(err, config.ErrChanged) {
		t.Errorf("what another made meanwhile is lost: %v", err)
	}
	data, err := os.ReadFile(real)
	if err != nil || string(data) != "two" {
		t.Errorf("it holds %q, %v", data, err)
	}
	if is, err := os.Stat(real); err != nil || is.Mode().Perm() != 0o640 {
		t.Errorf("its mode is %v, %v", is.Mode(), err)
	}
	if is, err := os.Lstat(link); err != nil || is.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", is, err)
	}
	circle := filepath.Join(dir, "circle")
	if err := os.Symlink("circle", circle); err != nil {
		t.Fatal(err)
	}
	if err := config.WriteFile(circle, nil, nil); err == nil || !strings.Contains(err.Error(), "circle") {
		t.Errorf("a circle of links: %v", err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 3 {
		t.Errorf("there are %v, %v", left, err)
	}
}
