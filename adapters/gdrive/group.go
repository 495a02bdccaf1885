package gdrive

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/index"
)

// member is somebody in a group, or something that stands for people
// (https://developers.google.com/workspace/admin/directory/reference/rest/v1/members).
type member struct {
	ID   string `json:"id"`
	Type string `json:"type"` // USER, GROUP, CUSTOMER, EXTERNAL
}

// mostMembers is how many people a batch of groups holds, about, and patience how many groups in a row may not be readable.
const (
	mostMembers = 2000
	patience    = 3
)

// groupState is the checkpoint of Groups: the id of the last group that was read.
type groupState struct {
	After string `json:"after,omitempty"`
}

// Groups implements index.GroupReader. It yields the people of the directory, who is in each domain, and all groups with their members, group by group, and goes
// on where it was ended.
func (c *Connector) Groups(ctx context.Context, since index.Checkpoint) iter.Seq2[index.GroupBatch, error] {
	return func(yield func(index.GroupBatch, error) bool) {
		if err := c.readGroups(ctx, since, func(b index.GroupBatch) bool { return yield(b, nil) }); err != nil {
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			yield(index.GroupBatch{}, err)
		}
	}
}

func (c *Connector) readGroups(ctx context.Context, since index.Checkpoint, yield func(index.GroupBatch) bool) error {
	var state groupState
	if json.Unmarshal(since, &state) != nil {
		state = groupState{}
	}
	p, err := c.people(ctx)
	if err != nil {
		return err
	}
	all, err := c.listGroups(ctx)
	if err != nil {
		return err
	}
	batch, held, failing := p.everybody(), 0, 0
	for _, g := range all {
		if g.ID <= state.After {
			continue
		}
		members, err := c.members(ctx, g.ID, p)
		switch {
		case err == nil:
			failing = 0
			batch.Groups = append(batch.Groups, index.Group{Principal: c.group(g.ID), Name: cmp.Or(g.Name, g.Email), Members: members})
		case final(ctx, err):
			return err
		case absent(err): // it is gone since it was listed, or not shown: nobody is in it
			batch.Groups = append(batch.Groups, index.Group{Principal: c.group(g.ID), Name: cmp.Or(g.Name, g.Email)})
		default:
			if failing++; failing >= patience {
				return err
			}
			batch.Unread = append(batch.Unread, c.group(g.ID))
		}
		state.After = g.ID
		if held += len(members) + 1; held < mostMembers {
			continue
		}
		held = 0
		if batch.Next, err = json.Marshal(state); err != nil {
			return err
		}
		if !yield(batch) {
			return nil
		}
		batch = index.GroupBatch{}
	}
	state.After = ""
	if batch.Next, err = json.Marshal(state); err != nil {
		return err
	}
	batch.Complete = true
	yield(batch)
	return nil
}

// everybody is the people of the directory, and the domains that they are in. A grant to a domain lets in who has an address below it.
func (p *people) everybody() index.GroupBatch {
	var batch index.GroupBatch
	domains := make(map[string][]string)
	for _, u := range p.users {
		addresses := u.addresses()
		batch.People = append(batch.People, index.Person{ID: u.ID, Name: cmp.Or(u.Name.FullName, u.PrimaryEmail), Emails: addresses})
		for _, a := range addresses {
			_, domain, _ := strings.Cut(a, "@")
			if in := domains[domain]; domain != "" && !slices.Contains(in[max(len(in)-1, 0):], u.ID) {
				domains[domain] = append(in, u.ID)
			}
		}
	}
	for _, domain := range slices.Sorted(maps.Keys(domains)) {
		batch.Groups = append(batch.Groups, index.Group{Principal: p.domain(domain), Name: "everybody at " + domain, Members: domains[domain]})
	}
	return batch
}

// members are the people in a group, those of groups within it included: "includeDerivedMembership: Whether to list indirect memberships". Groups elsewhere
// within it, and people elsewhere, are nobody here. "CUSTOMER: The member represents all users in a domain": in the organisation.
func (c *Connector) members(ctx context.Context, id string, p *people) ([]string, error) {
	in := make(map[string]bool)
	type part struct {
		Members       []member `json:"members"`
		NextPageToken string   `json:"nextPageToken"`
	}
	asked := query("includeDerivedMembership", "true", "maxResults", "200", "fields", "nextPageToken,members(id,type)")
	err := listAll(ctx, c.client, directory, c.options.Admin, "groups/"+url.PathEscape(id)+"/members", asked, func(got part) string {
		for _, m := range got.Members {
			switch m.Type {
			case "USER":
				if _, known := p.of(m.ID); known {
					in[m.ID] = true
				}
			case "CUSTOMER":
				for _, u := range p.users {
					in[u.ID] = true
				}
			}
		}
		return got.NextPageToken
	})
	return slices.Sorted(maps.Keys(in)), err
}
