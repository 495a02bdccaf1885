package github_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/github"
	"github.com/footnotehq/footnote/adapters/github/githubtest"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess/pgaccesstest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
	"pgregory.net/rapid"
)

// organization is GitHub as the suite sees it: an organisation with single sign-on, whose members'
// addresses are those of their accounts.
type organization struct {
	*githubtest.Server
	t     *testing.T
	org   *githubtest.Org
	users []*githubtest.User // the last one never becomes a member
	teams []*githubtest.Team

	mu      sync.Mutex
	repos   []*githubtest.Repo // those that are there
	ever    []place
	names   int
	deleted time.Duration // passes after a deletion
	edited  index.Change
}

// place is a document that there was at some time.
type place struct {
	repo   *githubtest.Repo
	thread *githubtest.Thread
	id     document.ID
}

func newOrganization(t *testing.T) func(*rapid.T) *organization {
	return func(rt *rapid.T) *organization {
		world := githubtest.NewWorld()
		w := &organization{Server: githubtest.NewServer(t, world), t: t, deleted: 25 * time.Hour, org: world.Org("acme", "none")}
		w.org.HasSSO = true
		for i := range 5 {
			u := world.User(fmt.Sprintf("user%d", i))
			u.SAML = fmt.Sprintf("p%d@%s", i, sourcetest.Domain)
			w.users = append(w.users, u)
			w.org.Member[u] = i < 3
		}
		w.org.Owners[w.users[0]] = true
		w.teams = []*githubtest.Team{world.Team(w.org, nil, w.users[1])}
		w.teams = append(w.teams, world.Team(w.org, w.teams[0], w.users[2]))
		for i, visibility := range []string{githubtest.Private, githubtest.Private, githubtest.Internal, githubtest.Public} {
			w.repos = append(w.repos, world.Repo(w.org, fmt.Sprintf("r%d", i), visibility))
			w.open(w.repos[i])
		}
		for range rapid.IntRange(0, 10).Draw(rt, "edits at first") {
			w.Edit(rt)
		}
		return w
	}
}

func (w *organization) open(r *githubtest.Repo) {
	th := w.Open(r, []string{"issue", "pull", "discussion"}[len(w.ever)%3], "A thread", "common words", w.users[0])
	w.note(r, th)
}

func (w *organization) note(r *githubtest.Repo, th *githubtest.Thread) {
	w.ever = append(w.ever, place{r, th, document.ID(fmt.Sprintf("github-code:%d:%s:%d", r.ID, th.Kind, th.Number))})
}

// Connector implements sourcetest.World.
func (w *organization) Connector() index.Connector {
	client, err := github.New(github.Config{
		URL: w.URL, CAFile: w.CAFile, Credential: github.Credential{Token: w.Token}, AllowHosts: []string{"127.0.0.1"}, Every: time.Microsecond, Pause: time.Microsecond, Now: w.Now,
	})
	if err != nil {
		w.t.Error(err)
	}
	c, err := github.NewConnector(client, github.Options{Name: "code", Organization: "acme", Issues: true, PullRequests: true, Discussions: true})
	if err != nil {
		w.t.Error(err)
	}
	return c
}

// Edit implements sourcetest.World.
func (w *organization) Edit(t *rapid.T) {
	w.mu.Lock()
	defer w.mu.Unlock()
	u, r := rapid.SampledFrom(w.users).Draw(t, "person"), rapid.SampledFrom(w.repos).Draw(t, "repository")
	team, on := rapid.SampledFrom(w.teams).Draw(t, "team"), rapid.Bool().Draw(t, "on")
	visibility := rapid.SampledFrom([]string{githubtest.Private, githubtest.Private, githubtest.Internal, githubtest.Public}).Draw(t, "visibility")
	w.names++
	name := fmt.Sprintf("name%d", w.names)
	what := rapid.IntRange(0, 16).Draw(t, "edit")
	w.edited = map[int]index.Change{
		0: index.ChangeNode, 1: index.ChangeNode, 2: index.ChangeNode, 3: index.ChangeNode, 4: index.ChangeMember, 5: index.ChangeMember, 6: index.ChangeMember,
		7: index.ChangeMember, 8: index.ChangeNode, 9: index.ChangeNode, 11: index.ChangeNode, 14: index.ChangeDeletion, 15: index.ChangeAccount, 16: index.ChangeNode,
	}[what]
	switch what {
	case 0, 1:
		w.Do(func() { r.Visibility = visibility })
	case 2, 3: // a right of one's own, which an invitation is not yet
		w.Do(func() {
			delete(r.Direct, u)
			if r.Invited[u] = rapid.IntRange(0, 3).Draw(t, "invited") == 0; on {
				r.Direct[u] = "read"
			}
		})
	case 4, 5:
		if u != w.users[len(w.users)-1] {
			w.Do(func() { w.org.Member[u], w.org.Owners[u] = on, false })
		}
	case 6:
		w.Do(func() { w.org.Owners[u] = on && w.org.Member[u] })
	case 7:
		w.Do(func() { team.Members[u] = on })
	case 8:
		w.Do(func() {
			if delete(r.Teams, team); on {
				r.Teams[team] = "read"
			}
		})
	case 9:
		w.Do(func() { w.org.Base = map[bool]string{true: "read", false: "none"}[on] })
	case 10:
		w.Rename(r, name)
	case 11:
		at := slices.Index(w.repos, r)
		w.repos[at] = w.Recreate(r, visibility)
		w.open(w.repos[at])
	case 12:
		if len(w.repos) < 6 {
			w.repos = append(w.repos, w.Repo(w.org, name, visibility))
			w.open(w.repos[len(w.repos)-1])
		}
	case 13:
		w.open(r)
	case 14: // a deletion that GitHub's counts do not show is seen within a day
		if p := rapid.SampledFrom(w.ever).Draw(t, "document"); slices.Contains(p.repo.Threads, p.thread) {
			w.DeleteThread(p.repo, p.thread)
			w.Pass(w.deleted)
		}
	case 15: // somebody is called otherwise, and single sign-on knows them by another address
		w.Do(func() {
			u.Login = name
			u.SAML = fmt.Sprintf("p%d@%s", rapid.IntRange(0, 4).Draw(t, "address"), sourcetest.Domain)
		})
	case 16: // the credential loses a repository, or gets it back
		w.Do(func() { r.Hidden = on })
	}
}

// Fault implements sourcetest.World.
func (w *organization) Fault(t *rapid.T) func() {
	for range rapid.IntRange(1, 4).Draw(t, "faults") {
		f := githubtest.Fault{Path: rapid.SampledFrom([]string{"/orgs/acme/repos", "/members", "/collaborators", "graphql:", "graphql:Names", "graphql:Repositories", ""}).Draw(t, "where")}
		switch rapid.IntRange(0, 4).Draw(t, "fault") {
		case 0:
			f.Answer = githubtest.Refuse(http.StatusBadGateway, "Bad gateway")
		case 1:
			f.Answer = githubtest.Refuse(http.StatusForbidden, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.", "Retry-After", "3600")
		case 2:
			f.Answer = githubtest.Refuse(http.StatusTooManyRequests, "Too many requests", "Retry-After", "0")
		case 3:
			f.Answer = func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte(`{"data": null, "errors": [{"message": "Something went wrong while executing your query."}]}`))
			}
		}
		w.Faults.Add(f, rapid.IntRange(0, 12).Draw(t, "after"), rapid.IntRange(1, 12).Draw(t, "times"))
	}
	return w.Faults.Mend
}

// Revoke implements sourcetest.World.
func (w *organization) Revoke() func() {
	w.Server.Revoke(true)
	return func() { w.Server.Revoke(false) }
}

func account(address string) access.Account {
	return access.Account{Workspace: access.Workspace{Platform: "slack", ID: "T1"}, ID: "U" + address, Email: address + "@" + sourcetest.Domain, Full: true}
}

// People implements sourcetest.World.
func (w *organization) People() []access.Account {
	var all []access.Account
	for i := range 5 {
		all = append(all, account(fmt.Sprintf("p%d", i)))
	}
	return append(all, account("nobody"))
}

// Documents implements sourcetest.World.
func (w *organization) Documents() []document.ID {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []document.ID
	for _, p := range w.ever {
		all = append(all, p.id)
	}
	return all
}

// MayRead implements sourcetest.World: somebody is the member of the organisation to whom its
// single sign-on gives their address, if that is one. The operator has public repositories read by
// every member of the workspace, which all accounts are.
func (w *organization) MayRead(who access.Account, d document.ID) bool {
	w.mu.Lock()
	at := slices.IndexFunc(w.ever, func(p place) bool { return p.id == d })
	p := w.ever[at]
	w.mu.Unlock()
	var them []*githubtest.User
	there, public := false, false
	w.Do(func() {
		there = slices.Contains(w.World.Repos, p.repo) && slices.Contains(p.repo.Threads, p.thread) && !p.repo.Hidden
		public = p.repo.Visibility == githubtest.Public
		for _, u := range w.users {
			if w.org.Member[u] && strings.EqualFold(u.SAML, who.Email) {
				them = append(them, u)
			}
		}
	})
	return there && (public || len(them) == 1 && w.World.MayRead(them[0], p.repo))
}

func TestMain(m *testing.M) { sourcetest.Main(m) }

// Whoever is shown a document may open it at GitHub, whatever is changed, fails and is stopped; and
// once all is quiet the other way round.
func TestSourceSuite(t *testing.T) {
	t.Parallel()
	world := newOrganization(t)
	sourcetest.Suite(t, func(rt *rapid.T) sourcetest.World { return world(rt) }, pgaccesstest.Open(t))
}

// A right is not lost later than Looks say, as a server reads the organisation without webhooks.
func TestLate(t *testing.T) {
	t.Parallel()
	world := newOrganization(t)
	sourcetest.Late(t, github.Looks, func(rt *rapid.T) sourcetest.Clocked {
		w := world(rt)
		w.deleted = 0
		return w
	}, pgaccesstest.Open(t))
}

// Edited implements sourcetest.Clocked.
func (w *organization) Edited() index.Change { return w.edited }
