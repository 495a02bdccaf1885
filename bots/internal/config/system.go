package config

import (
	"time"

	"github.com/footnotehq/footnote/adapters/confluence"
	"github.com/footnotehq/footnote/adapters/gdrive"
	"github.com/footnotehq/footnote/adapters/github"
	"github.com/footnotehq/footnote/adapters/gitlab"
	"github.com/footnotehq/footnote/adapters/jira"
	"github.com/footnotehq/footnote/adapters/notion"
	"github.com/goccy/go-yaml/ast"
)

// Systems holds the settings of the system that a source reads, such as Slack or GitHub. Each of
// these systems has its own permissions. At most one field is set.
type Systems struct {
	// Slack is for messages in channels of the bot's own workspace.
	Slack *SlackHistory `json:"slack,omitempty"`
	// Discord is for messages in channels of one of the bot's servers.
	Discord     *DiscordHistory      `json:"discord,omitempty"`
	GitHub      *github.Settings     `json:"github,omitempty"`       // repositories
	Confluence  *confluence.Settings `json:"confluence,omitempty"`   // spaces of a site
	GoogleDrive *gdrive.Settings     `json:"google_drive,omitempty"` // shared drives, and people's own
	Jira        *jira.Settings       `json:"jira,omitempty"`         // projects of a site
	Notion      *notion.Settings     `json:"notion,omitempty"`       // pages of a workspace
	GitLab      *gitlab.Settings     `json:"gitlab,omitempty"`       // projects
}

// system describes how one field of Systems appears in the file. To add a system, add a field to
// Systems and a row to systems.
type system struct {
	key  string
	set  func(*Systems) bool
	read func(*fileReader, *Systems) func(path string, n ast.Node)
	// readers is the system's name with a description of its permissions, which replace acl,
	// include and exclude.
	readers string
	keys    []FileKey // rows of the table of the file's keys
	stated  Stated    // zero if no adapter declares it
}

var systems = []system{
	slackSystem, discordSystem,
	stated(github.Statement(), func(s *Systems) **github.Settings { return &s.GitHub }),
	stated(confluence.Statement(), func(s *Systems) **confluence.Settings { return &s.Confluence }),
	stated(gdrive.Statement(), func(s *Systems) **gdrive.Settings { return &s.GoogleDrive }),
	stated(jira.Statement(), func(s *Systems) **jira.Settings { return &s.Jira }),
	stated(notion.Statement(), func(s *Systems) **notion.Settings { return &s.Notion }),
	stated(gitlab.Statement(), func(s *Systems) **gitlab.Settings { return &s.GitLab }),
}

// systemEvery is short because changed permissions take effect at the next read.
const systemEvery = 5 * time.Minute

func (s *Systems) all() []system {
	var set []system
	for _, one := range systems {
		if one.set(s) {
			set = append(set, one)
		}
	}
	return set
}

// System returns the key of the source's system, such as "slack". It returns "" for a folder, a web
// site or a Git repository.
func (s Systems) System() string {
	if set := s.all(); len(set) > 0 {
		return set[0].key
	}
	return ""
}

// Chat reports whether the source is the message history of a chat platform.
func (s Systems) Chat() bool { return s.Slack != nil || s.Discord != nil }

// Reads reports whether a source of the file reads the system with that key, such as "slack".
func (f *File) Reads(system string) bool {
	for _, s := range f.Sources {
		if s.System() == system {
			return true
		}
	}
	return false
}

func systemKeys() []string {
	keys := make([]string, len(systems))
	for i, s := range systems {
		keys[i] = s.key + ":"
	}
	return keys
}
