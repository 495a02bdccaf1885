package gdrive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/index"
)

// user is a person in the directory
// (https://developers.google.com/workspace/admin/directory/reference/rest/v1/users).
type user struct {
	ID           string   `json:"id"`
	PrimaryEmail string   `json:"primaryEmail"`
	Aliases      []string `json:"aliases"`
	Suspended    bool     `json:"suspended"`
	Archived     bool     `json:"archived"`
	Name         struct {
		FullName string `json:"fullName"`
	} `json:"name"`
}

// addresses returns the user's primary address and aliases in lower case, without duplicates. The
// directory allows only domains that the organisation has verified.
func (u user) addresses() []string {
	all := make([]string, 0, 1+len(u.Aliases))
	for _, a := range append([]string{u.PrimaryEmail}, u.Aliases...) {
		if a = address(a); a != "" && !slices.Contains(all, a) {
			all = append(all, a)
		}
	}
	return all
}

func address(a string) string { return strings.ToLower(strings.TrimSpace(a)) }

func (u user) active() bool { return u.ID != "" && !u.Suspended && !u.Archived }

type group struct {
	ID      string   `json:"id"`
	Email   string   `json:"email"`
	Name    string   `json:"name"`
	Aliases []string `json:"aliases"`
	Others  []string `json:"nonEditableAliases"`
}

// people indexes the active people of the directory by address. It must not be used concurrently.
type people struct {
	*Connector
	users  []user            // active people, ordered by id
	byMail map[string]string // user ids by address, including aliases
	groups map[string]string // group ids by address; nil until first use
}

// people reads the active people of the directory. It returns an error if the list is empty or
// malformed.
func (c *Connector) people(ctx context.Context) (*people, error) {
	p, lacking := &people{Connector: c, byMail: make(map[string]string)}, false
	asked := query("customer", c.options.Customer, "maxResults", "500", "projection", "basic", "fields", "nextPageToken,users(id,primaryEmail,aliases,suspended,archived,name/fullName)")
	type part struct {
		Users         []user `json:"users"`
		NextPageToken string `json:"nextPageToken"`
	}
	listed := 0 // including inactive people; at least the administrator
	err := listAll(ctx, c.client, directory, c.options.Admin, "users", asked, func(got part) string {
		listed += len(got.Users)
		whole := sourcehttp.CheckItems(got.Users, sourcehttp.MaxElements, func(u user) bool { return isID(u.ID) && u.PrimaryEmail != "" })
		lacking = lacking || got.Users != nil && whole != nil
		for _, u := range got.Users {
			if u.active() {
				p.users = append(p.users, u)
			}
		}
		return got.NextPageToken
	})
	if err != nil {
		return nil, c.unread("people", err)
	}
	if lacking || listed == 0 {
		return nil, fmt.Errorf("Google's list of people cannot be read: the next run tries again (%w)", sourcehttp.ErrIncomplete)
	}
	slices.SortFunc(p.users, func(a, b user) int { return cmp.Compare(a.ID, b.ID) })
	p.users = slices.CompactFunc(p.users, func(a, b user) bool { return a.ID == b.ID })
	for _, u := range p.users {
		for _, a := range u.addresses() {
			p.byMail[a] = u.ID
		}
	}
	return p, nil
}

// unread adds advice for the operator to an error about the directory. If the directory is
// invisible to the account, the result wraps index.ErrRevoked.
func (c *Connector) unread(what string, err error) error {
	switch status := sourcehttp.Status(err); {
	case errors.Is(err, index.ErrRevoked) || errors.Is(err, index.ErrPaused):
		return err
	case errors.Is(err, errNoImpersonation) || status == http.StatusForbidden || status == http.StatusNotFound || status == http.StatusBadRequest:
		return fmt.Errorf("the %s of the directory are not shown for %s, and without them no member is known: name an administrator who may read users and groups as admin, "+
			"or else the organisation as customer; delegate the scopes of the directory, and enable the Admin SDK API (%w): %w", what, nameOf(cmp.Or(c.options.Admin, c.client.key.ClientEmail)), err, index.ErrRevoked)
	}
	return err
}

func (c *Connector) listGroups(ctx context.Context) ([]group, error) {
	var all []group
	type part struct {
		Groups        []group `json:"groups"`
		NextPageToken string  `json:"nextPageToken"`
	}
	asked := query("customer", c.options.Customer, "maxResults", "200", "fields", "nextPageToken,groups(id,email,name,aliases,nonEditableAliases)")
	err := listAll(ctx, c.client, directory, c.options.Admin, "groups", asked, func(got part) string {
		for _, g := range got.Groups {
			if g.ID != "" {
				all = append(all, g)
			}
		}
		return got.NextPageToken
	})
	if err != nil {
		return nil, c.unread("groups", err)
	}
	return all, nil
}

// groupOf returns the id of a group by its address. It returns "" for a group outside the
// directory, because its members are unknown.
func (p *people) groupOf(ctx context.Context, mail string) (string, error) {
	if p.groups == nil {
		all, err := p.listGroups(ctx)
		if err != nil {
			return "", err
		}
		p.groups = make(map[string]string, len(all))
		for _, g := range all {
			for _, a := range slices.Concat([]string{g.Email}, g.Aliases, g.Others) {
				p.groups[address(a)] = g.ID
			}
		}
	}
	return p.groups[address(mail)], nil
}

func (p *people) userByID(id string) (user, bool) {
	i, found := slices.BinarySearchFunc(p.users, id, func(u user, id string) int { return cmp.Compare(u.ID, id) })
	if !found {
		return user{}, false
	}
	return p.users[i], true
}
