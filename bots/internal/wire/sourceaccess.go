package wire

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// SourceAccess is how far it is known who may read a source that has readers of its own.
type SourceAccess struct {
	Nodes, Groups *pgaccess.State // nil: the loop has not run
	People        People
}

// People says how many of a source's people are known in the chat.
type People struct{ Matched, Unmatched, Conflicting int }

// Faults says what is wrong with it, a sentence each.
func (a SourceAccess) Faults() []string {
	var faults []string
	for _, s := range []*pgaccess.State{a.Groups, a.Nodes} {
		switch {
		case s == nil:
		case s.Revoked:
			return []string{"nothing of it is shown to anybody: " + s.Error}
		case s.Until.IsZero() && !s.TouchedAt.IsZero(): // the first look goes on
		case s.Until.Before(time.Now()):
			faults = append(faults, fmt.Sprintf("nothing of it is shown to anybody, because its %s could not be read for too long: %s", s.Loop, told(s)))
		case s.Error != "":
			faults = append(faults, fmt.Sprintf("its %s cannot be read; what was read before counts for %s more: %s", s.Loop,
				time.Until(s.Until).Round(time.Minute), told(s)))
		}
	}
	return faults
}

// told is why a loop did not come to its end.
func told(s *pgaccess.State) string {
	if s.Error == "" {
		return "is footnote serve running?"
	}
	return s.Error
}

// Access returns how far it is known who may read sources, of those that have readers of their own.
func (b *Base) Access(ctx context.Context) (map[document.SourceID]SourceAccess, error) {
	store := pgaccess.New(b.DB)
	states, err := store.States(ctx, b.Tenant)
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
