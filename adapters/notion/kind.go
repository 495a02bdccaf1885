package notion

import (
	"fmt"

	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sources"
)

const tokenEnv = "NOTION_TOKEN"

// Statement describes Notion as a kind of source: its setup, settings and permissions.
func Statement() sources.Kind {
	return sources.Kind{
		Name: string(Kind), Title: "pages and databases of a Notion workspace",
		Help:   "pages of a Notion workspace that an integration is shown. Notion does not say who may read a page, so you say it here. See notion.md",
		Access: "Notion: notion.readers says which pages are read, and who may read each",
		Steps: []string{
			"As an owner of the workspace, open www.notion.so/profile/integrations → New integration. Choose the type Internal and the workspace that is to be " +
				"read. It needs no webhook.",
			"Under Capabilities keep Read content, and choose Read user information without email addresses for people's names. Turn off inserting, updating and " +
				"comments.",
			"Copy the Internal Integration Secret.",
			"On each page or database that is to be read, choose ••• → Connections and add the integration. It sees that page and everything below it.",
			"NOTION DOES NOT SAY WHO MAY READ A PAGE, so you do: name each of these pages with its readers. They may read everything below the page here, whatever " +
				"Notion says, down to the next page that you name. Pages below no named page are not read, and a page without readers is read by NO ONE.",
		},
		Rights: []sources.Right{
			{Name: "Read content", Reason: "pages, databases and what stands on them"},
			{Name: "Read user information without email addresses", Reason: "the names of people in properties; without it they are left out"},
		},
		Credentials: []sources.Credential{{Env: tokenEnv, Help: "secret of the internal integration with which sources of Notion are read"}},
		Secret: sources.Secret{
			Env: tokenEnv, What: "the Internal Integration Secret, which begins with ntn_",
			Set: func(value func(string) string) bool { return value(tokenEnv) != "" },
		},
		Bound: "Your list under readers decides who may read a page, because Notion's API does not say. The nearest named page above it counts. A change of readers " +
			"holds five minutes after footnote serve has read its configuration again. A page that is moved, deleted or taken from the integration is noticed by " +
			"the next pass, which looks at a hundred pages a request, three requests a second.",
		Paused: "it is hidden from everyone",
		Unit:   "pages with readers",
		Empty:  "the integration is shown none of the pages under readers: add it to them under ••• → Connections",
		Looks:  Looks,
		Source: SourceOf,
		New:    func() sources.Settings { return &Settings{Readers: make(sources.Lists)} },
	}
}

// Settings are a source's settings in footnote.yaml.
type Settings struct {
	Readers sources.Lists `json:"readers"` // access lists by the address or id of a page or database
	Files   bool          `json:"files,omitempty"`
	URL     string        `json:"url,omitempty"` // base URL of the API; empty: Notion's own
}

// Settings implements sources.Settings.
func (s *Settings) Settings() []sources.Setting {
	return []sources.Setting{
		{
			Key: "readers", Bind: &s.Readers, Needed: true,
			Ask:    "Which pages, and who may read each with all below it (ADDRESS=members, ADDRESS=group:finance+group:board; an address alone is read by no one)?",
			Values: "addresses of pages and databases, each with an access list",
			Help:   "who may read the page and everything below it, down to the next page that is named here. Nothing behind an address: no one may. What is below no such page is not read",
		},
		{Key: "files", Bind: &s.Files, Values: "true or false", Default: "false", Help: "files on pages are read, as far as files of a folder are"},
		{
			Key: "url", Bind: sources.Address{To: &s.URL}, Values: "an address", Default: "Notion's own",
			Help: "of the API, with a slash at its end: for a proxy between here and Notion",
		},
	}
}

// Fault implements sources.Settings.
func (s *Settings) Fault(path string) string {
	if len(s.Readers) > 0 {
		return ""
	}
	return fmt.Sprintf("%s names no page: write readers: with the address of each page and who may read what is below it", path)
}

// Open implements sources.Settings.
func (s *Settings) Open(o sources.Opening) (index.Connector, error) {
	client, err := sources.Client(o.Clients, string(Kind), s.URL, func() (*Client, error) {
		return New(Config{URL: s.URL, Token: o.Credential(tokenEnv), AllowHosts: o.AllowHosts, CAFile: o.CAFile})
	})
	if err != nil {
		return nil, err
	}
	options := Options{Name: o.Name, Readers: s.Readers, Wanted: o.Wanted, MaxBytes: min(o.MaxBytes, MostOfFile)}
	if s.Files {
		options.Read = o.Read
	}
	return NewConnector(client, options)
}
