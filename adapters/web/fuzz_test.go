package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
)

func FuzzRobots(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /a*b$\nCrawl-delay: 1e9\n", "/axb")
	f.Add("\ufeffuser-agent:footnote\nallow:/\ndisallow:/*?\nsitemap: x", "/?")
	f.Add("disallow: /\nuser-agent\n", "/")
	f.Add("User-Agent:*\nDisAllow:*", "\xf9")
	f.Fuzz(func(t *testing.T, text, name string) {
		defer hostiletest.Bound(t, len(text)+len(name), 0)()
		r := parseRobots(text)
		if r.delay < 0 || r.delay > longestDelay {
			t.Errorf("delay %v", r.delay)
		}
		if len(r.rules) == 0 && !r.allows(name) {
			t.Errorf("%q is forbidden without a rule", name)
		}
		same := octets(name)
		r.rules = append(r.rules, rule{same, true})
		if !strings.ContainsAny(name, "*$") && !r.allows(name) && len(name) > 0 {
			for _, other := range r.rules {
				if len(other.pattern) > len(same) {
					return // a longer pattern decides
				}
			}
			t.Errorf("%q is forbidden although it is allowed word for word", name)
		}
	})
}

func FuzzSitemap(f *testing.F) {
	f.Add([]byte("<urlset><url><loc>https://a.example/</loc><lastmod>2024-01-01</lastmod></url></urlset>"))
	f.Add([]byte("<sitemapindex><sitemap><loc> x </loc></sitemap></sitemapindex>"))
	f.Add([]byte("\x1f\x8b\x08"))
	f.Add([]byte("<html><url>"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		defer hostiletest.Bound(t, len(raw), 0)()
		pages, maps, err := parseSitemap(t.Context(), raw)
		if len(pages) > 0 && len(maps) > 0 || len(pages)+len(maps) > sitemapEntries {
			t.Errorf("%d pages and %d sitemaps, %v", len(pages), len(maps), err)
		}
	})
}

// Whatever a page links to, what is followed lies inside and has one name.
func FuzzLinks(f *testing.F) {
	f.Add(`<base href="/x/"><a href="../docs/a?utm_source=1#y">x</a><link rel=canonical href=//evil><meta name=robots content=none>`)
	f.Add(`<a href="https://docs.example:443/docs/%2e%2e/x;jsessionid=1">`)
	where, err := newScope("https://docs.example/docs/")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defer hostiletest.Bound(t, len(text), 0)()
		for _, to := range readDirections(text, where.start).links {
			cleaned := clean(to)
			if !where.holds(cleaned) || endless(cleaned) {
				continue
			}
			if strings.Contains(cleaned.Path+"/", "/../") || !strings.HasPrefix(cleaned.Path, "/docs") {
				t.Errorf("%s leads out", cleaned)
			}
			if again := clean(cleaned); again.String() != cleaned.String() {
				t.Errorf("%s becomes %s and then %s", to, cleaned, again)
			}
			if cleaned.Host != where.start.Host && cleaned.Host != "docs.example" {
				t.Errorf("%s is taken for a page of %s", cleaned, where.start.Host)
			}
		}
	})
}

func TestRobotsPatterns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"/a", "/ab", true}, {"/a$", "/ab", false}, {"/a$", "/a", true}, {"/*.php", "/x/y.php?z", true}, {"/*.php$", "/y.php?z", false}, {"*", "/x", true},
		{"/a*c", "/abcd", true}, {"/a*c$", "/abcd", false}, {"/a*b*c", "/acb", false}, {"/a*$", "/anything", true}, {"", "/x", true},
	} {
		if got := matches(tt.pattern, tt.name); got != tt.want {
			t.Errorf("matches(%q, %q) = %v", tt.pattern, tt.name, got)
		}
	}
}

func TestEndlessAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://a.example/guide/install": false, "https://a.example/x/y/x/y": false, "https://a.example/x/x/x": true, "https://a.example/docs/%2e%2e/secret": true,
		"https://a.example/" + strings.Repeat("a/b/", 3):                          true,
		"https://a.example/?" + strings.Repeat("q", 2000):                         true,
		"https://a.example/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18/19/20/21": true,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := endless(u); got != want {
			t.Errorf("endless(%s) = %v", address, got)
		}
	}
}
