package confluence_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/confluence/confluencetest"
	"github.com/footnotehq/footnote/adapters/internal/atlassian/atlassiantest"
	"github.com/footnotehq/footnote/core/crawl/crawltest"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

func TestVanishedPages(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		crawltest.Vanish(t, func(t *testing.T) crawltest.Vanishing {
			t.Helper()
			s := newSite(t, cloud, nil)
			eng, ops := s.Space("ENG", s.Site[0]), s.Space("OPS", s.Site[0])
			pages := make([]*confluencetest.Content, 60)
			for i := range pages {
				pages[i] = s.Page(eng, nil, "page", "<p>text</p>")
			}
			s.Page(ops, nil, "page", "<p>text</p>")
			list := func(answer func(w http.ResponseWriter, r *http.Request, fake http.HandlerFunc)) func(bool) {
				return func(on bool) {
					s.Intercept(nil)
					s.Switch(func(is *confluencetest.Switches) { is.Short = map[bool]int{true: 20}[on] })
					if on {
						s.Intercept(func(w http.ResponseWriter, r *http.Request, fake http.HandlerFunc) {
							if !strings.HasSuffix(r.URL.Path, "/pages") && !strings.HasSuffix(r.URL.Path, "/rest/api/content") {
								fake(w, r)
								return
							}
							answer(w, r, fake)
						})
					}
				}
			}
			later := func(r *http.Request) bool {
				start := r.URL.Query().Get("start")
				return r.URL.Query().Has("cursor") || start != "" && start != "0"
			}
			return crawltest.Vanishing{
				Sync:  func() (index.Run, error) { s.Again(); return s.Sync(t.Context()) },
				Nodes: func() index.NodeReader { return s.Connector },
				Store: func() []index.Entry { return s.Store.Entries(sourcetest.Tenant) },
				Puts:  s.Store.Puts, Pass: s.Pass, Scope: len(pages), Other: 1, Sweep: time.Hour,
				Omit: func(n int) {
					s.Do(func() {
						for i, p := range pages {
							if p.Status = "current"; i < n {
								p.Status = "draft"
							}
						}
					})
				},
				Lose: func(lost bool) { s.Do(func() { eng.Archived = lost }) },
				Broken: map[string]func(bool){
					"a part fails": list(func(w http.ResponseWriter, r *http.Request, fake http.HandlerFunc) {
						if later(r) {
							fake = confluencetest.Refuse(http.StatusInternalServerError)
						}
						fake(w, r)
					}),
					"a repeated cursor": list(func(w http.ResponseWriter, r *http.Request, fake http.HandlerFunc) {
						if later(r) {
							q := r.URL.Query()
							q.Del("start")
							q.Del("cursor")
							r.URL.RawQuery = q.Encode()
						}
						fake(w, r)
					}),
				},
			}
		})
	})
}
