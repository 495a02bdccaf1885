package wire

import (
	"context"

	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/sources"
)

// Access returns how current the permissions of each source are, and how many of its people are
// matched. It covers only sources with their own permissions.
func (b *Base) Access(ctx context.Context) (map[document.SourceID]sources.Access, error) {
	all, err := b.loops(ctx)
	if err != nil || len(all) == 0 { // no source has people
		return all, err
	}
	matches, err := pgaccess.New(b.DB).Matches(ctx, b.Tenant, b.File().Rules().Domains)
	if err != nil {
		return nil, err
	}
	for _, m := range matches {
		a := all[m.Source]
		if a.People == nil {
			a.People = make(sources.People)
		}
		a.People[m.State]++
		all[m.Source] = a
	}
	return all, nil
}

func (b *Base) loops(ctx context.Context) (map[document.SourceID]sources.Access, error) {
	loops, err := pgaccess.New(b.DB).States(ctx, b.Tenant)
	if err != nil {
		return nil, err
	}
	return sources.AccessOf(loops), nil
}
