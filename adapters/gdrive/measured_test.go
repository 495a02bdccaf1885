package gdrive_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/gdrive"
	"github.com/footnotehq/footnote/adapters/gdrive/gdrivetest"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess/pgaccesstest"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

func TestMeasured(t *testing.T) {
	t.Parallel()
	sourcetest.Measure(t, "../../deploy/decisions/0073-how-late-rights-are-lost.md", "google_drive", gdrive.Looks, func(t *testing.T) sourcetest.Measured {
		w := &suiteWorld{Server: gdrivetest.NewServer(t, gdrivetest.NewWorld()), t: t, tick: time.Millisecond}
		ada := w.User("ada")
		staff := w.Group("staff", ada)
		team, closed := w.Drive("Team", gdrivetest.Grant{To: staff, Role: "reader"}), w.Drive("Closed")
		file := w.File(team, "file.txt", "common words")
		w.Pass(2 * time.Hour) // what was changed last is read by each run
		w.File(team, "newer.txt", "common words")
		return sourcetest.Measured{
			Connector: w.Connector(), Now: w.Now, Pass: w.Pass, Document: idOf(file), Person: sourcetest.Accounts(ada.Email)[1],
			Changes: map[index.Change]func(){
				index.ChangeMember:   func() { w.Do(func() { staff.Members = nil }) },
				index.ChangeAccount:  func() { w.Do(func() { ada.Suspended = true }) },
				index.ChangeNode:     func() { w.Do(func() { team.Members = team.Members[:1] }) },
				index.ChangeDocument: func() { w.Change(file, func() { file.Limited = true }) },
				index.ChangeMove:     func() { w.Move(file, closed) },
				index.ChangeDeletion: func() { w.Delete(file) },
			},
		}
	}, pgaccesstest.Open(t))
}
