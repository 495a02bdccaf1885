package gitlab_test

import (
	"fmt"
	"testing"

	"github.com/footnotehq/footnote/adapters/gitlab"
	"github.com/footnotehq/footnote/adapters/gitlab/gitlabtest"
	"github.com/footnotehq/footnote/adapters/internal/attacktest"
	"github.com/footnotehq/footnote/core/index"
)

// hostile is a source with groups, projects and all that they hold.
func hostile(t testing.TB) attacktest.Source {
	s := newSite(t, func(o *gitlab.Options) { o.Groups = []string{"acme"} })
	ada, eve := s.User("ada"), s.User("eve")
	acme := s.Group(nil, "acme", gitlabtest.Private)
	for _, name := range []string{"app", "ops"} {
		p := s.Project(acme, name, gitlabtest.Private, member(ada, gitlabtest.Reporter))
		for _, thing := range []*gitlabtest.Thing{
			{Kind: gitlabtest.Issue, Title: "The printer hums", Text: "Since Monday."}, {Kind: gitlabtest.Issue, Title: "The merger", Text: "With Initech.", Confidential: true},
			{Kind: gitlabtest.Merge, Title: "Oil", Text: "It is oiled."}, {Kind: gitlabtest.Page, Path: "home", Text: "Welcome."}, {Kind: gitlabtest.File, Path: "README.md", Text: "# Read\n\nThis."},
		} {
			thing.Project = p
			s.Add(thing)
		}
		for range 3 {
			s.Comment(s.Things[len(s.Things)-5], &gitlabtest.Note{Author: ada, Text: "It hums again."})
		}
	}
	return attacktest.Source{
		Name: "GitLab", Secrets: []string{s.Token}, URL: s.URL, Intercept: s.Intercept, Pass: s.Pass, People: []string{fmt.Sprint(ada.ID), fmt.Sprint(eve.ID)},
		Gone: func(attack, target string) bool { // other numbers are other projects
			return attack == "large numbers" && target == "GET /api/vN/groups/acme/projects"
		},
		Open: func() (index.Connector, error) {
			client, err := gitlab.New(configOf(s.Server))
			if err != nil {
				return nil, err
			}
			return gitlab.NewConnector(client, s.options)
		},
	}
}

func TestHostileServer(t *testing.T) { attacktest.Run(t, hostile) }

func TestLittleMemoryHostile(t *testing.T) { attacktest.RunBombs(t, 512<<20, hostile) }
