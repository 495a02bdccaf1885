package github

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/mail"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/index"
)

// patience is how many repositories in a row may fail before a loop does.
const patience = 3

// Groups implements index.GroupReader. It yields the members of organisations with the addresses that these vouch for, and a group for each
// repository that is not open to all, all of them every time.
func (c *Connector) Groups(ctx context.Context, _ index.Checkpoint) iter.Seq2[index.GroupBatch, error] {
	return func(yield func(index.GroupBatch, error) bool) {
		all, err := c.repositories(ctx)
		if err != nil {
			yield(index.GroupBatch{}, err)
			return
		}
		known := make(map[int64]bool) // people that were yielded
		batch, err := c.organizations(ctx, all, known)
		if err != nil || !yield(batch, nil) {
			if err != nil {
				yield(index.GroupBatch{}, err)
			}
			return
		}
		var closed []repository
		for _, r := range inOrder(all) {
			if !r.public() || c.options.Public == PublicReaders {
				closed = append(closed, r)
			}
		}
		failing := 0
		for some := range slices.Chunk(closed, atOnce) {
			batch, err := c.collaborators(ctx, some, known, &failing)
			if err != nil {
				yield(index.GroupBatch{}, err)
				return
			}
			if !yield(batch, nil) {
				return
			}
		}
		yield(index.GroupBatch{Complete: true}, nil)
	}
}

// collaborators reads who may read some repositories.
//
// "For organization-owned repositories, the list of collaborators includes outside collaborators, organization members that are direct
// collaborators, organization members with access through team memberships, organization members with access through default organization
// permissions, and organization owners. Team members will include the members of child teams."
// (https://docs.github.com/en/rest/collaborators/collaborators#list-repository-collaborators)
//
// They are asked for by name. A name may come to be another repository's at any moment, so what was read counts only where the repositories have the
// same names afterwards.
func (c *Connector) collaborators(ctx context.Context, some []repository, known map[int64]bool, failing *int) (index.GroupBatch, error) {
	var batch index.GroupBatch
	read := make(map[int64][]account)
	ids := make([]string, len(some))
	for i, r := range some {
		ids[i] = r.NodeID
		found, err := c.client.accounts(ctx, "repos/"+r.Name+"/collaborators?affiliation=all&per_page=100")
		switch {
		case absent(err): // whoever may not see who may read it grants nobody anything
			read[r.ID] = nil
		case ctx.Err() != nil:
			return batch, context.Cause(ctx)
		case errors.Is(err, index.ErrPaused) || errors.Is(err, index.ErrRevoked):
			return batch, err
		case err != nil:
			batch.Unread = append(batch.Unread, c.readers(r))
			if *failing++; *failing >= patience {
				return batch, fmt.Errorf("who may read %s could not be read, nor of those before it: %w", r.Name, err)
			}
			continue
		default:
			read[r.ID] = found
		}
		*failing = 0
	}
	now, err := c.names(ctx, ids)
	if err != nil {
		return batch, err
	}
	for _, r := range some {
		people, ok := read[r.ID]
		if !ok {
			continue
		}
		group := index.Group{Principal: c.readers(r), Name: r.Name}
		is, there := now[r.ID]
		if there && !strings.EqualFold(is.Name, r.Name) {
			batch.Unread = append(batch.Unread, group.Principal)
			continue
		}
		if there {
			for _, p := range people {
				group.Members = append(group.Members, p.key())
				if !known[p.ID] {
					known[p.ID] = true
					batch.People = append(batch.People, index.Person{ID: p.key(), Name: p.Login})
				}
			}
		}
		batch.Groups = append(batch.Groups, group)
	}
	return batch, nil
}

// organizations reads the members of all organisations that own repositories.
func (c *Connector) organizations(ctx context.Context, all map[int64]repository, known map[int64]bool) (index.GroupBatch, error) {
	var batch index.GroupBatch
	owners := make(map[int64]string)
	for _, r := range all {
		if r.Owner.Type == "Organization" {
			owners[r.Owner.ID] = r.Owner.Login
		}
	}
	people := make(map[int64]index.Person)
	for _, id := range slices.Sorted(maps.Keys(owners)) {
		members, err := c.client.accounts(ctx, "orgs/"+owners[id]+"/members?per_page=100")
		if err != nil && !absent(err) {
			return batch, err
		}
		group := index.Group{Principal: c.members(id), Name: owners[id]}
		for _, m := range members {
			group.Members = append(group.Members, m.key())
			people[m.ID] = index.Person{ID: m.key(), Name: m.Login}
		}
		batch.Groups = append(batch.Groups, group)
		if err := c.addresses(ctx, owners[id], people); err != nil {
			return batch, err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(people)) {
		known[id] = true
		batch.People = append(batch.People, people[id])
	}
	return batch, nil
}

// mostPeople bounds how many of an organisation are asked for.
const mostPeople = 1_000_000

// addresses adds the addresses that an organisation vouches for to its members: those of its single sign-on, and those of its verified domains.
// What somebody wrote into a profile or a commit is none. Where the credential may not see them, nobody has any.
func (c *Connector) addresses(ctx context.Context, login string, people map[int64]index.Person) error {
	vouch := func(id int64, address string) {
		p, member := people[id]
		address = strings.ToLower(strings.TrimSpace(address))
		if parsed, err := mail.ParseAddress(address); !member || err != nil || parsed.Address != address || slices.Contains(p.Emails, address) {
			return
		}
		p.Emails = append(p.Emails, address)
		people[id] = p
	}
	type member struct {
		ID     int64    `json:"databaseId"`
		Emails []string `json:"organizationVerifiedDomainEmails"`
	}
	var after any
	for seen := 0; seen < mostPeople; {
		var got struct {
			Organization *struct {
				Members connection[*member] `json:"membersWithRole"`
			} `json:"organization"`
		}
		if _, err := c.client.query(ctx, "people", map[string]any{"login": login, "after": after}, &got); err != nil {
			if denied(err) {
				break
			}
			return err
		}
		if got.Organization == nil {
			break
		}
		page := got.Organization.Members
		for _, m := range page.Nodes {
			if m != nil {
				for _, address := range m.Emails {
					vouch(m.ID, address)
				}
			}
		}
		seen += len(page.Nodes)
		if !page.PageInfo.HasNextPage || after == page.PageInfo.EndCursor {
			break
		}
		after = page.PageInfo.EndCursor
	}
	type identity struct {
		SAML *struct {
			NameID string `json:"nameId"`
		} `json:"samlIdentity"`
		User *struct {
			ID int64 `json:"databaseId"`
		} `json:"user"`
	}
	after = nil
	for seen := 0; seen < mostPeople; {
		var got struct {
			Organization *struct {
				Provider *struct {
					Identities connection[identity] `json:"externalIdentities"`
				} `json:"samlIdentityProvider"`
			} `json:"organization"`
		}
		if _, err := c.client.query(ctx, "identities", map[string]any{"login": login, "after": after}, &got); err != nil {
			if denied(err) {
				return nil
			}
			return err
		}
		if got.Organization == nil || got.Organization.Provider == nil {
			return nil
		}
		page := got.Organization.Provider.Identities
		for _, i := range page.Nodes {
			if i.SAML != nil && i.User != nil {
				vouch(i.User.ID, i.SAML.NameID)
			}
		}
		seen += len(page.Nodes)
		if !page.PageInfo.HasNextPage || after == page.PageInfo.EndCursor {
			return nil
		}
		after = page.PageInfo.EndCursor
	}
	return nil
}

// denied reports whether a query was refused as a whole.
func denied(err error) bool {
	var said graphErrors
	return errors.As(err, &said) && said.denied() || absent(err)
}
