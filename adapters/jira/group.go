package jira

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/core/index"
)

// group is a group as the APIs list it. On Data Center its name is all it has.
type group struct {
	ID   string `json:"groupId"`
	Name string `json:"name"`
}

// groupID is by what a group is known.
func (c *Connector) groupID(g group) string {
	if c.client.cloud {
		return g.ID
	}
	return g.Name
}

// mostGroups is how many groups a Data Center is asked for: it lists them in a field to choose from, which has no parts. What is beyond its own limit
// (jira.ajax.autocomplete.limit) has nobody in it.
const mostGroups = "10000"

// groups lists the site's groups in the order of their ids: https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-groups/ and
// https://docs.atlassian.com/software/jira/docs/api/REST/9.17.0/#api/2/groups-findGroups.
func (c *Connector) groups(ctx context.Context) ([]group, error) {
	var all []group
	var err error
	if c.client.cloud {
		all, err = listAll[group](ctx, c.client, "group/bulk", "maxResults", "200")
	} else {
		var got struct {
			Groups []group `json:"groups"`
		}
		err = c.client.get(ctx, "groups/picker?"+query("maxResults", mostGroups), &got)
		all = got.Groups
	}
	all = slices.DeleteFunc(all, func(g group) bool { return c.groupID(g) == "" })
	slices.SortFunc(all, func(a, b group) int { return cmp.Compare(c.groupID(a), c.groupID(b)) })
	return slices.CompactFunc(all, func(a, b group) bool { return c.groupID(a) == c.groupID(b) }), err
}

const (
	mostMembers = 2000 // people that a batch of groups holds, about
	patience    = 5    // groups in a row that cannot be read, before the loop ends
)

// groupState is the checkpoint of Groups: the id of the last group that was read.
type groupState struct {
	After string `json:"after,omitempty"`
}

// groupPass is one Groups.
type groupPass struct {
	*Connector
	yield  func(index.GroupBatch, error) bool
	state  groupState
	batch  index.GroupBatch
	people map[string]account // of the batch
	held   int
}

// Groups implements index.GroupReader. It yields all groups with their members, group by group, and goes on where it was ended.
func (c *Connector) Groups(ctx context.Context, since index.Checkpoint) iter.Seq2[index.GroupBatch, error] {
	return func(yield func(index.GroupBatch, error) bool) {
		g := &groupPass{Connector: c, yield: yield, people: make(map[string]account)}
		if json.Unmarshal(since, &g.state) != nil {
			g.state = groupState{}
		}
		if err := g.run(ctx); err != nil && !errors.Is(err, errBroken) {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			yield(index.GroupBatch{}, err)
		}
	}
}

func (g *groupPass) run(ctx context.Context) error {
	all, err := g.groups(ctx)
	if err != nil {
		return err
	}
	failing := 0
	for _, one := range all {
		id := g.groupID(one)
		if id <= g.state.After {
			continue
		}
		members, err := g.members(ctx, id)
		switch {
		case err == nil:
			failing = 0
			g.add(one, members)
		case g.hidden(ctx, err): // it is gone since it was listed, or not shown: nobody is in it
			g.add(one, nil)
		case atlassian.Final(ctx, err):
			return err
		default:
			if failing++; failing >= patience {
				return err
			}
			g.batch.Unread = append(g.batch.Unread, g.group(id))
		}
		g.state.After = id
		if g.held >= mostMembers {
			if err := g.flush(false); err != nil {
				return err
			}
		}
	}
	g.state.After = ""
	return g.flush(true)
}

// add adds a group with those in it who are active.
func (g *groupPass) add(one group, members []account) {
	in := index.Group{Principal: g.group(g.groupID(one)), Name: one.Name}
	for _, m := range members {
		if m.id() != "" && (m.Active == nil || *m.Active) {
			in.Members = append(in.Members, m.id())
			g.people[m.id()] = m
		}
	}
	g.held += len(in.Members) + 1
	g.batch.Groups = append(g.batch.Groups, in)
}

// flush yields the batch, with its people. On Data Center each has a group by the name to log in with, as members of roles are told by it.
func (g *groupPass) flush(complete bool) error {
	for id, m := range g.people {
		g.client.meet(&m)
		g.batch.People = append(g.batch.People, index.Person{ID: id, Name: m.DisplayName, Emails: atlassian.Managed(m.Email, g.options.Domains)})
		if !g.client.cloud && m.Name != "" {
			g.batch.Groups = append(g.batch.Groups, index.Group{Principal: g.login(m.Name), Name: m.Name, Members: []string{id}})
		}
	}
	slices.SortFunc(g.batch.People, func(a, b index.Person) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(g.batch.Groups, func(a, b index.Group) int { return cmp.Compare(a.Principal, b.Principal) })
	next, err := json.Marshal(g.state)
	if err != nil {
		return err
	}
	batch := g.batch
	batch.Next, batch.Complete = next, complete
	g.batch, g.people, g.held = index.GroupBatch{}, make(map[string]account), 0
	if !g.yield(batch, nil) {
		return errBroken
	}
	return nil
}

// members reads who is in a group, those of groups within it included: Jira counts them together.
func (c *Connector) members(ctx context.Context, id string) ([]account, error) {
	name := "groupname"
	if c.client.cloud {
		name = "groupId"
	}
	return listAll[account](ctx, c.client, "group/member", name, id, "includeInactiveUsers", "false", "maxResults", "200")
}
