package jira

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

type project struct {
	ID       atlassian.ID `json:"id"`
	Key      string       `json:"key"`
	Name     string       `json:"name"`
	Archived bool         `json:"archived"`
	Type     string       `json:"projectTypeKey"` // "software", "business", "service_desk"
	// Simplified means that the project is team-managed. Each of its issues may be restricted to
	// roles.
	Simplified bool     `json:"simplified"`
	Lead       *account `json:"lead"`
}

func (p project) known() bool { return isID(string(p.ID)) }

// account is a person in a response. Cloud identifies a person by account id, Data Center by key
// and name. If a person's name changes, the key stays the same and another person may get the name.
type account struct {
	AccountID   string `json:"accountId"`
	Key         string `json:"key"`
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	Email       string `json:"emailAddress"`
	Active      *bool  `json:"active"`
}

func (a *account) id() string {
	if a == nil {
		return ""
	}
	return cmp.Or(a.AccountID, a.Key)
}

func (a *account) called() string {
	if a == nil {
		return ""
	}
	return a.DisplayName
}

// projects returns the projects of the source that the given client may browse, ordered by id. It
// omits archived projects and those in the trash.
func (c *Connector) projects(ctx context.Context, as *Client) ([]project, error) {
	all, err := c.listProjects(ctx, as)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(p project) bool { return !isID(string(p.ID)) || p.Archived || !c.chosen(p) })
	slices.SortFunc(all, func(a, b project) int { return cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID)) })
	return slices.CompactFunc(all, func(a, b project) bool { return a.ID == b.ID }), nil
}

// listProjects returns the projects that the given client may browse, including projects outside
// the source. The APIs are
// https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-projects/ and
// https://docs.atlassian.com/software/jira/docs/api/REST/9.17.0/#api/2/project-getAllProjects.
func (c *Connector) listProjects(ctx context.Context, as *Client) ([]project, error) {
	if !c.client.Cloud {
		var all []project
		err := as.get(ctx, "project?"+atlassian.Query("expand", "lead", "includeArchived", "false"), &all)
		if err == nil {
			err = checkItems("project", all)
		}
		return all, err
	}
	return listAll[project](ctx, as, "project/search", "maxResults", "100", "status", "live", "orderBy", "key", "expand", "lead")
}

func (c *Connector) chosen(p project) bool {
	return len(c.options.Projects) == 0 || slices.ContainsFunc(c.options.Projects, func(key string) bool { return strings.EqualFold(key, p.Key) })
}

// ours lists the projects of the source that the account sees. Its errors say what the operator can
// do.
func (c *Connector) ours(ctx context.Context) ([]project, error) {
	all, err := c.projects(ctx, c.client)
	switch sourcehttp.Status(err) {
	case http.StatusForbidden:
		return nil, fmt.Errorf("Jira shows no projects to the credential: give it the rights that footnote sources add jira lists (%w): %w", err, index.ErrRevoked)
	case http.StatusNotFound:
		return nil, fmt.Errorf("there is no Jira at %s: check the address of the source (%w)", c.client.Config.URL, err)
	}
	return all, err
}
