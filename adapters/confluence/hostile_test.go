package confluence_test

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/confluence"
	"github.com/footnotehq/footnote/adapters/confluence/confluencetest"
	"github.com/footnotehq/footnote/adapters/internal/atlassian/atlassiantest"
	"github.com/footnotehq/footnote/adapters/internal/attacktest"
	"github.com/footnotehq/footnote/core/index"
)

// hostile is a source with spaces, pages within pages, restrictions, comments and groups.
func hostile(cloud bool) func(testing.TB) attacktest.Source {
	return func(t testing.TB) attacktest.Source {
		var config confluence.Config
		s := newSite(t, cloud, func(o *confluence.Options, c *confluence.Config) {
			o.Comments = true
			config = *c
		})
		ada, eve := s.User("ada"), s.User("eve")
		s.Group("red", ada)
		for _, key := range []string{"ENG", "OPS"} {
			space := s.Space(key, s.Site[0])
			home := s.Page(space, nil, "Home", "<p>Welcome.</p>")
			secret := s.Page(space, home, "Secret", "<p>Much.</p>")
			s.Do(func() { secret.Read = []confluencetest.Subject{ada, s.Bot} })
			s.Page(space, secret, "Below", "<p>More.</p>")
			s.Add(&confluencetest.Content{Type: "blogpost", Space: space, Title: "News", Body: "<p>Nothing.</p>", Author: ada})
			s.Add(&confluencetest.Content{Type: "comment", Space: space, Parent: home, Body: "<p>Is it?</p>", Author: ada})
		}
		return attacktest.Source{
			Name: "Confluence", Secrets: []string{s.Token}, URL: s.URL, Intercept: s.Intercept, Pass: s.Pass,
			People: []string{ada.ID, eve.ID},
			Gone: func(attack, target string) bool { // ids of Data Center are numbers: others are other spaces
				return (attack == "large numbers" || attack == "texts for numbers") && target == "GET /rest/api/space"
			},
			Open: func() (index.Connector, error) {
				client, err := confluence.New(config)
				if err != nil {
					return nil, err
				}
				return confluence.NewConnector(client, s.options)
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
