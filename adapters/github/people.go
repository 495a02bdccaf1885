package github

import (
	"context"
	"errors"
	"maps"
	"net/mail"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

// gatherFor is how long a partly read list of an organisation's people is kept for the next run.
const gatherFor = 10 * time.Minute

type gathering struct {
	began   time.Time
	members []account
	listed  bool
	people  map[int64]index.Person
	queries []string // names of completed queries
	after   string   // cursor in the current query
}

// gathered returns and removes the partly read list of an organisation's people. The result is
// empty if there is none, or if it is too old.
func (c *Connector) gathered(login string) *gathering {
	now := c.client.config.Now()
	c.client.mu.Lock()
	defer c.client.mu.Unlock()
	g := c.client.gathered[login]
	delete(c.client.gathered, login)
	if g == nil || now.Sub(g.began) > gatherFor {
		g = &gathering{began: now, people: make(map[int64]index.Person)}
	}
	return g
}

func (c *Connector) keepGathered(login string, g *gathering) {
	c.client.mu.Lock()
	defer c.client.mu.Unlock()
	c.client.gathered[login] = g
}

// organizations returns the members of all organisations that own repositories. It adds their ids
// to known. If it is interrupted, the next call continues.
func (c *Connector) organizations(ctx context.Context, all map[int64]repository, known map[int64]bool) (index.GroupBatch, error) {
	var batch index.GroupBatch
	owners := make(map[int64]string)
	for _, r := range all {
		if r.Owner.Type == "Organization" {
			owners[r.Owner.ID] = r.Owner.Login
		}
	}
	people := make(map[int64]index.Person)
	whole := make(map[string]*gathering)
	for _, id := range slices.Sorted(maps.Keys(owners)) {
		g := c.gathered(owners[id])
		if err := c.gather(ctx, owners[id], g); err != nil {
			if errors.Is(err, index.ErrPaused) || ctx.Err() != nil {
				c.keepGathered(owners[id], g)
				for login, before := range whole {
					c.keepGathered(login, before)
				}
			}
			return batch, err
		}
		whole[owners[id]] = g
		group := index.Group{Principal: c.members(id), Name: owners[id]}
		for _, m := range g.members {
			group.Members = append(group.Members, m.key())
			p, there := people[m.ID]
			if !there {
				p = index.Person{ID: m.key(), Name: m.Login}
			}
			for _, address := range g.people[m.ID].Emails {
				if !slices.Contains(p.Emails, address) {
					p.Emails = append(p.Emails, address)
				}
			}
			people[m.ID] = p
		}
		batch.Groups = append(batch.Groups, group)
	}
	for _, id := range slices.Sorted(maps.Keys(people)) {
		known[id] = true
		batch.People = append(batch.People, people[id])
	}
	c.client.mu.Lock()
	defer c.client.mu.Unlock()
	c.client.members[c.source.ID] = maps.Clone(known)
	return batch, nil
}

// knownMembers returns the ids of the organisation members that an interrupted pass has already
// sent. A member who is sent again as a collaborator would lose the e-mail addresses.
func (c *Connector) knownMembers(ctx context.Context, all map[int64]repository) (map[int64]bool, error) {
	c.client.mu.Lock()
	known, ok := c.client.members[c.source.ID]
	c.client.mu.Unlock()
	if ok {
		return maps.Clone(known), nil
	}
	known = make(map[int64]bool)
	asked := make(map[string]bool)
	for _, r := range all {
		if r.Owner.Type != "Organization" || asked[r.Owner.Login] {
			continue
		}
		asked[r.Owner.Login] = true
		members, err := c.client.accounts(ctx, "orgs/"+r.Owner.Login+"/members?per_page=100")
		if err != nil && !absent(err) {
			return nil, err
		}
		for _, m := range members {
			known[m.ID] = true
		}
	}
	return known, nil
}

func (c *Connector) gather(ctx context.Context, login string, g *gathering) error {
	if !g.listed {
		members, err := c.client.accounts(ctx, "orgs/"+login+"/members?per_page=100")
		if err != nil && !absent(err) {
			return err
		}
		g.members, g.listed = members, true
	}
	for _, query := range []string{"people", "identities"} {
		if slices.Contains(g.queries, query) {
			continue
		}
		if err := c.addresses(ctx, query, login, g); err != nil {
			return err
		}
		g.queries, g.after = append(g.queries, query), ""
	}
	return nil
}

// vouched is a member of an organisation with trusted e-mail addresses. The addresses are in
// verified domains of the organisation, or come from its single sign-on.
type vouched struct {
	ID     int64    `json:"databaseId"`
	Emails []string `json:"organizationVerifiedDomainEmails"`
	SAML   *struct {
		NameID string `json:"nameId"`
	} `json:"samlIdentity"`
	User *struct {
		ID int64 `json:"databaseId"`
	} `json:"user"`
}

// addresses adds the members' email addresses that an organisation vouches for: those in its
// verified domains, or those from its single sign-on. It adds none if the credential cannot see
// them.
func (c *Connector) addresses(ctx context.Context, query, login string, g *gathering) error {
	ctx = sourcehttp.Whole(ctx)
	for pages := new(sourcehttp.Pages); ; {
		if err := pages.Next(g.after); err != nil {
			return unending(err)
		}
		var got struct {
			Organization *struct {
				Members  *connection[*vouched] `json:"membersWithRole"`
				Provider *struct {
					Identities *connection[*vouched] `json:"externalIdentities"`
				} `json:"samlIdentityProvider"`
			} `json:"organization"`
		}
		variables := map[string]any{"login": login, "after": nil}
		if g.after != "" {
			variables["after"] = g.after
		}
		if _, err := c.client.query(ctx, query, variables, &got); err != nil {
			if denied(err) {
				return nil
			}
			return err
		}
		if got.Organization == nil {
			return nil
		}
		page := got.Organization.Members
		if page == nil && got.Organization.Provider != nil {
			page = got.Organization.Provider.Identities
		}
		if page == nil {
			return nil
		}
		for _, v := range page.Nodes {
			if v != nil {
				g.vouch(*v)
			}
		}
		if !page.PageInfo.HasNextPage {
			return nil
		}
		g.after = page.PageInfo.EndCursor
	}
}

// vouch records the addresses of a member in lower case. It ignores single sign-on names that are
// not email addresses.
func (g *gathering) vouch(v vouched) {
	id, addresses := v.ID, v.Emails
	if v.User != nil && v.SAML != nil {
		id, addresses = v.User.ID, []string{v.SAML.NameID}
	}
	p := g.people[id]
	for _, address := range addresses {
		address = strings.ToLower(strings.TrimSpace(address))
		if parsed, err := mail.ParseAddress(address); err == nil && parsed.Address == address && !slices.Contains(p.Emails, address) {
			p.Emails = append(p.Emails, address)
		}
	}
	g.people[id] = p
}
