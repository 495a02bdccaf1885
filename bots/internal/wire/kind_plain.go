package wire

import (
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/adapters/git"
	"github.com/footnotehq/footnote/adapters/web"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/document"
)

// plainPaused is Kind.Paused for sources without their own permissions.
const plainPaused = "what was read before is still found"

// plainBound is Kind.Bound for sources without their own permissions.
const plainBound = "The people whom acl names. The source has no permissions. A change of acl holds from the next run on."

var readers = Key{Path: "acl", Ask: "Who may read it (public, members, group:NAME …; empty: members)?", Sort: List}

func folderKind() Kind {
	return Kind{
		Name: "folder", Title: "files of a folder on this machine",
		Keys: []Key{
			{Path: "path", Ask: "Which folder or file?", Sort: Folder, Needed: true},
			{Path: "base_url", Ask: "Where is it published, so that answers can link there (https://…; empty: nowhere)?"},
			readers, {Path: "include", Sort: List}, {Path: "exclude", Sort: List}, schedule,
		},
		Bound: plainBound, Paused: plainPaused,
		source:  func(s config.Source) (document.Source, error) { return files.SourceOf(s.Path) },
		connect: connectFolder,
		holds:   func(s config.Source) bool { return s.Path != "" },
		calls: func(given map[string]string) string {
			folder, err := filepath.Abs(given["path"])
			if err != nil {
				return ""
			}
			return filepath.Base(folder)
		},
	}
}

func siteKind() Kind {
	return Kind{
		Name: "site", Title: "pages of a web site",
		Keys: []Key{
			{Path: "url", Ask: "Which address (https://…; everything below it is read)?", Needed: true},
			readers, {Path: "include", Sort: List}, {Path: "exclude", Sort: List}, schedule,
		},
		Bound: plainBound + " A page that begins to ask for a login (401 or 403), or to redirect out of the source, is removed by the next run. " +
			"If these are 20 pages or more and more than a third of all, the site may refuse only the crawler: they are hidden from everyone, and removed after seven days. A hidden page that cannot be read counts as refused. " +
			"If it is the first page, the run fails and removes none of them.",
		Paused:  plainPaused,
		source:  func(s config.Source) (document.Source, error) { return web.SourceOf(s.URL) },
		connect: connectSite,
		holds:   func(s config.Source) bool { return s.URL != "" && !git.IsURL(s.URL) },
		calls: func(given map[string]string) string {
			at, err := url.Parse(given["url"])
			if err != nil {
				return ""
			}
			return at.Hostname()
		},
	}
}

func gitKind() Kind {
	return Kind{
		Name: "git", Title: "files of a Git repository on any server",
		Keys: []Key{
			{Path: "url", Ask: "Which repository (https://….git, with #BRANCH for another branch)?", Needed: true},
			{Path: "base_url", Ask: "Where do people read its files (empty for github.com, gitlab.com and codeberg.org)?"},
			readers, {Path: "include", Sort: List}, {Path: "exclude", Sort: List}, {Path: "commits", Sort: Yes}, schedule,
		},
		Steps: []string{
			"A public repository needs no token. For another one, make a token at the server that may read the contents of this repository alone. " +
				"GitHub: Settings → Developer settings → Fine-grained tokens, with Repository permissions → Contents: Read-only. " +
				"GitLab: a project access token with the role Reporter and read_repository.",
		},
		Rights: []Right{{"reading the repository's contents", "to fetch its files"}},
		Secrets: []Secret{{
			Env: "GIT_TOKENS", What: "the server's name and the token: GIT_TOKENS=git.example.org=TOKEN; only for repositories that are not public",
			Optional: true, set: func(c *config.Config) bool { return len(c.GitTokens) > 0 },
		}},
		Bound:  plainBound + " Permissions at the repository's server are not read.",
		Paused: plainPaused,
		Lacks: func(given map[string]string) string {
			if !git.IsURL(strings.TrimSpace(given["url"])) {
				return "--url holds no address of a repository: write it as for git clone, https://HOST/GROUP/NAME.git"
			}
			return ""
		},
		source:  func(s config.Source) (document.Source, error) { return git.SourceOf(s.URL) },
		connect: connectGit,
		holds:   func(s config.Source) bool { return git.IsURL(s.URL) },
		calls: func(given map[string]string) string {
			at, err := url.Parse(given["url"])
			if err != nil {
				return ""
			}
			return strings.TrimSuffix(path.Base(at.Path), ".git")
		},
	}
}
