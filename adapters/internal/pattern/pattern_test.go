package pattern_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/adapters/internal/pattern"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"*.md", "a.md", true}, {"*.md", "sub/deep/a.md", true}, {"/a.md", "a.md", true}, {"/a.md", "sub/a.md", false},
		{"sub/*.md", "sub/a.md", true}, {"sub/*.md", "sub/deep/a.md", false}, {"sub/**", "sub/deep/a.md", true}, {"sub/**", "sub", true},
		{"**/*.md", "a.md", true}, {"**/x/**/*.md", "a/x/b/c.md", true}, {"draft-?", "draft-1", true}, {"draft-[0-9]", "draft-x", false},
	} {
		if got := (pattern.List{tt.pattern}).Match(tt.name); got != tt.want {
			t.Errorf("%q of %q: %v", tt.pattern, tt.name, got)
		}
	}
	if err := (pattern.List{"ok", "[a"}).Check(); err == nil || !strings.Contains(err.Error(), "[a") {
		t.Errorf("Check() = %v", err)
	}
	if (pattern.List{}).Match("a") {
		t.Error("no pattern describes everything")
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("**/*.md", "a/b/c.md")
	f.Add("**/**/**/**/x", "a/b/c/d/e/f/g")
	f.Fuzz(func(t *testing.T, written, name string) {
		defer hostiletest.Bound(t, len(written)+len(name), 0)()
		l := pattern.List{written}
		if l.Check() != nil || len(name) > 1000 || strings.Count(written, "**") > 4 {
			return
		}
		if !strings.Contains(written, "/") && l.Match("folder/"+name) != l.Match("other/folder/"+name) {
			t.Errorf("%q is a pattern for names, but its match of %q depends on the folder", written, name)
		}
	})
}
