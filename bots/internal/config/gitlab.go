package config

import (
	"github.com/goccy/go-yaml/ast"
)

// GitLab is what is read of projects of GitLab.
type GitLab struct {
	URL            string   `json:"url,omitempty"` // of an instance; empty: gitlab.com
	Groups         []string `json:"groups,omitempty"`
	Projects       []string `json:"projects,omitempty"`
	Issues         bool     `json:"issues,omitempty"`
	MergeRequests  bool     `json:"merge_requests,omitempty"`
	Wiki           bool     `json:"wiki,omitempty"`
	Files          []string `json:"files,omitempty"`
	PublicProjects string   `json:"public_projects,omitempty"` // members, public, readers
	ManagedDomains []string `json:"managed_domains,omitempty"`
}

var gitlabSystem = system{
	key:     "gitlab",
	set:     func(s *Systems) bool { return s.GitLab != nil },
	read:    func(r *fileReader, s *Systems) func(string, ast.Node) { return r.gitlab(&s.GitLab) },
	readers: "GitLab: each project is read by those who may read it there, and gitlab.files says which files are read",
	keys: []FileKey{
		{"sources.NAME.gitlab", "the keys below it", "", "projects of GitLab.com or an instance of your own, each read by those who may read it there. See gitlab.md"},
		{"sources.NAME.gitlab.url", "an address", "https://gitlab.com", "of an instance of your own"},
		{"sources.NAME.gitlab.groups", "a list of paths", "", "groups that are read with their subgroups, such as acme/platform"},
		{"sources.NAME.gitlab.projects", "a list of paths", "", "projects that are read, such as acme/handbook; without groups and projects, all that the token's account is a member of, and all of the instance for an administrator"},
		{"sources.NAME.gitlab.issues", "true or false", "true", "issues with their comments are read"},
		{"sources.NAME.gitlab.merge_requests", "true or false", "true", "merge requests with their comments are read"},
		{"sources.NAME.gitlab.wiki", "true or false", "true", "wikis are read"},
		{"sources.NAME.gitlab.files", "a list", `["*.md"]`, "patterns of the files of the default branch that are read; [none] for none"},
		{"sources.NAME.gitlab.public_projects", "members, public or readers", "members", "who may read what is in public projects: full members of the workspace, everyone, or members of the project"},
		{"sources.NAME.gitlab.managed_domains", "a list of domains", "", "domains whose addresses your GitLab vouches for: addresses of accounts below them identify people in the chat"},
	},
}

// gitlab reads what of GitLab is a source. By default issues, merge requests, wikis and Markdown
// are read.
func (r *fileReader) gitlab(to **GitLab) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		g := &GitLab{Issues: true, MergeRequests: true, Wiki: true}
		r.fields(path, n,
			field{"url", r.url(&g.URL)},
			field{"groups", r.texts(&g.Groups)},
			field{"projects", r.texts(&g.Projects)},
			field{"issues", r.yes(&g.Issues)},
			field{"merge_requests", r.yes(&g.MergeRequests)},
			field{"wiki", r.yes(&g.Wiki)},
			field{"files", r.texts(&g.Files)},
			field{"public_projects", word(&r.reader, &g.PublicProjects, "members", "public", "readers")},
			field{"managed_domains", r.texts(&g.ManagedDomains)},
		)
		switch {
		case g.Files == nil:
			g.Files = []string{"*.md"}
		case len(g.Files) == 1 && g.Files[0] == "none":
			g.Files = nil
		}
		*to = g
	}
}
