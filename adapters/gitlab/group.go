package gitlab

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
)

type member struct {
	account
	Level   int    `json:"access_level"`
	Expires string `json:"expires_at"`
	Waiting string `json:"membership_state"`
}

func (m member) valid() bool { return m.account.valid() }

// counts reports whether a membership is valid at the given time. Expired memberships, blocked
// accounts and memberships that wait for approval do not count. GitLab may list an expired
// membership for some hours (https://docs.gitlab.com/user/project/members/).
func (m member) counts(now time.Time) bool {
	return m.State == "active" && (m.Waiting == "" || m.Waiting == "active") &&
		(m.Expires == "" || now.UTC().Format(time.DateOnly) < m.Expires[:min(len(m.Expires), len(time.DateOnly))])
}

// Groups implements index.GroupReader. It yields a group for each role in each project. GitLab
// lists direct, inherited and invited members of a project together.
func (c *Connector) Groups(ctx context.Context, since index.Checkpoint) iter.Seq2[index.GroupBatch, error] {
	return sourcepass.Batches(ctx, func(emit func(index.GroupBatch) error) error {
		first, err := c.accounts(ctx)
		if err != nil {
			return err
		}
		of, err := c.projects(ctx)
		if err != nil {
			return err
		}
		var groups []sourcepass.Listed
		for _, p := range of {
			for _, level := range roles {
				groups = append(groups, sourcepass.Listed{ID: roleKey(p.ID, level), Name: fmt.Sprintf("%s from level %d on", p.Path, level)})
			}
		}
		reader := &memberReader{Connector: c}
		g := sourcepass.Groups{
			Emit: emit, Read: reader.read,
			Principal: func(id string) access.Principal { return access.SourceGroup(string(c.source.ID), kindRole, id) },
			Final: func(ctx context.Context, err error) bool {
				return ctx.Err() != nil || errors.Is(err, index.ErrRevoked) || errors.Is(err, index.ErrPaused)
			},
		}
		return g.Run(ctx, since, sourcepass.List(groups, func(l sourcepass.Listed) sourcepass.Listed { return l }), first)
	})
}

// memberReader reads the members of a project once for all roles.
type memberReader struct {
	*Connector
	project string
	members []member
	err     error
}

// read returns the members of a project that have at least a given role. key is the key of the
// group, such as "12.20" for Reporters of project 12.
func (r *memberReader) read(ctx context.Context, key string) ([]index.Person, error) {
	project, level, _ := strings.Cut(key, ".")
	least, err := strconv.Atoi(level)
	if err != nil {
		return nil, err
	}
	if project != r.project {
		r.project = project
		r.members, r.err = all(ctx, r.client, "projects/"+project+"/members/all?per_page=100", member.valid)
	}
	if r.err != nil {
		if absent(r.err) {
			return nil, nil // the readers are invisible, so no one may read
		}
		return nil, r.err
	}
	var found []index.Person
	for _, m := range r.members {
		if m.Level >= least && m.counts(r.client.config.Now()) {
			found = append(found, r.personOf(m.account))
		}
	}
	return found, nil
}

// personOf converts an account to a person. It keeps the e-mail address only if the address is in
// one of Options.Domains. It does not check whether the address is confirmed.
func (c *Connector) personOf(a account) index.Person {
	p := index.Person{ID: strconv.FormatInt(a.ID, 10), Name: a.Name}
	address := strings.ToLower(strings.TrimSpace(a.Email))
	_, domain, found := strings.Cut(address, "@")
	if found && !strings.Contains(domain, "@") && slices.ContainsFunc(c.options.Domains, func(d string) bool { return strings.EqualFold(d, domain) }) {
		p.Emails = []string{address}
	}
	return p
}

// accounts returns all active accounts with their addresses, and the group of accounts that are not
// external. If the token does not belong to an administrator, the batch is empty.
func (c *Connector) accounts(ctx context.Context) (batch index.GroupBatch, err error) {
	who, err := c.client.self(ctx)
	if err != nil || !who.IsAdmin {
		return batch, err
	}
	list, err := all(ctx, c.client, "users?active=true&pagination=keyset&order_by=id&sort=asc&per_page=100", account.valid)
	if err != nil {
		return batch, err
	}
	inside := index.Group{Principal: c.internals(), Name: "accounts that are not external"}
	told := make(map[int64]bool)
	for _, a := range list {
		if told[a.ID] || a.State != "active" {
			continue
		}
		told[a.ID] = true
		if a.ConfirmedAt == nil {
			a.Email = ""
		}
		p := c.personOf(a)
		batch.People = append(batch.People, p)
		if a.External != nil && !*a.External {
			inside.Members = append(inside.Members, p.ID)
		}
	}
	batch.Groups = []index.Group{inside}
	return batch, nil
}
