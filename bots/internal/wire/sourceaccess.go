package wire

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// SourceAccess is how complete the permissions of a source with its own readers are.
type SourceAccess struct {
	Nodes, Groups *pgaccess.State // nil: the loop has not run
	People        People          // nil: the source has not listed its people
}

// People counts a source's people by whether their chat accounts are known.
type People map[pgaccess.MatchState]int

// Faults returns the faults of the permissions, one sentence each.
func (a SourceAccess) Faults() []string {
	var faults []string
	for _, s := range []*pgaccess.State{a.Groups, a.Nodes} {
		switch {
		case s == nil:
		case s.Revoked:
			return []string{"it is hidden from everyone: " + s.Error}
		case s.Until.IsZero() && !s.TouchedAt.IsZero(): // the first look is still running
		case s.Until.Before(time.Now()):
			faults = append(faults, fmt.Sprintf("it is hidden from everyone, because its %s could not be read for too long: %s", s.Loop, told(s)))
		case s.Error != "":
			faults = append(faults, fmt.Sprintf("its %s cannot be read; what was read before counts for %s more: %s", s.Loop,
				time.Until(s.Until).Round(time.Minute), told(s)))
		}
	}
	return faults
}

// told returns why a loop did not finish.
func told(s *pgaccess.State) string {
	if s.Error == "" {
		return "is footnote serve running?"
	}
	return s.Error
}

// Access returns the state of permissions and people, for sources that have their own readers.
func (b *Base) Access(ctx context.Context) (map[document.SourceID]SourceAccess, error) {
	all, err := b.loops(ctx)
	if err != nil || len(all) == 0 { // no one has people
		return all, err
	}
	matches, err := pgaccess.New(b.DB).Matches(ctx, b.Tenant, b.File().Rules().Domains)
	if err != nil {
		return nil, err
	}
	for _, m := range matches {
		a := all[m.Source]
		if a.People == nil {
			a.People = make(People)
		}
		a.People[m.State]++
		all[m.Source] = a
	}
	return all, nil
}

// loops returns Access without people.
func (b *Base) loops(ctx context.Context) (map[document.SourceID]SourceAccess, error) {
	states, err := pgaccess.New(b.DB).States(ctx, b.Tenant)
	if err != nil {
		return nil, err
	}
	all := make(map[document.SourceID]SourceAccess)
	for i := range states {
		a := all[states[i].Source]
		if states[i].Loop == index.LoopNodes {
			a.Nodes = &states[i]
		} else {
			a.Groups = &states[i]
		}
		all[states[i].Source] = a
	}
	return all, nil
}
