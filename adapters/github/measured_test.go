package github_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/github"
	"github.com/footnotehq/footnote/adapters/github/githubtest"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess/pgaccesstest"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
)

func TestMeasured(t *testing.T) {
	t.Parallel()
	sourcetest.Measure(t, "../../deploy/decisions/0073-how-late-rights-are-lost.md", "github", github.Looks, func(t *testing.T) sourcetest.Measured {
		world := githubtest.NewWorld()
		w := &organization{Server: githubtest.NewServer(t, world), t: t, org: world.Org("acme", "none")}
		owner, ada := world.User("owner"), world.User("ada")
		ada.SAML = "ada@" + sourcetest.Domain
		w.org.HasSSO, w.org.Member[owner], w.org.Owners[owner], w.org.Member[ada] = true, true, true, true
		team := world.Team(w.org, nil, ada)
		w.users = []*githubtest.User{owner}
		app := world.Repo(w.org, "app", githubtest.Private)
		app.Teams[team] = "read"
		w.open(app)
		w.Pass(2 * time.Hour) // what was changed last is read by each run
		w.Open(app, "issue", "Newer", "common words", owner)
		return sourcetest.Measured{
			Connector: w.Connector(), Now: w.Now, Pass: w.Pass, Document: w.ever[0].id, Person: account("ada"),
			Changes: map[index.Change]func(){
				index.ChangeMember:  func() { w.Do(func() { delete(team.Members, ada) }) },
				index.ChangeAccount: func() { w.Do(func() { ada.SAML = "other@" + sourcetest.Domain }) },
				index.ChangeNode:    func() { w.Do(func() { delete(app.Teams, team) }) },
				index.ChangeDeletion: func() { // another one comes meanwhile, so that the number of issues does not show it
					w.DeleteThread(app, app.Threads[0])
					w.Open(app, "issue", "Another", "common words", owner)
				},
			},
		}
	}, pgaccesstest.Open(t))
}
