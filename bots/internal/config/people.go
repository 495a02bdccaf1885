package config

import (
	"regexp"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/goccy/go-yaml/ast"
)

// Identity says how accounts of chat platforms are matched to accounts in sources.
type Identity struct {
	Domains []string // e-mail domains in lower case, whose addresses link accounts
}

// Group defines a group for access lists by its Slack user groups and Discord roles.
type Group struct {
	Name    string
	Slack   []string // ids of user groups
	Discord []string // ids of roles
}

// Bound returns the user groups or roles of a platform that belong to a [Group] of the file.
func (f *File) Bound(platform string) []access.BoundGroup {
	var bound []access.BoundGroup
	for _, g := range f.Groups {
		for _, id := range map[string][]string{"slack": g.Slack, "discord": g.Discord}[platform] {
			bound = append(bound, access.BoundGroup{ID: id, Name: g.Name})
		}
	}
	return bound
}

// Rules returns the file's rules for [access.Resolver]: the e-mail domains that link accounts, and
// the groups that count as everyone.
func (f *File) Rules() access.Rules {
	rules := access.Rules{Domains: f.Identity.Domains}
	for _, s := range f.Sources {
		rules.Covering = append(rules.Covering, s.Covering...)
	}
	return rules
}

var (
	domainName  = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$`)
	slackGroup  = regexp.MustCompile(`^S[A-Z0-9]+$`)
	discordRole = regexp.MustCompile(`^[0-9]+$`)
	// reservedGroups cannot name a group, because groups that platforms define begin with these
	// words.
	reservedGroups = []string{"slack", "discord", "console", "email"}
)

func (r *fileReader) identity(path string, n ast.Node) {
	r.fields(path, n, field{"domains", func(path string, n ast.Node) {
		r.items(path, n, func(path string, n ast.Node) {
			var domain string
			before := len(r.faults)
			r.text(&domain)(path, n)
			if domain = strings.ToLower(domain); len(r.faults) > before {
				return
			}
			if !domainName.MatchString(domain) {
				r.fault(n, "%s holds %s: write a domain of your organisation's addresses, such as example.com", path, quote(domain))
				return
			}
			r.file.Identity.Domains = append(r.file.Identity.Domains, domain)
		})
	}})
}

func (r *fileReader) groups(path string, n ast.Node) {
	r.named(path, n, func(path, name string, n ast.Node) {
		g := Group{Name: name}
		before := len(r.faults)
		r.fields(path, n,
			field{"slack", r.ids(&g.Slack, slackGroup, "the id of a user group, such as S0123ABCD, which Slack shows in the address of the group")},
			field{"discord", r.ids(&g.Discord, discordRole, "the id of a role, such as 41771983423143936, which Discord copies in developer mode")},
		)
		switch {
		case len(r.faults) > before:
		case strings.ContainsAny(name, ":, "):
			r.fault(r.at[path], "%s: a group's name has no colon, comma or space", path)
		case slices.Contains(reservedGroups, name):
			r.fault(r.at[path], "%s: the name %s is reserved: give the group another one", path, name)
		case len(g.Slack)+len(g.Discord) == 0:
			r.fault(r.at[path], "%s is bound to nothing: write slack: ID or discord: ID below it", path)
		}
		r.file.Groups = append(r.file.Groups, g)
	})
}

// ids returns a reader for ids that match form. An error tells the operator to write what.
func (r *fileReader) ids(to *[]string, form *regexp.Regexp, what string) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		r.items(path, n, func(path string, n ast.Node) {
			var id string
			before := len(r.faults)
			r.text(&id)(path, n)
			if len(r.faults) == before && !form.MatchString(id) {
				r.fault(n, "%s holds %s: write %s", path, quote(id), what)
			}
			*to = append(*to, id)
		})
	}
}

func (r *fileReader) covering(to *[]access.Principal) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		r.items(path, n, func(path string, n ast.Node) {
			var text string
			before := len(r.faults)
			r.text(&text)(path, n)
			if len(r.faults) > before {
				return
			}
			p, err := access.ParsePrincipal(text)
			if err != nil || strings.Count(string(p), ":") < 2 || !strings.HasPrefix(string(p), "group:") {
				r.fault(n, "%s holds %s: write a group of the source, such as group:NAME:all, as footnote doctor lists them", path, quote(text))
				return
			}
			*to = append(*to, p)
		})
	}
}

// groupReferences refuses a group with the name of a source, because the names of the source's own
// groups begin with it.
func (r *fileReader) groupReferences() {
	for _, g := range r.file.Groups {
		if _, taken := r.file.Source(g.Name); taken {
			r.fault(r.at["groups."+g.Name], "groups.%s has the name of a source: give the group another one", g.Name)
		}
	}
}
