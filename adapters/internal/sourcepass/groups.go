package sourcepass

import (
	"cmp"
	"context"
	"slices"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
)

// Listed is the id and name of a group in a source's list of groups.
type Listed struct{ ID, Name string }

// List calls listed for each group in all, and returns the results ordered by id. It drops
// duplicates and groups without an id.
func List[G any](all []G, listed func(G) Listed) []Listed {
	list := make([]Listed, 0, len(all))
	for _, g := range all {
		if one := listed(g); one.ID != "" {
			list = append(list, one)
		}
	}
	slices.SortFunc(list, func(a, b Listed) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(list, func(a, b Listed) bool { return a.ID == b.ID })
}

// Groups reads the members of groups, one group after another.
type Groups struct {
	Emit      func(index.GroupBatch) error // emit function of Batches
	Principal func(id string) access.Principal
	// Read returns the members of a group. It returns no members if the group is deleted or hidden.
	Read func(ctx context.Context, id string) ([]index.Person, error)
	// Final reports whether an error of Read ends the loop, regardless of the group.
	Final func(ctx context.Context, err error) bool
}

const mostMembers = 2000

// patience is the number of consecutive groups that cannot be read before Run fails.
const patience = 5

type groupState struct {
	After string `json:"after,omitempty"`
}

// Run reads the members of the groups in list, and emits them in batches. It resumes after the last
// group in the checkpoint since. list must come from [List]. The content of first is part of the
// first batch.
func (g *Groups) Run(ctx context.Context, since index.Checkpoint, list []Listed, first index.GroupBatch) error {
	state, batch := Decode[groupState](since), first
	seen := make(map[string]bool) // people, each once
	for _, p := range first.People {
		seen[p.ID] = true
	}
	held, failing := 0, 0
	for _, one := range list {
		if one.ID <= state.After {
			continue
		}
		members, err := g.Read(ctx, one.ID)
		switch {
		case err == nil:
			failing = 0
			in := index.Group{Principal: g.Principal(one.ID), Name: one.Name}
			for _, m := range members {
				in.Members = append(in.Members, m.ID)
				if !seen[m.ID] {
					seen[m.ID] = true
					batch.People = append(batch.People, m)
				}
			}
			batch.Groups = append(batch.Groups, in)
		case g.Final(ctx, err):
			return err
		default:
			if failing++; failing >= patience {
				return err
			}
			batch.Unread = append(batch.Unread, g.Principal(one.ID))
		}
		state.After = one.ID
		if held += len(members) + 1; held >= mostMembers {
			batch.Next = Encode(state)
			if err := g.Emit(batch); err != nil {
				return err
			}
			batch, held = index.GroupBatch{}, 0
		}
	}
	batch.Next, batch.Complete = Encode(groupState{}), true
	return g.Emit(batch)
}
