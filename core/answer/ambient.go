package answer

import (
	"context"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/tool/search"
	"github.com/footnotehq/footnote/core/turn"
)

// Reasons for leaving a message unanswered that does not address the bot. People see them only in
// the reply to the command "/footnote why".
const (
	declinedHuman    = "Someone else replied first."
	declinedEvidence = "The best passage matches %.0f %% of the question; this channel wants %.0f %%."
	declinedNothing  = "The documents hold nothing close to the question."
	declinedUncited  = "The answer rested on no document, so it was not shown."
	declinedOff      = "Unasked answers were switched off before this one began."
	declinedLimited  = "A quota had no room for it."
	declinedFiltered = "It holds words that are not answered."
	declinedSearch   = "Nothing can be searched, so nothing is answered unasked."
)

// answerUnasked answers a message that does not address the bot. It shows nothing until the answer
// cites a document. If the answer cites none, the turn stays invisible.
func (s *Service) answerUnasked(ctx context.Context, a *attempt) error {
	held := &holdingSink{open: func() (chat.Delivery, error) { return s.open(ctx, a) }}
	began, err := s.hasPages(ctx, a.turn)
	if err != nil {
		return err
	}
	if began { // an earlier attempt died; complete what is visible
		err = held.begin()
	} else {
		var why string
		if why, err = s.whyNotUnasked(ctx, a.turn); err == nil && why != "" {
			return s.decline(ctx, a, session.Saved{Sentence: why})
		}
	}
	if err != nil {
		return fmt.Errorf("begin an unasked answer: %w", err)
	}
	saved, err := s.produce(ctx, a, held)
	if err != nil {
		return err
	}
	if held.err != nil {
		return held.err
	}
	if held.to == nil {
		if saved.Outcome == session.Answered || saved.Sentence == "" {
			saved.Sentence = declinedUncited
		}
		return s.decline(ctx, a, saved)
	}
	if err := s.save(ctx, a, saved); err != nil {
		return err
	}
	return s.deliver(ctx, a, held.to, chat.Result{Outcome: saved.Outcome, Saved: saved})
}

func (s *Service) hasPages(ctx context.Context, t session.Turn) (bool, error) {
	if t.Attempt <= 1 {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	pages, err := s.Store.Pages(ctx, t.Fence())
	return len(pages) > 0, err
}

// decline ends the turn without showing an answer. It stores saved for the command /footnote why.
func (s *Service) decline(ctx context.Context, a *attempt, saved session.Saved) error {
	s.Logger.InfoContext(ctx, "unasked answer not given", "turn", a.turn.ID, "why", saved.Sentence)
	saved.Outcome = session.Declined
	if err := s.save(ctx, a, saved); err != nil {
		return err
	}
	return s.delivered(ctx, a, "")
}

// whyNotUnasked returns a reason for leaving a message unanswered that does not address the bot, or
// "" to answer the message. It reads the channel's settings again, because they may have changed
// while the turn waited.
func (s *Service) whyNotUnasked(ctx context.Context, t session.Turn) (string, error) {
	if !t.LimitedUntil.IsZero() {
		return declinedLimited, nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	rules, err := policy.In(ctx, s.Policies, t.Session.Tenant, session.PlaceOf(t.Session.Ref))
	if err != nil {
		return "", err
	}
	if !rules.Enabled || rules.Paused {
		return declinedOff, nil
	}
	known, err := s.Store.Thread(ctx, t.Session.Tenant, t.Session.Ref)
	if err != nil {
		return "", err
	}
	if known.Helped || len(rules.Helpers) == 0 && known.People > 1 {
		return declinedHuman, nil
	}
	if s.Retriever == nil {
		return declinedSearch, nil
	}
	setup, err := s.Setups.Setup(ctx, t)
	if err != nil {
		return "", fmt.Errorf("choose who answers: %w", err)
	}
	if setup.Filter.Refuse(turn.Texts(t.Question)...) != "" {
		return declinedFiltered, nil
	}
	audience, _ := s.listeners(ctx, t)
	found, err := s.Retriever.Search(ctx, retrieve.Search{
		Audience: audience, Queries: []retrieve.Query{{Text: t.Question.Text}}, Sources: setup.Agent.Sources, Now: s.askedAt(ctx, t),
	})
	switch {
	case err != nil:
		return "", fmt.Errorf("look for evidence: %w", err)
	case !found.Evidence:
		return declinedNothing, nil
	case found.Best() < rules.Ambient.Evidence:
		return fmt.Sprintf(declinedEvidence, 100*found.Best(), 100*rules.Ambient.Evidence), nil
	default:
		return "", nil
	}
}

func groundedOnly(req turn.Request) turn.Request {
	req.Agent.Grounding = prompt.Strict
	if len(req.Agent.Tools) == 0 || slices.Contains(req.Agent.Tools, search.Name) {
		req.ForceTool = search.Name
	}
	return req
}

// holdingSink holds back the packets of an answer until one of them cites a document. It then opens
// the delivery and forwards all packets.
type holdingSink struct {
	open    func() (chat.Delivery, error)
	to      chat.Delivery
	err     error
	packets []packet.Packet
}

// Accept implements packet.Sink.
func (h *holdingSink) Accept(p packet.Packet) {
	if _, cites := p.Payload.(packet.CitationInfo); cites && h.to == nil && h.err == nil {
		h.err = h.begin()
	}
	if h.to == nil {
		h.packets = append(h.packets, p)
		return
	}
	h.to.Accept(p)
}

func (h *holdingSink) begin() error {
	to, err := h.open()
	if err != nil {
		return err
	}
	h.to = to
	for _, p := range h.packets {
		to.Accept(p)
	}
	h.packets = nil
	return nil
}
