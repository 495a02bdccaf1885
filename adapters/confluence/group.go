package confluence

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"net/url"
	"slices"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

// group is a group as the APIs list it.
type group struct {
	ID   atlassian.ID `json:"id"`
	Name string       `json:"name"`
}

// groups lists the site's groups in the order of their ids
// (https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-group/).
func (c *Connector) groups(ctx context.Context) ([]group, error) {
	all, err := listAll[group](ctx, c.client, "rest/api/group", query("limit", "200"))
	all = slices.DeleteFunc(all, func(g group) bool { return c.groupID(g.ID, g.Name) == "" })
	slices.SortFunc(all, func(a, b group) int { return cmp.Compare(c.groupID(a.ID, a.Name), c.groupID(b.ID, b.Name)) })
	return slices.CompactFunc(all, func(a, b group) bool { return c.groupID(a.ID, a.Name) == c.groupID(b.ID, b.Name) }), err
}

// member is somebody in a group.
type member struct {
	account
	Email  string `json:"email"`
	Status string `json:"accountStatus"`
}

// mostMembers is how many people a batch of groups holds, about.
const mostMembers = 2000

// groupState is the checkpoint of Groups: the id of the last group that was read.
type groupState struct {
	After string `json:"after,omitempty"`
}

// Groups implements index.GroupReader. It yields all groups with their members, group by group, and goes on where it was ended.
func (c *Connector) Groups(ctx context.Context, since index.Checkpoint) iter.Seq2[index.GroupBatch, error] {
	return func(yield func(index.GroupBatch, error) bool) {
		var state groupState
		if json.Unmarshal(since, &state) != nil {
			state = groupState{}
		}
		fail := func(err error) {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			yield(index.GroupBatch{}, err)
		}
		all, err := c.groups(ctx)
		if err != nil {
			fail(err)
			return
		}
		var batch index.GroupBatch
		people := make(map[string]member)
		failing, held := 0, 0
		flush := func(complete bool) bool {
			c.describe(&batch, people)
			people, held = make(map[string]member), 0
			if batch.Complete = complete; complete {
				state.After = ""
			}
			text, err := json.Marshal(state)
			if err != nil {
				fail(err)
				return false
			}
			batch.Next = text
			more := yield(batch, nil)
			batch = index.GroupBatch{}
			return more
		}
		for _, g := range all {
			id := c.groupID(g.ID, g.Name)
			if id <= state.After {
				continue
			}
			members, err := c.members(ctx, id)
			switch {
			case err == nil:
				failing = 0
			case atlassian.Absent(err): // it is gone since it was listed, or not shown: nobody is in it
				members = nil
			case atlassian.Final(ctx, err):
				fail(err)
				return
			default:
				if failing++; failing >= patience {
					fail(err)
					return
				}
				batch.Unread = append(batch.Unread, c.group(id))
				state.After = id
				continue
			}
			one := index.Group{Principal: c.group(id), Name: g.Name}
			for _, m := range members {
				if m.id() == "" || m.Status != "" && m.Status != "active" {
					continue
				}
				one.Members = append(one.Members, m.id())
				people[m.id()] = m
			}
			batch.Groups = append(batch.Groups, one)
			state.After = id
			if held += len(one.Members) + 1; held >= mostMembers && !flush(false) {
				return
			}
		}
		flush(true)
	}
}

// members reads who is in a group. Those of groups within it are among them: Confluence counts them together.
func (c *Connector) members(ctx context.Context, id string) ([]member, error) {
	path := "rest/api/group/" + url.PathEscape(id) + "/member"
	if c.client.cloud {
		path += "sByGroupId"
	}
	all, err := listAll[member](ctx, c.client, path, query("limit", "200"))
	if err != nil || !c.client.cloud {
		return all, err
	}
	// "Get users by ids … accountStatus", of at most 250 at once (https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-user/): lists of
	// groups tell neither who was deactivated, nor always the address.
	byID := make(map[string]member, len(all))
	for some := range slices.Chunk(all, 250) {
		ids := make([]string, len(some))
		for i, m := range some {
			ids[i] = m.id()
		}
		body, err := json.Marshal(map[string]any{"accountIds": ids})
		if err != nil {
			return nil, err
		}
		var got page[member]
		if err := c.client.ask(ctx, sourcehttp.Request{Method: "POST", Path: "api/v2/users-bulk", Body: body, Header: jsonBody()}, &got); err != nil {
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

func jsonBody() map[string][]string { return map[string][]string{"Content-Type": {"application/json"}} }

// describe adds the people of a batch, with the addresses that are vouched for.
func (c *Connector) describe(batch *index.GroupBatch, people map[string]member) {
	for id, m := range people {
		c.client.meet(m.account)
		batch.People = append(batch.People, index.Person{ID: id, Name: m.DisplayName, Emails: atlassian.Managed(m.Email, c.options.Domains)})
	}
	slices.SortFunc(batch.People, func(a, b index.Person) int { return cmp.Compare(a.ID, b.ID) })
}
