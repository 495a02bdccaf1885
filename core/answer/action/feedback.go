package action

import (
	"context"
	"strings"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// maxReason is how long a reason may be, in characters.
const maxReason = 1000

// vote notes what a person thinks of an answer. A 👎 counts at once; why is asked afterwards and may
// be left unsaid.
func (s *Service) vote(ctx context.Context, a Request, r session.Record) (Reply, error) {
	if r.Removed != nil {
		return Reply{}, session.ErrRemoved
	}
	up := a.Do == thread.ActionUp
	changed, err := s.Store.Vote(ctx, session.Vote{
		Tenant: a.Tenant, Turn: r.ID, Key: a.key(), Person: a.By, Up: up, Message: a.Message, Reason: clean(a.Text, maxReason),
	})
	if err != nil {
		return Reply{}, err
	}
	reply := Reply{Sentence: sentenceUp, Duplicate: !changed}
	switch {
	case up:
	case a.Submitted:
		reply.Sentence = sentenceDown
		if clean(a.Text, maxReason) != "" {
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

// key keeps presses apart that an adapter gives the same id: the button that opens a form, and the
// form.
func (a Request) key() string {
	key := "act:" + string(a.Do) + ":" + a.Key
	if a.Submitted {
		key += ":submitted"
	}
	return key
}

// clean is a text as it is stored: without what Postgres and terminals refuse, and not longer than
// limit characters.
func clean(text string, limit int) string {
	text = strings.TrimSpace(strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD"))
	if runes := []rune(text); len(runes) > limit {
		text = strings.TrimSpace(string(runes[:limit]))
	}
	return text
}
