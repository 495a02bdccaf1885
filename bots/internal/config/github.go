package config

import (
	"github.com/goccy/go-yaml/ast"
)

// GitHub is what is read of an organisation's repositories, or of some.
type GitHub struct {
	URL                string   `json:"url,omitempty"` // of a GitHub Enterprise Server; empty: github.com
	Organization       string   `json:"organization,omitempty"`
	Repositories       []string `json:"repositories,omitempty"` // owner/name
	Issues             bool     `json:"issues,omitempty"`
	PullRequests       bool     `json:"pull_requests,omitempty"`
	Discussions        bool     `json:"discussions,omitempty"`
	Wiki               bool     `json:"wiki,omitempty"`
	Files              []string `json:"files,omitempty"`
	PublicRepositories string   `json:"public_repositories,omitempty"` // members, public or readers; empty: members
}

var githubSystem = system{
	key:     "github",
	set:     func(s *Systems) bool { return s.GitHub != nil },
	read:    func(r *fileReader, s *Systems) func(string, ast.Node) { return r.github(&s.GitHub) },
	readers: "GitHub: each repository is read by whoever may read it there, and github.files says which files are read",
	keys: []FileKey{
		{"sources.NAME.github", "the keys below it", "", "repositories of GitHub or a GitHub Enterprise Server, each read by whoever may read it there. See github.md"},
		{"sources.NAME.github.url", "an address", "https://github.com", "of a GitHub Enterprise Server"},
		{"sources.NAME.github.organization", "a name", "", "all of its repositories that the credential was given; either this or repositories"},
		{"sources.NAME.github.repositories", "a list of owner/name", "", "these alone"},
		{"sources.NAME.github.issues", "true or false", "true", "issues with their comments are read"},
		{"sources.NAME.github.pull_requests", "true or false", "true", "pull requests with their comments and reviews are read"},
		{"sources.NAME.github.discussions", "true or false", "true", "discussions are read"},
		{"sources.NAME.github.wiki", "true or false", "true", "wikis are read"},
		{"sources.NAME.github.files", "a list", `["*.md"]`, "patterns of the files of the default branch that are read; [none] for none"},
		{"sources.NAME.github.public_repositories", "members, public or readers", "members", "who may read what is in public repositories: full members of the workspace, everybody, or those whom the repository names"},
	},
}

// github reads what of GitHub is a source. Where nothing is chosen, it is what people write:
// issues, pull requests, discussions and Markdown.
func (r *fileReader) github(to **GitHub) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		g := &GitHub{}
		issues, pulls, talks, wiki := true, true, true, true
		before := len(r.faults)
		r.fields(path, n,
			field{"url", r.url(&g.URL)},
			field{"organization", r.text(&g.Organization)},
			field{"repositories", r.texts(&g.Repositories)},
			field{"issues", r.yes(&issues)},
			field{"pull_requests", r.yes(&pulls)},
			field{"discussions", r.yes(&talks)},
			field{"wiki", r.yes(&wiki)},
			field{"files", r.texts(&g.Files)},
			field{"public_repositories", word(&r.reader, &g.PublicRepositories, "members", "public", "readers")},
		)
		g.Issues, g.PullRequests, g.Discussions, g.Wiki = issues, pulls, talks, wiki
		switch {
		case g.Files == nil:
			g.Files = []string{"*.md"}
		case len(g.Files) == 1 && g.Files[0] == "none":
			g.Files = nil
		}
		if (g.Organization == "") == (len(g.Repositories) == 0) && len(r.faults) == before {
			r.fault(n, "%s names no repositories, or names them twice: write organization: NAME for all that the credential was given, or repositories: [OWNER/NAME] for some", path)
		}
		*to = g
	}
}
