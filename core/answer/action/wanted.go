package action

import (
	"context"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Wanted says that a person still wants an answer to an old question, which was closed because no
// replica was running.
type Wanted struct {
	Tenant  access.TenantID
	Ref     thread.Ref
	Message thread.MessageID // of the question
	Key     string           // the platform's id of the press; makes it idempotent
}

// Wanted answers a question that was closed because no replica was running. It does nothing if the
// question was never accepted, is being answered, or has an answer.
func (s *Service) Wanted(ctx context.Context, w Wanted) (err error) {
	defer s.recoverPanic(ctx, "wanted", &err)
	r, err := s.Store.Find(ctx, session.Target{Tenant: w.Tenant, Ref: w.Ref, Message: w.Message})
	if errors.Is(err, session.ErrUnknownTurn) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find out whether a question was answered: %w", err)
	}
	if r.State != session.Done || r.Outcome != session.Superseded || r.Removed != nil {
		return nil
	}
	_, err = s.Store.Derive(ctx, session.Derive{
		Tenant: w.Tenant, Of: r.ID, As: session.Retried, Key: "wanted:" + w.Key, Audience: r.Audience,
	})
	if errors.Is(err, session.ErrUnknownTurn) { // the question was deleted
		return nil
	}
	if err != nil {
		return fmt.Errorf("answer a question that is still wanted: %w", err)
	}
	s.Answerer.Wake()
	return nil
}
