package jira

import (
	"context"
	"iter"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/index"
)

type group struct {
	ID   string `json:"groupId"`
	Name string `json:"name"`
}

// groupID returns the id of a group on Cloud, and its name on Data Center, where groups have no id.
func (c *Connector) groupID(g group) string {
	if c.client.Cloud {
		return g.ID
	}
	return g.Name
}

// mostGroups is the number of groups to request from Data Center, which lists groups on a single
// page. If the site allows fewer groups (jira.ajax.autocomplete.limit), the others count as empty.
const mostGroups = "10000"

func (c *Connector) groups(ctx context.Context) ([]sourcepass.Listed, error) {
	var all []group
	var err error
	if c.client.Cloud {
		all, err = listAll[group](ctx, c.client, "group/bulk", "maxResults", "200")
	} else {
		var got struct {
			Groups []group `json:"groups"`
		}
		err = c.client.get(ctx, "groups/picker?"+atlassian.Query("maxResults", mostGroups), &got)
		if all = got.Groups; err == nil {
			err = checkItems("groups/picker", all)
		}
	}
	return sourcepass.List(all, func(g group) sourcepass.Listed { return sourcepass.Listed{ID: c.groupID(g), Name: g.Name} }), err
}

// Groups implements index.GroupReader. It yields each group with its members, and continues an
// interrupted pass. On Data Center, where roles name people by login name, it adds a group of one
// person for each login name.
func (c *Connector) Groups(ctx context.Context, since index.Checkpoint) iter.Seq2[index.GroupBatch, error] {
	return sourcepass.Batches(ctx, func(emit func(index.GroupBatch) error) error {
		all, err := c.groups(ctx)
		if err != nil {
			return err
		}
		logins := make(map[string]string) // login names by person id
		reader := sourcepass.Groups{
			Principal: c.group, Final: atlassian.Final,
			Read: func(ctx context.Context, id string) ([]index.Person, error) {
				members, err := c.members(ctx, id)
				if c.hidden(ctx, err) {
					return nil, nil
				}
				var active []index.Person
				for _, m := range members {
					if m.id() != "" && (m.Active == nil || *m.Active) {
						c.client.cacheNames(&m)
						logins[m.id()] = m.Name
						active = append(active, index.Person{ID: m.id(), Name: m.DisplayName, Emails: atlassian.Managed(m.Email, c.options.Domains)})
					}
				}
				return active, err
			},
			Emit: func(b index.GroupBatch) error {
				for _, person := range b.People {
					if name := logins[person.ID]; name != "" && !c.client.Cloud {
						b.Groups = append(b.Groups, index.Group{Principal: c.login(name), Name: name, Members: []string{person.ID}})
					}
				}
				return emit(b)
			},
		}
		return reader.Run(ctx, since, all, index.GroupBatch{})
	})
}

// members returns the active members of a group, including those of nested groups.
func (c *Connector) members(ctx context.Context, id string) ([]account, error) {
	name := "groupname"
	if c.client.Cloud {
		name = "groupId"
	}
	return listAll[account](ctx, c.client, "group/member", name, id, "includeInactiveUsers", "false", "maxResults", "200")
}
