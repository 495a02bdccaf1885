package gdrive

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/index"
)

// member is a person in a group, or a member that represents several people
// (https://developers.google.com/workspace/admin/directory/reference/rest/v1/members).
type member struct {
	ID   string `json:"id"`
	Type string `json:"type"` // USER, GROUP, CUSTOMER, EXTERNAL
}

// Groups implements index.GroupReader. It yields the people of the directory, the members of each
// domain, and each group with its members. It continues an interrupted pass.
func (c *Connector) Groups(ctx context.Context, since index.Checkpoint) iter.Seq2[index.GroupBatch, error] {
	return sourcepass.Batches(ctx, func(emit func(index.GroupBatch) error) error {
		p, err := c.people(ctx)
		if err != nil {
			return err
		}
		all, err := c.listGroups(ctx)
		if err != nil {
			return err
		}
		list := sourcepass.List(all, func(g group) sourcepass.Listed { return sourcepass.Listed{ID: g.ID, Name: cmp.Or(g.Name, g.Email)} })
		reader := sourcepass.Groups{Emit: emit, Principal: c.group, Final: final, Read: func(ctx context.Context, id string) ([]index.Person, error) {
			members, err := c.members(ctx, id, p)
			if err != nil && !final(ctx, err) && absent(err) {
				return nil, nil
			}
			return members, err
		}}
		return reader.Run(ctx, since, list, p.allPeople())
	})
}

// allPeople returns the people of the directory, and one group per email domain. A person with
// addresses in several domains is in several groups.
func (p *people) allPeople() index.GroupBatch {
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

// members returns the people in a group, including its nested groups. It ignores people outside the
// directory. A member of the type CUSTOMER means all people of the organisation.
func (c *Connector) members(ctx context.Context, id string, p *people) ([]index.Person, error) {
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
				if _, known := p.userByID(m.ID); known {
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
	var all []index.Person
	for _, id := range slices.Sorted(maps.Keys(in)) {
		all = append(all, index.Person{ID: id})
	}
	return all, err
}
