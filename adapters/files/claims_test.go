package files_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/google/go-cmp/cmp"
)

// What documents say about themselves, and what of it is believed.

func TestAccess(t *testing.T) {
	t.Parallel()
	got := read(t, files.Options{ACL: access.ACL{"group:hr", "members", "user:slack:U1"}, Path: folder(t, map[string]string{
		"plain.md":    "text",
		"narrow.md":   "---\nacl: group:hr\n---\ntext",
		"several.md":  "---\nacl:\n  - group:hr\n  - user:slack:U1\n---\ntext",
		"capital.md":  "---\nACL: group:hr\n---\ntext",
		"open.md":     "---\ntitle: x\nacl: group:hr\n\ntext",
		"example.md":  "---\n\nFor example:\n\nacl: group:hr",
		"wide.md":     "---\nacl: public\n---\ntext",
		"page.html":   "---\nacl: group:hr\n---\n<p>text",
		"note.txt":    "---\nacl: group:hr\n---\ntext",
		"guests.md":   "---\nacl: channel:slack:C1\n---\ntext",
		"another.md":  "---\nacl: user:slack:U2\n---\ntext",
		"one-more.md": "---\nacl: members, group:eng\n---\ntext",
		"mistyped.md": "---\nacl: grup:hr\n---\ntext",
		"empty.md":    "---\nacl:\n---\ntext",
		"broken.md":   "---\ntitle: [\nacl: group:hr\n---\ntext",
	})})
	source := access.ACL{"group:hr", "members", "user:slack:U1"}
	want := map[string]access.ACL{
		"plain.md": source, "narrow.md": {"group:hr"}, "several.md": {"group:hr", "user:slack:U1"}, "wide.md": source,
		"page.html": {"group:hr"}, "note.txt": {"group:hr"}, "capital.md": {"group:hr"}, "example.md": source,
	}
	acls := make(map[string]access.ACL)
	for name, d := range got.docs {
		acls[name] = d.ACL
	}
	if diff := cmp.Diff(want, acls); diff != "" {
		t.Errorf("access lists (-want +got):\n%s", diff)
	}
	for name, what := range map[string]string{
		"open.md": "Correct", "mistyped.md": "Correct", "empty.md": "Correct", "broken.md": "Correct", "guests.md": "Use only", "another.md": "Use only", "one-more.md": "Use only",
	} {
		if !strings.Contains(got.failures[name], what) || !strings.HasSuffix(got.failures[name], index.ErrWithdrawn.Error()) {
			t.Errorf("%s: %q does not say what to do", name, got.failures[name])
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	contents := map[string]string{
		"plain.md":              "text",
		"sub/with space & ü.md": "text",
		"own.md":                "---\nurl: https://docs.example.org/own\n---\ntext",
		"link.md":               "---\nlink: /linked#part\n---\ntext",
		"foreign.md":            "---\nurl: https://evil.example.com/own\n---\ntext",
		"user.md":               "---\nurl: https://docs.example.org@evil.example.com/\n---\ntext",
		"userinfo.md":           "---\nurl: https://me:secret@docs.example.org/\n---\ntext",
		"script.md":             "---\nurl: javascript:alert(1)\n---\ntext",
		"canonical.html":        `<link rel="canonical" href="https://DOCS.example.org/c"><p>text`,
		"spec.html":             "<!--{\"Title\": \"Spec\", \"Path\": \"/ref/spec\"}--><p>text",
		"stolen.html":           `<link rel="canonical" href="//evil.example.com/c"><p>text`,
		"wiki.md":               "---\nurl: https://wiki.example.net/x\n---\ntext",
	}
	tests := []struct {
		name string
		base string
		host []string
		want map[string]string
	}{
		{"published", "https://docs.example.org/guide", []string{"wiki.example.net"}, map[string]string{
			"plain.md":              "https://docs.example.org/guide/plain.md",
			"sub/with space & ü.md": "https://docs.example.org/guide/sub/with%20space%20&%20%C3%BC.md",
			"own.md":                "https://docs.example.org/own",
			"link.md":               "https://docs.example.org/linked#part",
			"foreign.md":            "https://docs.example.org/guide/foreign.md",
			"user.md":               "https://docs.example.org/guide/user.md",
			"userinfo.md":           "https://docs.example.org/guide/userinfo.md",
			"script.md":             "https://docs.example.org/guide/script.md",
			"canonical.html":        "https://DOCS.example.org/c",
			"spec.html":             "https://docs.example.org/ref/spec",
			"stolen.html":           "https://docs.example.org/guide/stolen.html",
			"wiki.md":               "https://wiki.example.net/x",
		}},
		{"on this machine", "", nil, map[string]string{
			"plain.md":              "file://ROOT/plain.md",
			"sub/with space & ü.md": "file://ROOT/sub/with%20space%20&%20%C3%BC.md",
			"own.md":                "file://ROOT/own.md",
			"link.md":               "file://ROOT/link.md",
			"foreign.md":            "file://ROOT/foreign.md",
			"user.md":               "file://ROOT/user.md",
			"userinfo.md":           "file://ROOT/userinfo.md",
			"script.md":             "file://ROOT/script.md",
			"canonical.html":        "file://ROOT/canonical.html",
			"spec.html":             "file://ROOT/spec.html",
			"stolen.html":           "file://ROOT/stolen.html",
			"wiki.md":               "file://ROOT/wiki.md",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := folder(t, contents)
			urls := make(map[string]string)
			for name, d := range read(t, files.Options{Path: root, BaseURL: tt.base, Hosts: tt.host}).docs {
				urls[name] = strings.Replace(d.URL, "file://"+root, "file://ROOT", 1)
			}
			if diff := cmp.Diff(tt.want, urls); diff != "" {
				t.Errorf("addresses (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFrontMatter(t *testing.T) {
	t.Parallel()
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for i := range 20 {
		name := string(rune('b' + i))
		last := string(rune('a' + i))
		bomb += name + ": &" + name + " [*" + strings.Join(slices.Repeat([]string{last}, 9), ",*") + "]\n"
	}
	got := read(t, files.Options{Path: folder(t, map[string]string{
		"full.md":    "---\ntitle: \"The *best* guide\"\ntags: [ops, 7]\nlang: de-AT\nother: {x: 1}\n---\n# Heading\n",
		"tags.md":    "---\ntags: ops, dr\n...\ntext",
		"rule.md":    "---\n\nText after a rule.\n\n---\n\nMore.",
		"not.md":     "---\njust text\n---\nmore",
		"invalid.md": "---\ntags: x\ntitle: [\n---\ntext",
		"spoken.md":  "---\ntitle: Backups: how to\nlang: de\n---\ntext",
		"endless.md": "---\n" + strings.Repeat("a: b\n", 100_000),
		"bomb.md":    "---\n" + bomb + "---\ntext",
		"only.md":    "---\ntitle: Only\n---",
	})})
	type want struct{ title, tags, language, text string }
	for name, w := range map[string]want{
		"full.md":   {"The *best* guide", "ops, 7", "de", "# Heading"},
		"tags.md":   {"tags", "ops, dr", "", "text"},
		"rule.md":   {"rule", "", "", "Text after a rule.\n\nMore."},
		"not.md":    {"just text", "", "", "## just text\n\nmore"},
		"spoken.md": {"Backups: how to", "", "de", "text"},
		"only.md":   {"Only", "", "", ""},
	} {
		d := got.docs[name]
		if diff := cmp.Diff(w, want{d.Title, d.Metadata["tags"], d.Language, d.Text()}, cmp.AllowUnexported(want{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if _, ok := got.docs["endless.md"]; !ok {
		t.Errorf("endless.md was not read: %v", got.failures["endless.md"])
	}
	for name, want := range map[string]string{"invalid.md": "(line 3: ", "bomb.md": "anchors"} {
		if !strings.Contains(got.failures[name], want) || !strings.Contains(got.failures[name], "Correct it") {
			t.Errorf("%s: %q, want what is wrong with %q and what to do", name, got.failures[name], want)
		}
	}
}
