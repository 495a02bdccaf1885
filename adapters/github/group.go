package github

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/index"
)

const groupChunk = 50

type groupState struct {
	People bool  `json:"people,omitempty"` // the members of organisations were sent
	After  int64 `json:"after,omitempty"`  // readers of repositories up to this number were sent
}

// Groups implements index.GroupReader. It yields the members of organisations with their verified
// addresses. It also yields the collaborators of each repository that is not public. Every pass
// yields all of them.
func (c *Connector) Groups(ctx context.Context, since index.Checkpoint) iter.Seq2[index.GroupBatch, error] {
	return sourcepass.Batches(ctx, func(emit func(index.GroupBatch) error) error { return c.groups(ctx, since, emit) })
}

func (c *Connector) groups(ctx context.Context, since index.Checkpoint, send func(index.GroupBatch) error) error {
	at := sourcepass.Decode[groupState](since)
	emit := func(b index.GroupBatch) error {
		b.Next = sourcepass.Encode(at)
		return send(b)
	}
	all, err := c.repositories(ctx)
	if err != nil {
		return err
	}
	// Readers of public repositories are not needed.
	maps.DeleteFunc(all, func(_ int64, r repository) bool { return r.public() && c.options.Public != PublicReaders })
	known := make(map[int64]bool) // people who were sent
	if !at.People {
		batch, err := c.organizations(ctx, all, known)
		if err != nil {
			return err
		}
		at.People = true
		if err := emit(batch); err != nil {
			return err
		}
	} else if known, err = c.knownMembers(ctx, all); err != nil {
		return err
	}
	var closed []repository
	for _, r := range inOrder(all) {
		if r.ID > at.After {
			closed = append(closed, r)
		}
	}
	failing := 0
	for some := range slices.Chunk(closed, groupChunk) {
		if err := c.hintedFirst(ctx, all, known, emit); err != nil {
			return err
		}
		batch, err := c.collaborators(ctx, some, known, &failing)
		if err != nil {
			return err
		}
		at.After = some[len(some)-1].ID
		if err := emit(batch); err != nil {
			return err
		}
	}
	at = groupState{}
	return emit(index.GroupBatch{Complete: true})
}

// hintedFirst sends the readers of the repositories that webhooks have reported as changed. It
// ignores reports that name no repository.
func (c *Connector) hintedFirst(ctx context.Context, all map[int64]repository, known map[int64]bool, emit func(index.GroupBatch) error) error {
	if c.hints == nil {
		return nil
	}
	hints, err := c.hints.Heard(ctx, c.source.ID, mostHints)
	if err != nil || len(hints) == 0 {
		return err
	}
	told := make(map[int64]repository)
	for _, h := range hints {
		_, number, _ := strings.Cut(h.Subject, " ")
		if id, err := strconv.ParseInt(number, 10, 64); err == nil && all[id].ID != 0 {
			told[id] = all[id]
		}
	}
	failing := 0
	for some := range slices.Chunk(inOrder(told), groupChunk) {
		batch, err := c.collaborators(ctx, some, known, &failing)
		if err != nil {
			return err
		}
		if err := emit(batch); err != nil {
			return err
		}
	}
	return c.hints.Followed(ctx, c.source.ID, hints)
}

// collaborators returns one group per repository, with the people who may read it. GitHub's list
// includes direct collaborators, team members, and members with access by default
// (https://docs.github.com/en/rest/collaborators/collaborators#list-repository-collaborators).
//
// The list is requested by name, and another repository may get the name meanwhile. If the name has
// changed after the request, the group is reported as unread.
func (c *Connector) collaborators(ctx context.Context, some []repository, known map[int64]bool, failing *int) (index.GroupBatch, error) {
	var batch index.GroupBatch
	read := make(map[int64][]account)
	ids := make([]string, len(some))
	for i, r := range some {
		ids[i] = r.NodeID
		found, err := c.client.accounts(ctx, "repos/"+r.Name+"/collaborators?affiliation=all&per_page=100")
		switch {
		case absent(err): // if the readers are invisible, no one may read
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

// denied reports whether an error means that an object does not exist or is invisible to the
// credential.
func denied(err error) bool {
	var said graphErrors
	return errors.As(err, &said) && said.denied() || absent(err)
}
