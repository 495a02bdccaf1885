package wire

import (
	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/adapters/notion"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/index"
)

func connectNotion(c *clients, s config.Source) (index.Connector, error) {
	cfg := c.config
	client, err := c.notion.client(s.Notion.URL, func() (*notion.Client, error) {
		return notion.New(notion.Config{URL: s.Notion.URL, Token: cfg.NotionToken.Reveal(), AllowHosts: cfg.PrivateHosts, CAFile: cfg.CAFile})
	})
	if err != nil {
		return nil, err
	}
	options := notion.Options{Name: s.Name, Readers: s.Notion.Readers, Wanted: files.MayHold, MaxBytes: min(c.config.MaxDocumentBytes, notion.MostOfFile)}
	if s.Notion.Files {
		options.Read = c.attached
	}
	return notion.NewConnector(client, options)
}

func notionKind() Kind {
	return Kind{
		Name: "notion", Title: "pages and databases of a Notion workspace",
		Keys: []Key{
			{
				Path: "notion.readers", Sort: Lists, Needed: true,
				Ask: "Which pages, and who may read each with all below it (ADDRESS=members, ADDRESS=group:finance+group:board; an address alone is read by no one)?",
			},
			{Path: "notion.files", Sort: Yes}, {Path: "notion.url"},
			schedule,
		},
		Steps: []string{
			"As an owner of the workspace open www.notion.so/profile/integrations → New integration: type Internal, in the workspace that is to be read. It needs no webhook.",
			"Under Capabilities leave Read content alone, and choose Read user information without email addresses, so that people's names can be written; take away what inserts, updates and comments.",
			"Copy the Internal Integration Secret.",
			"On each page or database that is to be read: ••• → Connections → add the integration. It is shown that page and everything below it.",
			"NOTION DOES NOT SAY WHO MAY READ A PAGE. So you say it: name each of these pages with its readers. Whoever is on the list may read here everything below the page, whatever Notion says, " +
				"down to the next page that you name. What is below no page that you name is not read, and a page without readers is read by NO ONE.",
		},
		Rights: []Right{
			{"Read content", "pages, databases and what stands on them"},
			{"Read user information without email addresses", "the names of people in properties; without it they are left out"},
		},
		Secrets: []Secret{{
			Env: "NOTION_TOKEN", What: "the Internal Integration Secret, which begins with ntn_",
			set: func(c *config.Config) bool { return c.NotionToken != "" },
		}},
		Bound: "Who may read a page is what you say under readers, and not what Notion says: its API does not tell. The nearest page above that is named there decides. A change of readers holds once footnote serve has read its " +
			"configuration again and five minutes have passed; a page that is moved, thrown away or taken from the integration is noticed by the next pass, which looks at a hundred pages a request, three requests a second.",
		Paused: "it is hidden from everyone",
		Unit:   "pages with readers",
		Empty:  "the integration is shown none of the pages under readers: add it to them under ••• → Connections",
		Looks:  notion.Looks,
		holds:  func(s config.Source) bool { return s.Notion != nil },
		source: named(notion.SourceOf), connect: connectNotion,
		check: checked(connectNotion),
	}
}
