package jira_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/jira"
	"github.com/footnotehq/footnote/adapters/jira/jiratest"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess/pgaccesstest"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

func TestMeasured(t *testing.T) {
	t.Parallel()
	sourcetest.Measure(t, "../../deploy/decisions/0073-how-late-rights-are-lost.md", "jira", jira.Looks, func(t *testing.T) sourcetest.Measured {
		w := &suiteWorld{Server: jiratest.NewServer(t, jiratest.NewWorld(), true), t: t, tick: time.Millisecond}
		ada := w.User("ada")
		staff := w.Group("staff", ada)
		bot := jiratest.Holder{Type: "user", User: w.Bot}
		eng, closed := w.Project("ENG", jiratest.Holder{Type: "group", Group: staff}, bot), w.Project("OPS", bot)
		board := w.Level(eng, "Board")
		w.Do(func() { board.Members = nil })
		issue := w.Issue(eng, "Issue", "common words")
		w.Pass(2 * time.Hour) // what was changed last is read by each run
		w.Issue(eng, "Newer", "common words")
		return sourcetest.Measured{
			Connector: w.Connector(), Now: w.Now, Pass: w.Pass, Document: idOf(issue), Person: sourcetest.Accounts(ada.Email)[1],
			Changes: map[index.Change]func(){
				index.ChangeMember:  func() { w.Do(func() { staff.Members = nil }) },
				index.ChangeAccount: func() { w.Do(func() { ada.Inactive = true }) },
				index.ChangeNode:    func() { w.Do(func() { eng.Browse = eng.Browse[1:] }) },
				// The account that reads is not on the level, so that no list tells of it.
				index.ChangeDocument: func() { w.Server.Edit(issue, func() { issue.Level = board }) },
				index.ChangeMove:     func() { w.Move(issue, closed) },
				index.ChangeDeletion: func() { w.Delete(issue) },
			},
		}
	}, pgaccesstest.Open(t))
}
