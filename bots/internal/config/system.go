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

// Systems are those that a source can be and that say themselves who may read what is in them; nil
// for what the source is not.
type Systems struct {
	// what was said in the channels of the bot's own workspace
	Slack *SlackHistory `json:"slack,omitempty"`
	// likewise, of one of the bot's servers
	Discord     *DiscordHistory      `json:"discord,omitempty"`
	GitHub      *github.Settings     `json:"github,omitempty"`       // repositories
	Confluence  *confluence.Settings `json:"confluence,omitempty"`   // spaces of a site
	GoogleDrive *gdrive.Settings     `json:"google_drive,omitempty"` // shared drives, and people's own
	Jira        *jira.Settings       `json:"jira,omitempty"`         // projects of a site
	Notion      *notion.Settings     `json:"notion,omitempty"`       // pages of a workspace
	GitLab      *gitlab.Settings     `json:"gitlab,omitempty"`       // projects
}

// system is how one of them stands in the file. A new one that its adapter states is a field of
// Systems and a row here.
type system struct {
	key  string
	set  func(*Systems) bool
	read func(*fileReader, *Systems) func(path string, n ast.Node)
	// its name, and who says instead of acl, include and exclude who may read it and what is read
	readers string
	keys    []FileKey // rows of the table of the file's keys
	stated  Stated    // zero where no adapter states it
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

// systemEvery is how often a system is read where the file does not say: what it says of who may
// read it counts from then on.
const systemEvery = 5 * time.Minute

// all are the systems that are set.
func (s *Systems) all() []system {
	var set []system
	for _, one := range systems {
		if one.set(s) {
			set = append(set, one)
		}
	}
	return set
}

// System is the key of the system that a source is; empty for a folder, a site or a repository of
// files.
func (s Systems) System() string {
	if set := s.all(); len(set) > 0 {
		return set[0].key
	}
	return ""
}

// Chat reports whether the source is what was said on a chat platform.
func (s Systems) Chat() bool { return s.Slack != nil || s.Discord != nil }

// Reads reports whether one of the sources is a system, by its key.
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
