package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/session"
)

// Why explains how an answer was made, to anyone who can see the answer. It counts only documents
// of the answer, so that no count reveals other documents.
func Why(r session.Record, saved session.Saved) string {
	var said []string
	say := func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
	if r.Reason != "" {
		if reason := policy.Explain(policy.Reason(r.Reason)); reason != "" {
			said = append(said, reason)
		}
	}
	if r.Outcome == "" {
		say("The question is still being answered.")
		return strings.Join(said, " ")
	}
	best, _ := saved.Best()
	answer, _ := best.Answer()
	switch n := len(message.Distinct(answer.Documents)); {
	case r.Removed != nil:
		say("The answer was removed.")
	case r.Correction != nil:
		say("%s corrected the answer; what stands there is that person's text.", r.Correction.By.Called())
	case r.Outcome == session.NoEvidence:
		say("%s", orSay(saved.Sentence, r.Outcome))
	case n > 0:
		say("The answer was written from %s that everybody who sees it may read; it cites %d.", plural.Count(n, "document"), cited(answer))
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
	return strings.Join(said, " ")
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

func (s *Service) whyCommand(ctx context.Context, c Request, words []string) (string, error) {
	if len(words) > 0 && s.Documents != nil {
		return s.whyDocument(ctx, c, words[0])
	}
	inspect := Inspector{s.Store}
	var e Explanation
	var err error
	if c.Message != "" {
		e, err = inspect.Message(ctx, c.Tenant, c.Ref, c.Message)
	} else {
		var t session.Turn
		if t, err = s.Store.Latest(ctx, c.Tenant, c.Ref, c.By.ID); err == nil {
			e, err = inspect.Turn(ctx, t)
		}
	}
	if errors.Is(err, session.ErrUnknownTurn) {
		return "I have answered nothing here yet that could be explained.", nil
	}
	if err != nil {
		return "", err
	}
	// treat another person's private answer as unknown
	if t := e.Turn; t != nil && t.Session.Owner != "" && t.Session.Owner != c.By.ID {
		e = Explanation{}
	}
	may, err := s.namable(ctx, e)
	if err != nil {
		return "", err
	}
	said := e.Sentences(func(id document.ID) bool { return may[id] })
	return strings.ReplaceAll(strings.Join(said, "\n\n"), "\n\n- ", "\n- "), nil
}

func cited(answer message.Message) int {
	seen := make(map[document.ID]bool)
	for _, c := range answer.Citations {
		seen[c.Document.ID] = true
	}
	return len(seen)
}

// namable returns which documents of an explanation may be named. Everyone who can see the answer
// may read them. If the audience is unknown, it returns only public documents.
func (s *Service) namable(ctx context.Context, e Explanation) (map[document.ID]bool, error) {
	var ids []document.ID
	for _, row := range e.Saved.Plan {
		for _, c := range row.Citations {
			ids = append(ids, c.Document.ID)
		}
	}
	for _, run := range e.Saved.Runs {
		for _, a := range run.Searches {
			for _, f := range a.Found {
				ids = append(ids, f.Document)
			}
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	slices.Sort(ids)
	audience, err := s.Answerer.Present(ctx, *e.Turn)
	if err != nil {
		audience = access.NewAudience(e.Turn.Session.Tenant)
	}
	return s.Library.Readable(ctx, audience, slices.Compact(ids))
}

// sentenceWithheld is the reply about a document that the person may not read. An unknown address
// gets the same reply, so the reply does not reveal which documents exist.
const sentenceWithheld = "I answer you from no document with this address: either there is none in the index, or nothing of what you hold is among its readers. " +
	"`/footnote whoami` lists what you hold."

// whyDocument explains why the person may read the document at an address. If the person may not
// read it, the reply is the same as for an unknown address.
func (s *Service) whyDocument(ctx context.Context, c Request, address string) (string, error) {
	lists, err := s.Documents.Readers(ctx, c.Tenant, strings.Trim(address, "<>"))
	if err != nil {
		return "", err
	}
	alone, held, err := s.held(ctx, c)
	if err != nil {
		s.Logger.WarnContext(ctx, "not all of a person's groups are known", "error", err)
	}
	held = append([]access.Held{{Principal: access.Public, From: "everyone may read it"}}, held...)
	var by []string
	for _, list := range lists {
		for _, h := range held {
			if slices.Contains(list, h.Principal) {
				by = append(by, fmt.Sprintf("- `%s`: %s", h.Principal, h.From))
			}
		}
	}
	slices.Sort(by)
	by = slices.Compact(by)
	switch {
	case len(by) == 0 || alone.Tenant != c.Tenant:
		return sentenceWithheld, nil
	case len(by) > maxHeld:
		by = append(by[:maxHeld], fmt.Sprintf("- and %d more", len(by)-maxHeld))
	}
	return "In a direct message or a private answer I may use it for you, since its readers are among what you hold:\n\n" + strings.Join(by, "\n") +
		"\n\nIn a channel it is used where everybody there may read it.", nil
}
