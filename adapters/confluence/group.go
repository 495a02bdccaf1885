package confluence

import (
	"context"
	"iter"
	"net/url"
	"slices"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/index"
)

type group struct {
	ID   atlassian.ID `json:"id"`
	Name string       `json:"name"`
}

func (c *Connector) groups(ctx context.Context) ([]sourcepass.Listed, error) {
	all, err := listAll[group](ctx, c.client, "rest/api/group", atlassian.Query("limit", "200"))
	return sourcepass.List(all, func(g group) sourcepass.Listed { return sourcepass.Listed{ID: c.groupID(g.ID, g.Name), Name: g.Name} }), err
}

type member struct {
	account
	Email  string `json:"email"`
	Status string `json:"accountStatus"`
}

// Groups implements index.GroupReader. It yields all groups with their members, one group after the
// other. It continues an interrupted pass.
func (c *Connector) Groups(ctx context.Context, since index.Checkpoint) iter.Seq2[index.GroupBatch, error] {
	return sourcepass.Batches(ctx, func(emit func(index.GroupBatch) error) error {
		all, err := c.groups(ctx)
		if err != nil {
			return err
		}
		reader := sourcepass.Groups{Emit: emit, Principal: c.group, Final: atlassian.Final, Read: func(ctx context.Context, id string) ([]index.Person, error) {
			members, err := c.members(ctx, id)
			if err != nil && !atlassian.Final(ctx, err) && atlassian.Absent(err) {
				return nil, nil
			}
			var active []index.Person
			for _, m := range members {
				if m.id() != "" && (m.Status == "" || m.Status == "active") {
					c.client.cacheNames(m.account)
					active = append(active, index.Person{ID: m.id(), Name: m.DisplayName, Emails: atlassian.Managed(m.Email, c.options.Domains)})
				}
			}
			return active, err
		}}
		return reader.Run(ctx, since, all, index.GroupBatch{})
	})
}

// members returns the members of a group, including those of nested groups. On Cloud it returns
// only active people.
func (c *Connector) members(ctx context.Context, id string) ([]member, error) {
	path := "rest/api/group/" + url.PathEscape(id) + "/member"
	if c.client.Cloud {
		path += "sByGroupId"
	}
	all, err := listAll[member](ctx, c.client, path, atlassian.Query("limit", "200"))
	if err != nil || !c.client.Cloud {
		return all, err
	}
	// "Get users by ids … accountStatus", of at most 250 at once
	// (https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-user/): lists of groups
	// tell neither who was deactivated, nor always the address.
	byID := make(map[string]member, len(all))
	for some := range slices.Chunk(all, 250) {
		ids := make([]string, len(some))
		for i, m := range some {
			ids[i] = m.id()
		}
		var got page[member]
		if err := c.client.Post(ctx, "api/v2/users-bulk", map[string]any{"accountIds": ids}, &got, 0); err != nil {
			return nil, err
		}
		for _, m := range got.Results {
			byID[m.id()] = m
		}
	}
	found := all[:0]
	for _, m := range all {
		if known, ok := byID[m.id()]; ok && known.Status == "active" {
			found = append(found, known)
		}
	}
	return found, nil
}
