package jira_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian/atlassiantest"
	"github.com/footnotehq/footnote/adapters/jira/jiratest"
	"github.com/footnotehq/footnote/core/crawl/crawltest"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

func TestVanishedIssues(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) {
		crawltest.Vanish(t, func(t *testing.T) crawltest.Vanishing {
			t.Helper()
			s := newSite(t, cloud, nil)
			eng, ops := s.Project("ENG", users), s.Project("OPS", users)
			ids := make([]string, 60)
			for i := range ids {
				ids[i] = s.Issue(eng, "issue", "text").ID
			}
			s.Issue(ops, "issue", "text")
			search := func(change func(*jiratest.Switches, bool)) func(bool) {
				return func(on bool) {
					if !on {
						s.Intercept(nil)
						return
					}
					s.Intercept(func(w http.ResponseWriter, r *http.Request, fake http.HandlerFunc) {
						s.Switch(func(is *jiratest.Switches) { change(is, strings.Contains(r.URL.Path, "/search")) })
						fake(w, r)
						s.Switch(func(is *jiratest.Switches) { change(is, false) })
					})
				}
			}
			broken := map[string]func(bool){
				"its place is forgotten": search(func(is *jiratest.Switches, on bool) { is.Short, is.Expired = map[bool]int{true: 7}[on], on }),
				"a repeated place":       search(func(is *jiratest.Switches, on bool) { is.Circle = on }),
			}
			if !cloud { // which counts
				broken["it is shorter than it says"] = search(func(is *jiratest.Switches, on bool) { is.Cut = map[bool]int{true: 10}[on] })
				delete(broken, "its place is forgotten")
			}
			return crawltest.Vanishing{
				Sync:  func() (index.Run, error) { s.Again(); return s.Sync(t.Context()) },
				Nodes: func() index.NodeReader { return s.Connector },
				Store: func() []index.Entry { return s.Store.Entries(sourcetest.Tenant) },
				Puts:  s.Store.Puts, Pass: s.Pass, Scope: len(ids), Other: 1, Sweep: time.Hour, Broken: broken,
				Omit: func(n int) {
					s.Switch(func(is *jiratest.Switches) {
						is.Unindexed = make(map[string]bool)
						for _, id := range slices.Clone(ids[:n]) {
							is.Unindexed[id] = true
						}
					})
				},
				Lose: func(lost bool) { s.Do(func() { eng.Archived = lost }) },
			}
		})
	})
}
