package jira

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
)

// site has the settings for all projects: who may use Jira, and what visitors see.
type site struct {
	users    access.ACL
	byApp    map[string]access.ACL // users of one application
	visible  map[string]bool       // ids of the projects that visitors see
	schemes  map[string]levels     // security levels by scheme id; nil if invisible
	unlisted bool                  // it is invisible who may use Jira
}

type levels map[string]level

type level struct {
	name    string
	holders []holder
}

// of returns the people and groups that may use an application. If app is "", it returns all users
// of the site.
func (s *site) of(app string) access.ACL {
	if app == "" {
		return s.users
	}
	return s.byApp[app]
}

// site reads the settings that all projects share, such as the groups whose members may use Jira.
// Options.Users can name these groups. Otherwise only administrators see them
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-application-roles/).
func (c *Connector) site(ctx context.Context) (*site, error) {
	s := &site{users: access.ACL{}, byApp: make(map[string]access.ACL), visible: make(map[string]bool), schemes: make(map[string]levels)}
	var apps []struct {
		Key     string   `json:"key"`
		Groups  []string `json:"groups"`
		Details []struct {
			GroupID string `json:"groupId"`
		} `json:"groupDetails"`
	}
	err := c.client.get(ctx, "applicationrole", &apps)
	if err != nil && !c.hidden(ctx, err) {
		return nil, err
	}
	s.unlisted = err != nil && len(c.options.Users) == 0
	for _, app := range apps {
		acl := access.ACL{}
		if c.client.Cloud {
			for _, g := range app.Details {
				acl = append(acl, c.group(g.GroupID))
			}
		} else {
			for _, name := range app.Groups {
				acl = append(acl, c.group(name))
			}
		}
		s.byApp[app.Key], s.users = acl, append(s.users, acl...)
	}
	if len(c.options.Users) > 0 {
		if s.users, err = c.named(ctx, c.options.Users); err != nil {
			return nil, err
		}
	}
	if c.options.Anonymous != "" {
		s.visible, err = c.visible(ctx)
		return s, err
	}
	return s, nil
}

func (c *Connector) named(ctx context.Context, names []string) (access.ACL, error) {
	all, err := c.groups(ctx)
	acl := access.ACL{}
	for _, g := range all {
		if slices.Contains(names, g.Name) {
			acl = append(acl, c.group(g.ID))
		}
	}
	return acl, err
}

// visible returns the ids of the projects that visitors without an account can see. It requests the
// projects without a credential, because the site may refuse visitors whatever a permission scheme
// says.
func (c *Connector) visible(ctx context.Context) (map[string]bool, error) {
	all, err := c.projects(ctx, c.client.visitor())
	open := make(map[string]bool, len(all))
	for _, p := range all {
		open[string(p.ID)] = true
	}
	switch {
	case err == nil:
		return open, nil
	case ctx.Err() != nil || errors.Is(err, index.ErrPaused):
		return nil, err
	case sourcehttp.Status(err) != 0 || errors.Is(err, atlassian.ErrMalformed):
		// visitors are refused or sent to a login page
		return map[string]bool{}, nil
	}
	return nil, err
}

// hidden reports whether an error means that something is invisible to the account. Data Center
// sometimes answers 500 instead of 403.
func (c *Connector) hidden(ctx context.Context, err error) bool {
	return err != nil && !atlassian.Final(ctx, err) && (atlassian.Absent(err) || !c.client.Cloud && sourcehttp.Status(err) == http.StatusInternalServerError)
}

// rules says who may browse the issues of a project.
type rules struct {
	denied bool // the scheme is invisible: issues are hidden from everyone
	browse grant
	levels map[string]grant
	names  map[string]string // names of the levels, by id
	lost   bool              // members of levels are invisible, so levels is empty
	roles  map[string]access.ACL
}

// scheme reads the permission scheme and the security levels of a project
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-project-permission-schemes/).
// It does not read the people in roles.
func (c *Connector) scheme(ctx context.Context, all *site, p project) (*rules, error) {
	r := &rules{levels: make(map[string]grant), names: make(map[string]string), roles: make(map[string]access.ACL)}
	var got struct {
		Permissions *[]struct {
			Holder     holder `json:"holder"`
			Permission string `json:"permission"`
		} `json:"permissions"`
	}
	path := "project/" + string(p.ID) + "/permissionscheme?" + atlassian.Query("expand", "permissions,user,group,projectRole,field")
	switch err := c.client.get(ctx, path, &got); {
	case c.hidden(ctx, err):
		r.denied = true
		return r, nil
	case err != nil:
		return nil, err
	case got.Permissions == nil:
		return nil, atlassian.ErrMalformed
	}
	for _, one := range *got.Permissions {
		if one.Permission == "BROWSE_PROJECTS" {
			c.add(&r.browse, one.Holder, all, p)
		}
	}
	known, err := c.levelsOf(ctx, all, p)
	if err != nil {
		return nil, err
	}
	r.lost = known == nil
	for id, l := range known {
		var g grant
		for _, h := range l.holders {
			c.add(&g, h, all, p)
		}
		r.levels[id], r.names[id] = g, l.name
	}
	return r, nil
}

// levelsOf reads the security levels of a project with their members. It returns nil if the account
// cannot see them. Data Center never shows them, and Cloud shows them only to administrators
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-security-schemes/).
func (c *Connector) levelsOf(ctx context.Context, all *site, p project) (levels, error) {
	var scheme struct {
		ID     atlassian.ID `json:"id"`
		Levels []struct {
			ID   atlassian.ID `json:"id"`
			Name string       `json:"name"`
		} `json:"levels"`
	}
	err := c.client.get(ctx, "project/"+string(p.ID)+"/issuesecuritylevelscheme", &scheme)
	switch {
	case sourcehttp.Status(err) == http.StatusNotFound: // the project has no levels
		return levels{}, nil
	case c.hidden(ctx, err):
		return nil, nil //nolint:nilnil // it is not shown
	case err != nil:
		return nil, err
	case !isID(string(scheme.ID)):
		return levels{}, nil
	}
	if known, ok := all.schemes[string(scheme.ID)]; ok {
		return known, nil
	}
	if !c.client.Cloud {
		return nil, nil //nolint:nilnil // it is not shown
	}
	members, err := listAll[struct {
		Level  atlassian.ID `json:"issueSecurityLevelId"`
		Holder holder       `json:"holder"`
	}](ctx, c.client, "issuesecurityschemes/level/member", "schemeId", string(scheme.ID), "maxResults", "100", "expand", "user,group,projectRole,field")
	switch {
	case c.hidden(ctx, err):
		all.schemes[string(scheme.ID)] = nil
		return nil, nil //nolint:nilnil // it is not shown
	case err != nil:
		return nil, err
	}
	known := make(levels, len(scheme.Levels))
	for _, l := range scheme.Levels {
		known[string(l.ID)] = level{name: l.Name}
	}
	for _, m := range members {
		if l, ok := known[string(m.Level)]; ok {
			l.holders = append(l.holders, m.Holder)
			known[string(m.Level)] = l
		}
	}
	all.schemes[string(scheme.ID)] = known
	return known, nil
}

func (c *Connector) fill(ctx context.Context, r *rules, p project, named []string) error {
	wanted := slices.Concat(r.browse.roles, named)
	for _, l := range r.levels {
		wanted = append(wanted, l.roles...)
	}
	for _, id := range wanted {
		if _, known := r.roles[id]; known {
			continue
		}
		acl, err := c.actors(ctx, p, id)
		if err != nil {
			return err
		}
		r.roles[id] = acl
	}
	return nil
}

// actors returns the people and groups in a role of a project
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-project-roles/). Data
// Center lists people by login name and not by id.
func (c *Connector) actors(ctx context.Context, p project, role string) (access.ACL, error) {
	var got struct {
		Actors []struct {
			Type  string   `json:"type"`
			Name  string   `json:"name"`
			User  *account `json:"actorUser"`
			Group *struct {
				GroupID string `json:"groupId"`
			} `json:"actorGroup"`
		} `json:"actors"`
	}
	acl := access.ACL{}
	err := c.client.get(ctx, "project/"+string(p.ID)+"/role/"+role, &got)
	if c.hidden(ctx, err) {
		return acl, nil
	}
	for _, a := range got.Actors {
		switch a.Type {
		case "atlassian-user-role-actor":
			if id := a.User.id(); id != "" {
				acl = append(acl, c.person(id))
			} else if a.Name != "" && !c.client.Cloud {
				acl = append(acl, c.login(a.Name))
			}
		case "atlassian-group-role-actor":
			if a.Group != nil && a.Group.GroupID != "" {
				acl = append(acl, c.group(a.Group.GroupID))
			} else if a.Name != "" && !c.client.Cloud {
				acl = append(acl, c.group(a.Name))
			}
		}
	}
	return acl, err
}

// clauses returns the access lists that a reader of issues with the given facts must all be in. It
// returns nil if no one may read the issues.
func (c *Connector) clauses(all *site, r *rules, f facts) []access.ACL {
	if r.denied || f.Odd {
		return nil
	}
	users, browse := slices.Clone(all.users), c.readers(r.browse, f, r.roles)
	// visitors are in no level and in no role
	if r.browse.open && all.visible[f.Project] && f.Level == "" && len(f.Roles) == 0 {
		users, browse = append(users, c.options.Anonymous), append(browse, c.options.Anonymous)
	}
	clauses := []access.ACL{users, browse}
	if f.Level != "" {
		l, known := r.levels[f.Level]
		if !known {
			return nil
		}
		clauses = append(clauses, c.readers(l, f, r.roles))
	}
	if len(f.Roles) > 0 {
		in := access.ACL{}
		for _, id := range f.Roles {
			in = append(in, r.roles[id]...)
		}
		clauses = append(clauses, in)
	}
	if c.options.ACL != nil {
		clauses = append(clauses, c.options.ACL)
	}
	return clauses
}

// relevance lists what can restrict the issues of a project, according to the project's settings.
type relevance struct {
	Fields []string `json:"f,omitempty"` // issue fields that may grant a permission
	Levels []string `json:"l,omitempty"` // ids of the project's security levels
	Hidden bool     `json:"h,omitempty"` // the levels, their members or the whole scheme are invisible
	Single bool     `json:"s,omitempty"` // single issues may be restricted to roles
}

func (r *rules) relevance(p project) relevance {
	fields := slices.Clone(r.browse.fields)
	var ids []string
	for id, l := range r.levels {
		fields, ids = append(fields, l.fields...), append(ids, id)
	}
	slices.Sort(fields)
	slices.Sort(ids)
	return relevance{Fields: slices.Compact(fields), Levels: ids, Hidden: r.lost || r.denied, Single: p.Simplified}
}

func (r relevance) same(other relevance) bool {
	a, errA := json.Marshal(r)
	b, errB := json.Marshal(other)
	return errA == nil && errB == nil && string(a) == string(b)
}

// single reports whether issues with the same security level may still have different readers.
func (r relevance) single() bool { return r.Single || len(r.Fields) > 0 }

func (r *rules) describe(p project, f facts) string {
	name := p.Key
	if f.Level != "" {
		name += ", " + r.names[f.Level]
	}
	if !f.bare() {
		name += ", some issues"
	}
	return strings.TrimSuffix(name, ", ")
}
