package action

import (
	"context"
	"strings"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// maxReason is the maximum length in characters of the reason for a 👎.
const maxReason = 1000

// vote records a person's vote on an answer. A 👎 counts at once, and the reply then has a form
// for an optional reason.
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

// key returns the idempotency key of a request. The request that opens a form and the request that
// submits it have different keys, even if [Request].Key is the same.
func (a Request) key() string {
	key := "act:" + string(a.Do) + ":" + a.Key
	if a.Submitted {
		key += ":submitted"
	}
	return key
}

// sanitize removes NUL characters and surrounding blanks from a text and replaces invalid UTF-8. It
// cuts the text to at most limit characters.
func sanitize(text string, limit int) string {
	text = strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD"))
	if runes := []rune(text); len(runes) > limit {
		text = strings.TrimSpace(string(runes[:limit]))
	}
	return text
}
