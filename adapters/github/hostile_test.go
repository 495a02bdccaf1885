package github_test

import (
	"strconv"
	"testing"

	"github.com/footnotehq/footnote/adapters/github"
	"github.com/footnotehq/footnote/adapters/github/githubtest"
	"github.com/footnotehq/footnote/adapters/internal/attacktest"
	"github.com/footnotehq/footnote/core/index"
)

// hostile is a source with repositories, threads, comments, teams and outside collaborators.
func hostile(t testing.TB) attacktest.Source {
	a := newAcme(t, nil)
	bob, eve := a.User("bob"), a.User("eve")
	a.Do(func() {
		a.org.Member[bob] = true
		a.ada.SAML = "ada@example.com"
	})
	for _, name := range []string{"app", "handbook"} {
		r := a.Repo(a.org, name, githubtest.Private)
		a.Do(func() { r.Direct[bob] = "read" })
		for _, kind := range []string{"issue", "pull", "discussion"} {
			thread := a.Open(r, kind, "The "+kind, "It hums.", bob)
			for range 3 {
				a.Say(thread, a.ada, "It hums again.")
			}
		}
	}
	return attacktest.Source{
		Name: "GitHub", Secrets: []string{a.Token}, URL: a.URL, Intercept: a.Intercept, Pass: a.Pass,
		People: []string{strconv.FormatInt(bob.ID, 10), strconv.FormatInt(eve.ID, 10)},
		Gone: func(attack, target string) bool { // nodes that the credential may not see are null
			return attack == "null in lists" && target == "query Repositories"
		},
		Open: func() (index.Connector, error) {
			client, err := github.New(a.config)
			if err != nil {
				return nil, err
			}
			return github.NewConnector(client, a.options)
		},
	}
}

func TestHostileServer(t *testing.T) { attacktest.Run(t, hostile) }

func TestLittleMemoryHostileServer(t *testing.T) { attacktest.RunBombs(t, 512<<20, hostile) }
