package gdrive_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/gdrive/gdrivetest"
	"github.com/footnotehq/footnote/core/crawl/crawltest"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

func TestVanishedFiles(t *testing.T) {
	t.Parallel()
	crawltest.Vanish(t, func(t *testing.T) crawltest.Vanishing {
		t.Helper()
		p := newPlace(t, nil)
		ada := p.User("ada")
		team, other := p.Drive("Team", reader(ada)), p.Drive("Other", reader(ada))
		files := make([]*gdrivetest.File, 60)
		for i := range files {
			files[i] = p.File(team, "a.txt", "text")
		}
		for range 200 { // much more than is missing
			p.File(other, "b.txt", "text")
		}
		members := team.Members
		return crawltest.Vanishing{
			Sync:  func() (index.Run, error) { p.Again(); return p.Sync(t.Context()) },
			Nodes: func() index.NodeReader { return p.Connector },
			Store: func() []index.Entry { return p.Store.Entries(sourcetest.Tenant) },
			Puts:  p.Store.Puts, Pass: p.Pass, Scope: len(files), Other: 200, Sweep: 2 * time.Hour,
			Omit: func(n int) {
				p.Do(func() { // no log says so
					for i, f := range files {
						f.Gone = i < n
					}
				})
			},
			Lose: func(lost bool) {
				p.Do(func() {
					if team.Members = members; lost {
						team.Members = members[1:] // without the reader
					}
				})
			},
			Broken: map[string]func(bool){
				"it says so":       func(on bool) { p.Switch(func(is *gdrivetest.Switches) { is.Incomplete = on }) },
				"a repeated place": func(on bool) { p.Switch(func(is *gdrivetest.Switches) { is.Circle = on }) },
			},
		}
	})
}
