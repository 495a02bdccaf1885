package answer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/span"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/turn"
)

// finalLimit is the maximum time for one attempt to finish a delivery. After that, the turn returns
// to the queue, and any replica tries again.
const finalLimit = 2 * time.Minute

// outcomeOf returns the result of a turn that ends without a run of the engine. A failure gets a
// random reference, with which its log entries can be found.
func outcomeOf(o session.Outcome, sentence string) session.Saved {
	saved := session.Saved{Outcome: o, Sentence: sentence}
	if o == session.Failed {
		saved.Reference = strings.ToLower(rand.Text()[:10])
	}
	return saved
}

func savedOf(report turn.Report, number int, at time.Time) session.Saved {
	best := report.Best()
	saved := session.Saved{
		Outcome: report.Outcome(), Sentence: string(best.Ending.Sentence), Reference: best.Ending.Reference,
		Timings: map[string]time.Duration{"total": report.Took},
	}
	if best.Timings.FirstToken > 0 {
		saved.Timings["first_token"] = best.Timings.FirstToken
	}
	if best.Timings.FirstText > 0 {
		saved.Timings["first_text"] = best.Timings.FirstText
	}
	for _, a := range report.Answers {
		run := a.Run(number, at)
		run.Shown = a.Shown
		run.Ending = session.Ending{
			Outcome: a.Ending.Outcome, Grounding: a.Ending.Grounding, Sentence: string(a.Ending.Sentence), Reference: a.Ending.Reference, Cause: a.Ending.Cause,
			Retryable: a.Ending.Retryable, Closest: a.Ending.Closest, Notices: a.Notices,
		}
		saved.Runs = append(saved.Runs, run)
	}
	if saved.Outcome == "" { // no model ran
		saved = outcomeOf(session.Failed, policy.Say(session.Failed))
	}
	return saved
}

// save stores the outcome of a turn. It retries until it succeeds or another replica has taken over
// the turn. If the question was deleted meanwhile, save stores the outcome Superseded and returns
// [session.ErrWithdrawn]. The turn must then be delivered again. If the answer was removed, save
// returns [session.ErrRemoved].
func (s *Service) save(ctx context.Context, a *attempt, saved session.Saved) (err error) {
	ctx, saving := span.Begin(ctx, "save")
	defer func() { saving.End(err) }()
	err = s.finish(ctx, a, saved)
	if errors.Is(err, session.ErrWithdrawn) {
		saved.Outcome, saved.Sentence, saved.Reference = session.Superseded, session.SentenceWithdrawn, ""
		if err := s.finish(ctx, a, saved); err != nil {
			return err
		}
	}
	invented := 0
	for _, run := range saved.Runs {
		invented += run.Invented
	}
	a.span.Note(slog.String("outcome", string(saved.Outcome)), slog.Int("invented", invented))
	if err == nil || errors.Is(err, session.ErrRemoved) {
		s.Metrics.Turn(a.turn.Session.Ref.Platform, saved)
	}
	return err
}

func (s *Service) finish(ctx context.Context, a *attempt, saved session.Saved) error {
	return s.persist(ctx, func(ctx context.Context) error {
		err := s.Store.Finish(ctx, a.turn.Fence(), saved)
		if errors.Is(err, session.ErrFinished) {
			return nil // an earlier try succeeded, but its response was lost
		}
		return err
	})
}

// delivered ends the turn. undelivered says why the thread shows no complete answer, or is "".
func (s *Service) delivered(ctx context.Context, a *attempt, undelivered string) error {
	return s.persist(ctx, func(ctx context.Context) error { return s.Store.Delivered(ctx, a.turn.Fence(), undelivered) })
}

// persist retries write until it succeeds, fails permanently, or the replica's lease ends. If ctx
// ends, persist returns after the current call of write.
func (s *Service) persist(ctx context.Context, write func(context.Context) error) error {
	var over error // why there is no other try
	logged := false
	err := sleep.Backoff{First: 100 * time.Millisecond, Most: 2 * time.Second}.Retry(ctx, func() error {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
		defer cancel()
		return write(limited)
	}, func(err error) time.Duration {
		if isPermanent(err) {
			return sleep.Never
		}
		if over = s.lease.permit(); over != nil {
			return sleep.Never
		}
		if !logged {
			logged = true
			s.Logger.WarnContext(ctx, "what came of a turn is not stored; trying again", "error", err)
		}
		return 0
	})
	if over != nil {
		return fmt.Errorf("%w: %w", over, err)
	}
	return err
}

func isPermanent(err error) bool {
	return errors.Is(err, session.ErrFenced) || errors.Is(err, session.ErrUnknownTurn) ||
		errors.Is(err, session.ErrEdited) || errors.Is(err, session.ErrWithdrawn) || errors.Is(err, session.ErrRemoved)
}

func (s *Service) deliver(ctx context.Context, a *attempt, delivery chat.Delivery, final chat.Result) error {
	limited, cancel := context.WithTimeout(ctx, finalLimit)
	defer cancel()
	limited, delivering := span.Begin(limited, "deliver")
	err := delivery.Finish(limited, final)
	delivering.End(err)
	undelivered := ""
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return fmt.Errorf("%w: %w", cause, err)
		}
		if !thread.Lasting(err) {
			return fmt.Errorf("write the final answer: %w", err)
		}
		undelivered = sayUndelivered(err)
		s.Logger.WarnContext(ctx, "platform will never take the answer", "turn", a.turn.ID, "outcome", final.Outcome, "error", err)
	}
	if err := s.lease.permit(); err != nil {
		return err
	}
	if err := s.delivered(ctx, a, undelivered); err != nil {
		return err
	}
	s.Wake() // the session's next turn may start
	s.offerPrivate(ctx, a.turn, final.Saved)
	return nil
}

func sayUndelivered(err error) string {
	switch {
	case errors.Is(err, thread.ErrRefused):
		return "The chat platform refused the answer's messages, in plain text as well. What it said stands in the log."
	case errors.Is(err, thread.ErrNotPermitted):
		return "The bot was not permitted to write the answer there any more. What the chat platform said stands in the log."
	default:
		return "The answer's messages could neither be changed nor posted again. The log holds the chat platform's response."
	}
}

// sentenceUndelivered is stored for a turn after all attempts to deliver its answer have failed. It
// does not apply to answers that the platform rejected.
const sentenceUndelivered = "The chat platform did not take the answer's last messages in half an hour of trying. The log tells why."

// redeliver shows the saved answer of a turn whose earlier worker ended before the final writes.
func (s *Service) redeliver(ctx context.Context, a *attempt) error {
	limited, cancel := context.WithTimeout(ctx, storeLimit)
	saved, err := s.Store.Saved(limited, a.turn)
	cancel()
	if err != nil {
		return fmt.Errorf("load the answer to deliver: %w", err)
	}
	delivery, err := s.open(ctx, a)
	if err != nil {
		return err
	}
	final := chat.Result{Outcome: saved.Outcome, Saved: saved}
	// only notices were posted, and opening the delivery removed them
	if withdrawn(saved) && !s.hasAnswerPages(ctx, a.turn) {
		return s.deliver(ctx, a, delivery, final)
	}
	t := a.turn
	// if the audience was unknown, the saved answer already has a notice
	t.Audience, _ = s.listeners(ctx, t)
	checked := s.recheckSources(ctx, t, "", s.nameOwner(ctx, t, delivery))
	if _, asked := policy.Deeply(t.Question.Text); !asked && !t.Ambient && len(saved.Runs) == 1 && len(saved.Plan) == 0 && saved.Correction == nil && !withdrawn(saved) {
		checked = deepsearch.MarkPartial(t.Question.Text, checked)
	}
	packets, err := s.replay(ctx, t, saved)
	if err != nil && t.Failures < maxDeliveries {
		return err
	}
	for _, p := range packets {
		checked.Accept(p)
	}
	// parts of the answer are visible and must be marked
	if withdrawn(saved) {
		final.Outcome = session.Stopped
		if best, ran := saved.Best(); ran {
			final.Outcome = best.Ending.Outcome
		}
	}
	return s.deliver(ctx, a, delivery, final)
}

func (s *Service) hasAnswerPages(ctx context.Context, t session.Turn) bool {
	limited, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	pages, err := s.Store.Pages(limited, t.Fence())
	return err != nil || slices.ContainsFunc(pages, func(p session.Page) bool { return p.Kind == session.Answer })
}
