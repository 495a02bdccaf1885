package gitlab_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/gitlab"
	"github.com/footnotehq/footnote/adapters/gitlab/gitlabtest"
	"github.com/footnotehq/footnote/core/crawl/crawltest"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

func TestVanishedIssues(t *testing.T) {
	t.Parallel()
	crawltest.Vanish(t, func(t *testing.T) crawltest.Vanishing {
		t.Helper()
		s := newSite(t, func(o *gitlab.Options) { o.Groups = []string{"acme"} })
		acme := s.Group(nil, "acme", gitlabtest.Public)
		app, lib := s.Project(acme, "app", gitlabtest.Private), s.Project(acme, "lib", gitlabtest.Private)
		issues := make([]*gitlabtest.Thing, 260)
		for i := range issues {
			issues[i] = s.Add(&gitlabtest.Thing{Kind: gitlabtest.Issue, Project: app, Title: fmt.Sprint("Issue ", i), Text: "text"})
		}
		s.Add(&gitlabtest.Thing{Kind: gitlabtest.Issue, Project: lib, Title: "Of lib", Text: "text"})
		return crawltest.Vanishing{
			Sync:  func() (index.Run, error) { s.Again(); return s.Sync(t.Context()) },
			Nodes: func() index.NodeReader { return s.Connector },
			Store: func() []index.Entry { return s.Store.Entries(sourcetest.Tenant) },
			Puts:  s.Store.Puts, Pass: s.Pass, Scope: len(issues), Other: 1, Sweep: 25 * time.Hour,
			Omit: func(n int) {
				s.Do(func() {
					for i, issue := range issues {
						issue.Deleted = i < n
					}
				})
			},
			Lose: func(lost bool) { s.Do(func() { app.Deleted = lost }) },
			Broken: map[string]func(bool){
				"a repeated cursor": func(on bool) { s.Switch(func(is *gitlabtest.Switches) { is.Circle = on }) },
			},
		}
	})
}
