package answer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/turn"
)

// answerAs answers as several models do; one that is called "broken" fails.
func answerAs(ctx context.Context, req turn.Request, models []string, slow time.Duration, sink packet.Sink) turn.Report {
	report := turn.Report{Took: time.Second}
	emit := func(model int, p packet.Payload) {
		sink.Accept(packet.Packet{Placement: packet.Placement{ModelIndex: model}, Payload: p})
	}
	for i, name := range models {
		emit(i, packet.ModelStart{Name: name})
		if name == "broken" {
			report.Answers = append(report.Answers, turn.Answer{Model: name, Ending: turn.Ending{Outcome: session.Failed, Sentence: "It broke.", Retryable: true}})
			continue
		}
		text := fmt.Sprintf("%s says so of %s", name, req.Question.Text)
		emit(i, packet.MessageDelta{Text: text})
		report.Answers = append(report.Answers, turn.Answer{
			Model: name, Text: text, Shown: text, Ending: turn.Ending{Outcome: session.Answered, Grounding: packet.General},
		})
	}
	if slow > 0 {
		select {
		case <-time.After(slow):
		case <-ctx.Done():
		}
	}
	for i := range report.Answers {
		ending := &report.Answers[i].Ending
		if errors.Is(context.Cause(ctx), turn.ErrStopped) {
			*ending = turn.Ending{Outcome: session.Stopped, Sentence: "Stopped."}
		}
		emit(i, packet.Stop{Reason: string(ending.Outcome), Message: string(ending.Sentence)})
	}
	return report
}

// both compares what stands in the channel, in any order: replies may be begun in any.
func (s *stage) both(want ...string) {
	s.Helper()
	got := s.seen("")
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		s.Errorf("the channel shows\n%q, want\n%q", got, want)
	}
}

func TestEachModelsReplyIsKeptApart(t *testing.T) {
	t.Parallel()
	perform(t, func(s *stage, r *services) {
		s.pair = []string{"left", "right", "broken"}
		q := s.ask(r, "this?")
		s.settle()
		s.both("left says so of this? <up> <down>", "right says so of this? <up> <down>", "It broke. <retry>")
		// A vote is for the reply on which it was given.
		on := func(part string) func(*action.Request) {
			return func(a *action.Request) {
				i := slices.IndexFunc(s.messages, func(m shown) bool { return strings.Contains(m.text, part) })
				a.Message = s.messages[i].id
			}
		}
		for _, model := range []string{"right", "left"} {
			s.act(r, thread.ActionUp, q.ID, "U2", on(model))
			list, err := s.store.Feedback(s.Context(), session.FeedbackQuery{Tenant: tenant})
			if err != nil || len(list) != 1 || list[0].Model != model {
				s.Errorf("the votes are %+v (%v), want one for %s", list, err, model)
			}
		}
		// Another try is one of all, and of those alone that there are by then.
		s.pair = []string{"left", "middle"}
		again := s.act(r, thread.ActionRetry, q.ID, "U1")
		s.settle()
		s.both("left says so of this? <up> <down>", "middle says so of this? <up> <down>")
		s.act(r, thread.ActionRemove, again.Turn, "MOD", saying(""))
		s.settle()
		s.both("This answer was removed.")
	})
}

// However many models answer a question, it counts once against its quotas.
func TestQuestionToSeveralModelsCountsOnce(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		r, _ := s.judging("user_quota", "3/hour")
		s.pair = []string{"left", "right", "middle"}
		for n := range 4 {
			s.hear(r, "what is this?", mentioned, func(o *answer.Occurrence) { o.Ref.Thread = fmt.Sprint(n) })
		}
		s.settle()
		replies, limited := 0, 0
		for _, text := range append(s.seen(""), s.whispers...) {
			switch {
			case strings.Contains(text, "says so of what is this?"):
				replies++
			case strings.Contains(text, "Try again at"):
				limited++
			}
		}
		if replies != 3*len(s.pair) || limited != 1 {
			t.Errorf("%d replies and %d questions without room, want those of three questions and one:\n%q", replies, limited, s.seen(""))
		}
	})
}

func TestCorrectionStandsInThePlaceOfAllReplies(t *testing.T) {
	t.Parallel()
	perform(t, func(s *stage, r *services) {
		s.pair = []string{"left", "right"}
		q := s.ask(r, "this?")
		s.settle()
		s.act(r, thread.ActionCorrect, q.ID, "MOD", saying("It is otherwise."))
		s.settle()
		if got := s.seen(""); len(got) != 1 || !strings.HasPrefix(got[0], "It is otherwise.") {
			s.Errorf("the channel shows %q", got)
		}
	})
}

func TestOneStopEndsAllModels(t *testing.T) {
	t.Parallel()
	perform(t, func(s *stage, r *services) {
		s.pair, s.slow = []string{"left", "right"}, time.Hour
		s.ask(r, "this?")
		time.Sleep(5 * time.Second)
		s.both("left says so of this?", "right says so of this?")
		if _, err := r.Stop(s.Context(), session.StopRequest{Tenant: tenant, Ref: channelRef, By: session.Stopper{ID: "U1"}}); err != nil {
			s.Fatal(err)
		}
		s.settle()
		s.both("left says so of this? (Stopped.) <retry> <up> <down>", "right says so of this? (Stopped.) <retry> <up> <down>")
	})
}

func TestTakeOverShowsEachReplyOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.pair, s.slow = []string{"left", "right"}, 90*time.Second
		first := s.service()
		end := s.run(first)
		s.ask(first, "this?")
		time.Sleep(5 * time.Second)
		s.both("left says so of this?", "right says so of this?")
		end() // it hands the turn back
		s.slow = 0
		s.replica()
		s.settle()
		s.both("left says so of this? <up> <down>", "right says so of this? <up> <down>")
		if len(s.messages) != 2 || s.deletes != 0 {
			t.Errorf("%d messages and %d deletions", len(s.messages), s.deletes)
		}
	})
}

func TestDeletedQuestionIsMarkedUnderAllReplies(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.publish("alpha", access.Members)
		r, _ := s.judging()
		s.pair = []string{"left", "right"}
		s.hear(r, "what is alpha?", mentioned)
		s.settle()
		if _, err := r.Deleted(s.Context(), tenant, channelRef, "q1"); err != nil {
			s.Fatal(err)
		}
		s.settle()
		for _, text := range s.seen("") {
			if !strings.Contains(text, "deleted") {
				s.Errorf("a reply shows %q", text)
			}
		}
		if len(s.seen("")) != 2 {
			s.Errorf("the channel shows %q", s.seen(""))
		}
	})
}
