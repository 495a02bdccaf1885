package answer

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
)

// why tells how an answer came about, using only what anybody who can see the answer may know: no document is named that is not among its
// sources, and no count shows that there are documents which the audience may not read.
func (s *Service) why(ctx context.Context, r session.Record) (Reply, error) {
	var said []string
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	if r.Reason != "" {
		if reason := policy.Explain(policy.Reason(r.Reason)); reason != "" {
			said = append(said, reason)
		}
	}
	if r.Outcome == "" {
		say("The question is still being answered.")
		return Reply{Sentence: strings.Join(said, " ")}, nil
	}
	saved, err := s.Store.History.Saved(ctx, r.Turn)
	if err != nil && !errors.Is(err, session.ErrUnknownTurn) {
		return Reply{}, err
	}
	best, _ := saved.Best()
	answer, _ := best.Answer()
	switch n := len(documents(answer.Documents)); {
	case r.Removed != nil:
		say("The answer was removed.")
	case r.Correction != nil:
		say("%s corrected the answer; what stands there is that person's text.", r.Correction.By.Called())
	case r.Outcome == session.NoEvidence:
		say("%s", orSay(saved.Sentence, r.Outcome))
	case n > 0:
		say("The answer was written from %s that everybody who sees it may read; it cites %d.", policy.Counted(n, "document"), len(answer.Citations))
	default:
		say("%s", orSay(saved.Sentence, r.Outcome))
	}
	switch r.Origin.As {
	case session.Retried:
		say("It took the place of an earlier answer to the same question.")
	case session.Shared:
		say("It was shared by the person who got it privately.")
	case session.Privately:
		say("It is for you alone, and may draw on everything that you can read.")
	}
	if r.Undelivered != "" {
		say("%s", r.Undelivered)
	}
	if best.Model != "" && r.Removed == nil && r.Correction == nil {
		say("Model: %s.", best.Model)
	}
	return Reply{Sentence: strings.Join(said, " ")}, nil
}

func orSay(sentence string, o session.Outcome) string {
	if sentence != "" {
		return sentence
	}
	if said := policy.Say(o); said != "" {
		return said
	}
	return "The answer was written without any document."
}
