package gitlab_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/gitlab"
	"github.com/footnotehq/footnote/adapters/gitlab/gitlabtest"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess/pgaccesstest"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

func TestMeasured(t *testing.T) {
	t.Parallel()
	sourcetest.Measure(t, "../../deploy/decisions/0073-how-late-rights-are-lost.md", "gitlab", gitlab.Looks, func(t *testing.T) sourcetest.Measured {
		w := &suiteWorld{Server: gitlabtest.NewServer(t, gitlabtest.NewWorld()), t: t, tick: time.Millisecond}
		ada := w.User("ada")
		team := w.Group(nil, "team", gitlabtest.Private, member(ada, gitlabtest.Guest))
		app := w.Project(team, "app", gitlabtest.Private)
		issue := w.Add(&gitlabtest.Thing{Kind: gitlabtest.Issue, Project: app, Title: "Issue", Text: "common words"})
		w.Pass(2 * time.Hour) // what was changed last is read by each run
		w.Add(&gitlabtest.Thing{Kind: gitlabtest.Issue, Project: app, Title: "Newer", Text: "common words"})
		return sourcetest.Measured{
			Connector: w.Connector(), Now: w.Now, Pass: w.Pass, Document: idOf(issue), Person: sourcetest.Accounts(ada.Email)[1],
			Changes: map[index.Change]func(){
				index.ChangeMember:   func() { w.Do(func() { team.Members = nil }) },
				index.ChangeAccount:  func() { w.Do(func() { ada.Blocked = true }) },
				index.ChangeNode:     func() { w.Do(func() { app.IssuesLevel = gitlabtest.Disabled }) },
				index.ChangeDocument: func() { w.Server.Edit(issue, func() { issue.Confidential = true }) },
				index.ChangeDeletion: func() { w.Delete(issue) },
			},
		}
	}, pgaccesstest.Open(t))
}
