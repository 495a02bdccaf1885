package web_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/web"
)

// A page is skipped only if it was read after the last moment that its date in the sitemap may mean,
// "in W3C Datetime format … This format allows you to omit the time portion"
// (https://www.sitemaps.org/protocol.html): it may be edited again before that.
func TestSecondEditOfADay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		date, first, second string // when it is read; second: whether it is asked for then
		asked               bool
	}{
		{"2026-11-29", "2026-11-29T10:00:00Z", "2026-11-29T12:00:00Z", true},
		{"2026-11-29", "2026-11-30T11:59:59Z", "2026-12-10T00:00:00Z", true}, // still that day in UTC-12
		{"2026-11-29", "2026-11-30T12:00:01Z", "2026-12-10T00:00:00Z", false},
		{"2026-11", "2026-11-30T10:00:00Z", "2026-12-10T00:00:00Z", true},
		{"2026-11", "2026-12-01T12:00:01Z", "2026-12-10T00:00:00Z", false},
		{"2026", "2026-11-29T10:00:00Z", "2026-12-10T00:00:00Z", true},
		{"2026-11-29T10:00Z", "2026-11-29T10:00:59Z", "2026-12-10T00:00:00Z", true},
		{"2026-11-29T11:00+01:00", "2026-11-29T10:01:01Z", "2026-12-10T00:00:00Z", false},
		{"2026-11-29T10:00:00Z", "2026-11-29T10:00:00.5Z", "2026-12-10T00:00:00Z", true},
		{"2026-11-29T10:00:00+00:00", "2026-11-29T10:00:02Z", "2026-12-10T00:00:00Z", false},
		{"2026-11-29T10:00:00.25Z", "2026-11-29T10:00:02Z", "2026-12-10T00:00:00Z", false},
		{"yesterday", "2026-11-29T10:00:00Z", "2026-12-10T00:00:00Z", true},
	} {
		w := newWebsite(t, map[string]string{"/sitemap.xml": "<urlset><url><loc>HOST/a</loc><lastmod>" + tt.date + "</lastmod></url></urlset>", "/a": page("First", "")})
		var now time.Time
		options := web.Options{URL: w.URL, Now: func() time.Time { return now }}
		i := newIndexer(t)
		title := func(at, text string) string {
			var err error
			if now, err = time.Parse(time.RFC3339, at); err != nil {
				t.Fatal(err)
			}
			w.set("/a", page(text, ""))
			return i.documents(t, i.must(t, options))["/a"]
		}
		title(tt.first, "First")
		want := map[bool]string{true: "Second", false: "First"}[tt.asked]
		if got := title(tt.second, "Second"); got != want {
			t.Errorf("%s, read at %s and at %s: %s", tt.date, tt.first, tt.second, got)
		}
		// whatever was read at the second time is not asked for once the date has passed
		title("2027-02-01T00:00:00Z", "Second")
		w.requests()
		title("2027-02-02T00:00:00Z", "Second")
		if asked := fmt.Sprint(w.requests()); tt.date != "yesterday" && asked != "[/robots.txt 404 /sitemap.xml]" {
			t.Errorf("%s: asked for later: %s", tt.date, asked)
		}
	}
}
