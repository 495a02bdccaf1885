package confluence_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/confluence"
	"github.com/footnotehq/footnote/adapters/confluence/confluencetest"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess/pgaccesstest"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

func TestMeasured(t *testing.T) {
	t.Parallel()
	sourcetest.Measure(t, "../../deploy/decisions/0073-how-late-rights-are-lost.md", "confluence", confluence.Looks, func(t *testing.T) sourcetest.Measured {
		w := &suiteWorld{Server: confluencetest.NewServer(t, confluencetest.NewWorld(), true), t: t, tick: time.Millisecond}
		ada := w.User("ada")
		staff := w.Group("staff", ada)
		eng, closed := w.Space("ENG", staff, w.Bot), w.Space("OPS", w.Bot)
		page := w.Page(eng, nil, "Page", "<p>common words</p>")
		w.Pass(2 * time.Hour) // what was changed last is read by each run
		w.Page(eng, nil, "Newer", "<p>common words</p>")
		readers := []confluencetest.Subject{w.Bot}
		return sourcetest.Measured{
			Connector: w.Connector(), Now: w.Now, Pass: w.Pass, Document: idOf(page), Person: sourcetest.Accounts(ada.Email)[1],
			Changes: map[index.Change]func(){
				index.ChangeMember:   func() { w.Do(func() { staff.Members = nil }) },
				index.ChangeAccount:  func() { w.Do(func() { ada.Inactive = true }) },
				index.ChangeNode:     func() { w.Do(func() { eng.View = readers }) },
				index.ChangeDocument: func() { w.Do(func() { page.Read = readers }) },
				index.ChangeMove:     func() { w.Do(func() { page.Space = closed }) },
				index.ChangeDeletion: func() { w.Purge(page) },
			},
		}
	}, pgaccesstest.Open(t))
}
