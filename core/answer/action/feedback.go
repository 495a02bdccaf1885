package action

import (
	"context"
	"strings"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// maxReason is in characters.
const maxReason = 1000

// vote counts a 👎 at once. The form for the optional reason comes afterwards.
func (s *Service) vote(ctx context.Context, a Request, r session.Record) (Reply, error) {
	if r.Removed != nil {
		return Reply{}, session.ErrRemoved
	}
	up := a.Do == thread.ActionUp
	changed, err := s.Store.Vote(ctx, session.Vote{
		Tenant: a.Tenant, Turn: r.ID, Key: a.key(), Person: a.By, Up: up, Message: a.Message, Reason: sanitize(a.Text, maxReason),
	})
	if err != nil {
		return Reply{}, err
	}
	reply := Reply{Sentence: sentenceUp, Duplicate: !changed}
	switch {
	case up:
	case a.Submitted:
		reply.Sentence = sentenceDown
		if sanitize(a.Text, maxReason) != "" {
			reply.Sentence = sentenceReason
		}
	default:
		reply.Sentence = sentenceDown
		reply.Form = &Form{
			Do: a.Do, Turn: r.ID, Title: "What was wrong?", Label: "What should the answer have said?", Hint: "Leave it empty if you would rather not say.",
			Submit: "Send", Max: maxReason,
		}
	}
	return reply, nil
}

// key returns the idempotency key of a request. It differs for the press that opens a form and the
// form's submission, which may have the same Key.
func (a Request) key() string {
	key := "act:" + string(a.Do) + ":" + a.Key
	if a.Submitted {
		key += ":submitted"
	}
	return key
}

// sanitize also removes NUL characters and replaces invalid UTF-8. limit is in characters.
func sanitize(text string, limit int) string {
	text = strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD"))
	if runes := []rune(text); len(runes) > limit {
		text = strings.TrimSpace(string(runes[:limit]))
	}
	return text
}
