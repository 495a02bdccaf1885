package body_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian/body"
	"github.com/footnotehq/footnote/adapters/internal/goldentest"
	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/core/document"
)

func about(title string, newEditor bool) body.About {
	return body.About{
		Site: "https://acme.example/wiki/", Page: "https://acme.example/wiki/spaces/ENG/pages/7", Space: "ENG", Title: title, NewEditor: newEditor,
		Person: func(id string) string {
			return map[string]string{"5b10ac8d82e05b22cc7d4ef5": "Ada Lovelace", "ff8080810001": "Grace Hopper"}[id]
		},
	}
}

// The pages were written by hand, from the vendor's description of the storage format
// (https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html) and from what its
// editors are known to save.
func TestPagesInStorageFormat(t *testing.T) {
	t.Parallel()
	goldentest.Sections(t, ".storage", func(source string) (string, []document.Section) {
		sections, err := body.Storage(t.Context(), source, about("Team Handbook", strings.Contains(source, "ac:layout")))
		if err != nil {
			t.Fatal(err)
		}
		return "", sections
	})
}

// The page was written by hand, from the vendor's schema
// (https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/).
func TestPagesInDocumentFormat(t *testing.T) {
	t.Parallel()
	goldentest.Sections(t, ".adf", func(source string) (string, []document.Section) {
		sections, err := body.ADF(t.Context(), source, about("Portal", true))
		if err != nil {
			t.Fatal(err)
		}
		return "", sections
	})
}

// The text was written by hand, from the vendor's description
// (https://jira.atlassian.com/secure/WikiRendererHelpAction.jspa?section=all).
func TestTextsInWikiMarkup(t *testing.T) {
	t.Parallel()
	goldentest.Sections(t, ".wiki", func(source string) (string, []document.Section) {
		of := about("ENG-1", false)
		of.NoAnchors = true
		of.Person = func(id string) string { return map[string]string{"ada": "Ada Lovelace", "5b10": "Grace Hopper"}[id] }
		sections, err := body.Wiki(t.Context(), source, of)
		if err != nil {
			t.Fatal(err)
		}
		return "", sections
	})
}

func TestWhatIsNoDocumentFormatIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "null", "[]", `{"type":"page"}`, `{"type":"doc","content":7}`, strings.Repeat(`{"type":"doc","content":[`, 20_000)} {
		if _, err := body.ADF(t.Context(), text, body.About{}); !errors.Is(err, body.ErrForm) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

func TestReadingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	if _, err := body.Storage(ctx, strings.Repeat("<p>x</p>", 10_000), body.About{}); !errors.Is(err, why) {
		t.Error(err)
	}
	if _, err := body.Wiki(ctx, strings.Repeat("{code}x{code}", 10_000), body.About{}); !errors.Is(err, why) {
		t.Error(err)
	}
	page := `{"type":"doc","content":[` + strings.Repeat(`{"type":"paragraph"},`, 10_000) + `{"type":"rule"}]}`
	if _, err := body.ADF(ctx, page, body.About{}); !errors.Is(err, why) {
		t.Error(err)
	}
}

func TestReadingIsLinear(t *testing.T) {
	hostiletest.Linear(t, func(text string) {
		if _, err := body.Storage(t.Context(), text, about("T", false)); err != nil {
			t.Error(err)
		}
		if _, err := body.Wiki(t.Context(), text, about("T", false)); err != nil {
			t.Error(err)
		}
	})
}

func TestHostileMarkup(t *testing.T) {
	t.Parallel()
	for name, part := range map[string]string{
		"open code": "{code}\n", "other code": "{code:x}a{noformat}b", "braces": "{{{", "brackets": "[a|", "addresses": "[http://a {color:b http://c ", "marks": "*a_b+", "pictures": "!a.png|",
		"bars": "||a|", "deep items": "################ a\n# b\n", "macros": "{panel:title=x}\n", "escapes": `\*`, "breaks": `\\`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // what takes the square of its length takes far longer
			defer cancel()
			if _, err := body.Wiki(ctx, strings.Repeat(part, (1<<18)/len(part)), about("T", false)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestHostilePages(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]func(n int) string{
		"open elements": func(n int) string { return strings.Repeat("<div>", n/5) },
		"open macros": func(n int) string {
			return strings.Repeat(`<ac:structured-macro ac:name="panel"><ac:rich-text-body>`, n/55)
		},
		"open parameters": func(n int) string { return strings.Repeat(`<ac:parameter ac:name="x">y`, n/27) },
		"open links":      func(n int) string { return strings.Repeat(`<ac:link><a href="https://x">z`, n/30) },
		"open headings":   func(n int) string { return strings.Repeat("<h1>a", n/5) },
		"equal headings":  func(n int) string { return strings.Repeat("<h1>a</h1>", n/10) },
		"stray ends":      func(n int) string { return "<b>" + strings.Repeat("</ac:link>", n/10) },
		"cut data":        func(n int) string { return "<![CDATA[" + strings.Repeat("]]", n/2) },
		"attributes":      func(n int) string { return "<p " + strings.Repeat("a=b ", n/4) + ">" },
		"tasks":           func(n int) string { return strings.Repeat("<ac:task-list><ac:task><ac:task-body>", n/37) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // what takes the square of a megabyte takes hours
			defer cancel()
			if _, err := body.Storage(ctx, text(1<<20), about("T", false)); err != nil {
				t.Error(err)
			}
		})
	}
}

func FuzzStorage(f *testing.F) {
	f.Add(`<ac:link><ri:user ri:account-id="x"/></ac:link><h1><ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[x]]></ac:plain-text-body></h1>`)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := body.Storage(t.Context(), text, about("T", true)); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzADF(f *testing.F) {
	f.Add(`{"type":"doc","content":[{"type":"heading","attrs":{"level":-3},"content":[{"type":"text","text":"a"}]}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := body.ADF(t.Context(), text, about("T", true)); err != nil && !errors.Is(err, body.ErrForm) {
			t.Fatal(err)
		}
	})
}

func FuzzWiki(f *testing.F) {
	f.Add("h1. a\n* b\n## c\n||d||e|\n{code}x{code}[f|g]{{h}} !i.png! *j* \\\\ [~k]")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := body.Wiki(t.Context(), text, about("T", true)); err != nil {
			t.Fatal(err)
		}
	})
}
