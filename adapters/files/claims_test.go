package files_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
	gocmp "github.com/google/go-cmp/cmp"
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
	if diff := gocmp.Diff(want, acls); diff != "" {
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
	contents := map[string]string{"plain.md": "text", "sub/with space & ü.md": "text", "taken.md": "text",
		"docs/50% off.md": "text", "%41.md": "text", "%2e%2e/%2e%2e%2fother.md": "text", "a,b;c:d.md": "text", "what? #1.md": "text"}
	const base = "https://docs.example.org/guide"
	claims := map[string]string{ // believed where something stands behind the claim
		"https://docs.example.org/guide/own":                          "https://docs.example.org/guide/own",
		"/guide/linked#part":                                          "https://docs.example.org/guide/linked#part",
		"relative/page":                                               "https://docs.example.org/guide/relative/page",
		"https://DOCS.example.org:443/guide/c":                        "https://docs.example.org/guide/c",
		"https://docs.example.org/guide/x/../y":                       "https://docs.example.org/guide/y",
		"https://docs.example.org/guide":                              "https://docs.example.org/guide",
		"https://docs.example.org/guide/?v=2":                         "https://docs.example.org/guide/?v=2",
		"https://docs.example.org/other":                              "",
		"https://docs.example.org/guidebook":                          "",
		"https://docs.example.org/":                                   "",
		"/other":                                                      "",
		"../other":                                                    "",
		"https://docs.example.org/guide/../other":                     "",
		"https://docs.example.org/guide/%2e%2e/other":                 "",
		"https://docs.example.org/guide/..%2fother":                   "",
		"https://docs.example.org/guide/x%2f..%2f..%2fy":              "",
		"https://docs.example.org/guide/..%5cother":                   "",
		"https://docs.example.org/guide/..\\other":                    "",
		"https://docs.example.org//guide/../other":                    "",
		"https://docs.example.org/GUIDE/own":                          "",
		"https://docs.example.org./guide/own":                         "",
		"https://docs.example.org:8443/guide/own":                     "",
		"http://docs.example.org/guide/own":                           "",
		"https://evil.example.com/guide/own":                          "",
		"//evil.example.com/guide/own":                                "",
		"https://docs.example.org@evil.example.com/":                  "",
		"https://me:secret@docs.example.org/guide/own":                "",
		"javascript:alert(1)":                                         "",
		"https:docs.example.org/guide/own":                            "",
		"https://docs.example.org/guide/taken.md":                     "", // another file has it
		"https://docs.example.org/guide/./taken.md":                   "",
		"https://docs.example.org/guide/" + strings.Repeat("x", 3000): "",
	}
	names := make(map[string]string)
	for claim := range claims {
		name := fmt.Sprintf("claim%d.md", len(names))
		names[name], contents[name] = claim, "---\nurl: '"+claim+"'\n---\ntext"
	}
	contents["spec.html"] = "<!--{\"Title\": \"Spec\", \"Path\": \"/guide/ref/spec\"}--><p>text"
	contents["stolen.html"] = `<link rel="canonical" href="//evil.example.com/c"><p>text`
	root := folder(t, contents)
	published, local := read(t, files.Options{Path: root, BaseURL: base}).docs, read(t, files.Options{Path: root}).docs
	for name, claim := range names {
		want, own := claims[claim], base+"/"+name
		if d := published[name]; d.URL != cmp.Or(want, own) || want != "" && d.OwnURL != own || want == "" && d.OwnURL != "" {
			t.Errorf("whoever claims %s gets %s, own address %q, want %s", claim, d.URL, d.OwnURL, cmp.Or(want, own))
		}
		if d := local[name]; d.URL != "file://"+root+"/"+name {
			t.Errorf("without a base, whoever claims %s gets %s", claim, d.URL)
		}
	}
	for name, want := range map[string]string{
		"plain.md": base + "/plain.md", "sub/with space & ü.md": base + "/sub/with%20space%20&%20%C3%BC.md", "spec.html": base + "/ref/spec", "stolen.html": base + "/stolen.html",
		"docs/50% off.md": base + "/docs/50%25%20off.md", "%41.md": base + "/%2541.md", "%2e%2e/%2e%2e%2fother.md": base + "/%252e%252e/%252e%252e%252fother.md",
		"a,b;c:d.md": base + "/a,b;c:d.md", "what? #1.md": base + "/what%3F%20%231.md",
	} {
		if published[name].URL != want {
			t.Errorf("%s has the address %s, want %s", name, published[name].URL, want)
		}
	}
	const branch = "https://code.example/acme/app/blob/release%2F50%25"
	for _, written := range []string{branch, branch + "/"} {
		if got := read(t, files.Options{Path: root, BaseURL: written}).docs["docs/50% off.md"].URL; got != branch+"/docs/50%25%20off.md" {
			t.Errorf("below %s: %s", written, got)
		}
	}
}

// A document never gets an address that another one has, of its own source or of any other.
func TestTakenAddresses(t *testing.T) {
	t.Parallel()
	const base = "https://docs.example.org/"
	store := new(indextest.Store)
	index := func(options files.Options) map[string]string {
		t.Helper()
		c, err := files.New(options)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := newPipeline(t, store).Run(t.Context(), access.DefaultTenant, c, nil); err != nil {
			t.Fatal(err)
		}
		found := make(map[string]string)
		for _, e := range store.Entries(access.DefaultTenant) {
			if _, name, ok := strings.Cut(string(e.Document.ID), ":"); ok && e.Document.Source == c.Source().ID {
				found[name] = e.Document.URL
			}
		}
		return found
	}
	index(files.Options{Path: folder(t, map[string]string{"pay.md": "The true page."}), BaseURL: base + "hr"})
	root := folder(t, map[string]string{
		"a.md": "---\nurl: /hr/pay.md\n---\nA forged page.", "b.md": "---\nurl: /free\n---\nThe first.", "c.md": "---\nurl: /free\n---\nThe second.",
	})
	want := map[string]string{"a.md": base + "a.md", "b.md": base + "free", "c.md": base + "c.md"}
	for range 2 {
		if diff := gocmp.Diff(want, index(files.Options{Path: root, BaseURL: base})); diff != "" {
			t.Errorf("addresses (-want +got):\n%s", diff)
		}
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
		"full.md":    "---\ntitle: \"The *best* guide\"\ntags: [ops, 7]\nlang: de-AT\nother: {x: 1}\nstatus: retired\nreview:\n  - yearly\n  - 2026-01-02\nlayout: page\nlong: " + strings.Repeat("x", 300) + "\n---\n# Heading\n",
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
		if diff := gocmp.Diff(w, want{d.Title, d.Metadata["tags"], d.Language, d.Text()}, gocmp.AllowUnexported(want{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	said := map[string]string{"status": "retired", "review": "yearly, 2026-01-02", "tags": "ops, 7"}
	if diff := gocmp.Diff(said, got.docs["full.md"].Metadata); diff != "" {
		t.Errorf("what the front matter says (-want +got):\n%s", diff)
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
