package jira_test

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/atlassian/atlassiantest"
	"github.com/footnotehq/footnote/adapters/internal/attacktest"
	"github.com/footnotehq/footnote/adapters/jira"
	"github.com/footnotehq/footnote/adapters/jira/jiratest"
	"github.com/footnotehq/footnote/core/index"
)

// hostile is a source with projects, issues, security levels, roles, comments and groups.
func hostile(cloud bool) func(testing.TB) attacktest.Source {
	return func(t testing.TB) attacktest.Source {
		s := newSite(t, cloud, nil)
		ada, eve := s.User("ada"), s.User("eve")
		red := s.Group("red", ada)
		for _, key := range []string{"ENG", "OPS"} {
			p := s.Project(key, users, jiratest.Holder{Type: "projectRole", Role: roleA})
			s.Do(func() { p.Roles[roleA] = []any{ada, red} })
			level := s.Level(p, "Staff", jiratest.Holder{Type: "group", Group: red})
			first := s.Add(&jiratest.Issue{Project: p, Summary: "The printer hums", Text: "Since Monday.", Reporter: ada})
			s.Add(&jiratest.Issue{Project: p, Summary: "The merger", Text: "With Initech.", Level: level, Parent: first})
			for range 30 { // more than an issue shows of its comments
				s.Comment(first, &jiratest.Comment{Author: ada, Text: "It hums again."})
			}
		}
		config := configOf(s.Server)
		return attacktest.Source{
			Name: "Jira", Secrets: []string{s.Token}, URL: s.URL, Intercept: s.Intercept, Pass: s.Pass,
			People: []string{ada.ID, eve.ID},
			Open: func() (index.Connector, error) {
				client, err := jira.New(config)
				if err != nil {
					return nil, err
				}
				return jira.NewConnector(client, s.options)
			},
		}
	}
}

func TestHostileServer(t *testing.T) {
	atlassiantest.Deployments(t, func(t *testing.T, cloud bool) { attacktest.Run(t, hostile(cloud)) })
}

func TestLittleMemoryHostileCloud(t *testing.T) { attacktest.RunBombs(t, 512<<20, hostile(true)) }

func TestLittleMemoryHostileDataCenter(t *testing.T) {
	attacktest.RunBombs(t, 512<<20, hostile(false))
}
