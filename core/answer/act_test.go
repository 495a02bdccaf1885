package answer_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

const footed = "handbook says so [[1]](https://docs.example/handbook)."

func TestVotes(t *testing.T) {
	t.Parallel()
	perform(t, func(s *stage, r *services) {
		s.publish("handbook", access.Members)
		q := s.ask(r, "handbook?")
		s.settle()
		s.want("", footed+" <up> <down>")
		if got := s.act(r, thread.ActionUp, q.ID, "U2"); got.Sentence == "" || got.Form != nil || got.Duplicate || got.Refused {
			t.Errorf("an upvote is answered with %+v", got)
		}
		if got := s.act(r, thread.ActionUp, q.ID, "U2"); !got.Duplicate {
			t.Errorf("a second click is answered with %+v", got)
		}
		down := s.act(r, thread.ActionDown, q.ID, "U2")
		if down.Form == nil || down.Form.Do != thread.ActionDown || down.Form.Turn != q.ID || down.Form.Required {
			t.Errorf("a downvote is answered with %+v", down)
		}
		for range 2 { // delivered twice
			s.serial = 100
			if got := s.act(r, thread.ActionDown, q.ID, "U2", saying("  wrong\x00 ")); got.Refused || !strings.Contains(got.Sentence, "reason") {
				t.Errorf("a reason is answered with %+v", got)
			}
		}
		list, err := s.store.Feedback(t.Context(), session.FeedbackQuery{Tenant: tenant})
		if err != nil || len(list) != 1 || list[0].Up || list[0].Reason != "wrong" || list[0].Question != "handbook?" {
			t.Errorf("the feedback is %+v (%v)", list, err)
		}
		if want := []thread.Action{thread.ActionUp, thread.ActionDown, thread.ActionDown}; !slices.Equal(s.acted, want) {
			t.Errorf("counted were %v, want %v", s.acted, want)
		}
	})
}

func TestRetryReplacesTheAnswer(t *testing.T) {
	t.Parallel()
	perform(t, func(s *stage, r *services) {
		s.publish("handbook", access.Members)
		s.publish("manual", access.Members)
		s.fails = true
		q := s.ask(r, "handbook?")
		s.settle()
		s.want("", "It failed. <retry>")
		s.fails = false
		other := s.ask(r, "manual?")
		s.settle()
		if got := s.act(r, thread.ActionRetry, q.ID, "U2"); !got.Refused {
			t.Errorf("a stranger's retry is answered with %+v", got)
		}
		first := s.act(r, thread.ActionRetry, q.ID, "U1")
		if first.Sentence != "A new answer is being written." {
			s.Errorf("the asker is told %q", first.Sentence)
		}
		second := s.act(r, thread.ActionRetry, q.ID, "U1") // a double click
		if first.Duplicate || !second.Refused && !second.Duplicate || first.Turn == q.ID {
			t.Errorf("two clicks are answered with %+v and %+v", first, second)
		}
		s.settle()
		s.want("", footed+" <up> <down>", "manual says so [[1]](https://docs.example/manual). <up> <down>")
		if last := s.histories[len(s.histories)-1]; last != "" {
			t.Errorf("the second try was given %q: the question was the first of the thread", last)
		}
		old, err := s.store.Saved(t.Context(), session.Turn{ID: q.ID})
		if err != nil || old.Outcome != session.Failed {
			t.Errorf("the record of the first try is %+v (%v)", old, err)
		}
		// On wish, by a moderator, though it did not fail.
		s.publish("handbook", "group:board")
		if got := s.act(r, thread.ActionRetry, first.Turn, "MOD"); got.Refused {
			t.Errorf("a moderator's retry is answered with %+v", got)
		}
		s.settle()
		s.want("", "Nothing found. <up> <down>", "manual says so [[1]](https://docs.example/manual). <up> <down>")
		_ = other
	})
}

func TestLongAnswersShrinkInPlace(t *testing.T) {
	t.Parallel()
	perform(t, func(s *stage, r *services) {
		for i := range 5 {
			s.publish(fmt.Sprint("handbook", i), access.Members)
		}
		q := s.ask(r, "handbook0 handbook1 handbook2 handbook3 handbook4")
		s.settle()
		if got := s.seen(""); len(got) != 2 {
			t.Fatalf("the answer has pages %q", got)
		}
		s.act(r, thread.ActionRemove, q.ID, "MOD", saying(""))
		s.settle()
		s.want("", "This answer was removed.")
	})
}

func TestRemovalGoesEverywhere(t *testing.T) {
	t.Parallel()
	perform(t, func(s *stage, r *services) {
		s.publish("handbook", access.Members)
		q := s.ask(r, "handbook?")
		s.settle()
		again := s.act(r, thread.ActionRetry, q.ID, "U1")
		s.settle()
		for _, by := range []string{"U1", "U2"} {
			if got := s.act(r, thread.ActionRemove, q.ID, by, saying("")); !got.Refused {
				t.Errorf("%s may remove an answer: %+v", by, got)
			}
		}
		if got := s.act(r, thread.ActionRemove, q.ID, "MOD"); got.Form == nil || got.Form.Turn != again.Turn {
			t.Errorf("a moderator is asked %+v", got)
		}
		s.want("", footed+" <up> <down>")
		if got := s.act(r, thread.ActionRemove, q.ID, "MOD", saying("outdated")); got.Refused {
			t.Errorf("a removal is answered with %+v", got)
		}
		s.settle()
		s.want("", "This answer was removed.")
		s.replica() // one more starts and finds nothing to do
		s.ask(r, "handbook again?")
		s.settle()
		if last := s.histories[len(s.histories)-1]; strings.Contains(last, "says so") {
			t.Errorf("a later answer was given %q", last)
		}
		for _, do := range []thread.Action{thread.ActionRetry, thread.ActionCorrect, thread.ActionUp} {
			if got := s.act(r, do, q.ID, "MOD", saying("x")); !got.Refused {
				t.Errorf("%s of a removed answer is answered with %+v", do, got)
			}
		}
		if got := s.act(r, thread.ActionRemove, q.ID, "MOD", saying("")); !got.Duplicate {
			t.Errorf("a second removal is answered with %+v", got)
		}
	})
}

// An edit's signal may be so late that the edited question is being answered already.
func TestSignalOfAnEarlierAttemptStopsNothing(t *testing.T) {
	t.Parallel()
	perform(t, func(s *stage, r *services) {
		s.publish("handbook", access.Members)
		s.slow = 10 * time.Second
		q := s.ask(r, "handbook?")
		time.Sleep(5 * time.Second)
		s.mu.Lock()
		s.slow = 0
		s.mu.Unlock()
		if err := s.signal.Raise(t.Context(), q.ID); err != nil {
			t.Fatal(err)
		}
		s.settle()
		s.want("", footed+" <up> <down>")
	})
}

func TestRemovalStopsWhatRuns(t *testing.T) {
	t.Parallel()
	perform(t, func(s *stage, r *services) {
		s.slow = time.Hour
		q := s.ask(r, "handbook?")
		waits := s.ask(r, "and this?")
		time.Sleep(5 * time.Second)
		s.want("", "written while it runs")
		s.act(r, thread.ActionRemove, waits.ID, "MOD", saying(""))
		s.act(r, thread.ActionRemove, q.ID, "MOD", saying(""))
		time.Sleep(3 * time.Second)
		s.want("", "This answer was removed.")
		saved, err := s.store.Saved(t.Context(), q)
		if err != nil || len(saved.Runs) != 0 {
			t.Errorf("of the answer is kept %+v (%v)", saved, err)
		}
		s.slow = 0
	})
}

func TestMessageThatIsGoneIsNotPostedForARemoval(t *testing.T) {
	t.Parallel()
	perform(t, func(s *stage, r *services) {
		s.publish("handbook", access.Members)
		q := s.ask(r, "handbook?")
		s.settle()
		s.mu.Lock()
		s.messages = nil // a moderator deleted it by hand
		s.mu.Unlock()
		s.act(r, thread.ActionRemove, q.ID, "MOD", saying(""))
		s.settle()
		s.want("")
	})
}

// Where the asker may read nothing that the channel may not, no search looks for it.
func TestNothingMoreIsSearchedForWhereThereIsNone(t *testing.T) {
	t.Parallel()
	perform(t, func(s *stage, r *services) {
		s.publish("handbook", access.Members)
		s.ask(r, "handbook?")
		s.settle()
		asked := func(a access.Audience) bool { return a.Key() == s.person["U1"].Key() }
		if n := len(s.searches); slices.ContainsFunc(s.searches, asked) {
			t.Errorf("one of %d searches was made for the asker alone", n)
		}
		s.publish("diary", access.User("slack", "U1"))
		s.ask(r, "diary?")
		s.settle()
		if !slices.ContainsFunc(s.searches, asked) || len(s.whispers) == 0 {
			t.Errorf("nothing was offered to the asker, who was told %q", s.whispers)
		}
	})
}

func TestCorrectionTakesTheAnswersPlace(t *testing.T) {
	t.Parallel()
	perform(t, func(s *stage, r *services) {
		s.publish("handbook", access.Members)
		q := s.ask(r, "handbook?")
		s.settle()
		if got := s.act(r, thread.ActionCorrect, q.ID, "U1", saying("mine")); !got.Refused {
			t.Errorf("an asker's correction is answered with %+v", got)
		}
		form := s.act(r, thread.ActionCorrect, q.ID, "MOD").Form
		if form == nil || strings.TrimSpace(form.Text) != footed || !form.Required {
			t.Fatalf("a moderator is given the form %+v", form)
		}
		for _, bad := range []string{"", " \n", strings.Repeat("x", 3001)} {
			if got := s.act(r, thread.ActionCorrect, q.ID, "MOD", saying(bad)); !got.Refused {
				t.Errorf("a correction of %d characters is answered with %+v", len(bad), got)
			}
		}
		if got := s.act(r, thread.ActionCorrect, q.ID, "MOD", saying("Not quite: "+footed)); got.Refused {
			t.Errorf("a correction is answered with %+v", got)
		}
		s.settle()
		s.want("", "Not quite: "+footed+" (Corrected by name of MOD. A person wrote this, not the bot.) <up> <down>")
		next := s.ask(r, "handbook, then?")
		s.settle()
		if last := s.histories[len(s.histories)-1]; last != "user: handbook?\nassistant: Not quite: handbook says so [1].\n" {
			t.Errorf("the next answer was given %q", last)
		}
		if got := s.act(r, thread.ActionRetry, q.ID, "U1"); !got.Refused {
			t.Errorf("a retry of it is answered with %+v", got)
		}
		// It may repeat what the answer said: whoever may not read that is not given it.
		s.publish("handbook", "group:board")
		s.ask(r, "handbook, still?")
		s.settle()
		if last := s.histories[len(s.histories)-1]; strings.Contains(last, "Not quite") {
			t.Errorf("after the document was withdrawn an answer was given %q", last)
		}
		_ = next
	})
}

func TestPrivateAnswerIsOfferedToItsAskerAlone(t *testing.T) {
	t.Parallel()
	perform(t, func(s *stage, r *services) {
		s.publish("handbook", access.Members)
		s.publish("salaries", access.User("slack", "U1"))
		s.ask(r, "handbook?")
		q := s.ask(r, "salaries?")
		s.ask(r, "salaries of mine?", func(m *thread.Mention) { m.Asker.ID = "U2" })
		s.settle()
		if len(s.whispers) != 1 || !strings.HasPrefix(s.whispers[0], "U1 about salaries?: ") || !strings.HasSuffix(s.whispers[0], "[private]") {
			t.Fatalf("whispered was %q", s.whispers)
		}
		s.want("", footed+" <up> <down>", "Nothing found. <up> <down>", "Nothing found. <up> <down>")
		if got := s.act(r, thread.ActionPrivate, q.ID, "U2"); !got.Refused {
			t.Errorf("somebody else's wish is answered with %+v", got)
		}
		got := s.act(r, thread.ActionPrivate, q.ID, "U1", func(a *action.Request) { a.Ref.Channel = "D1" }) // where the offer may have been made
		if twice := s.act(r, thread.ActionPrivate, q.ID, "U1"); !twice.Duplicate || twice.Turn != got.Turn {
			t.Errorf("a second click is answered with %+v", twice)
		}
		s.settle()
		s.want("U1", "salaries says so [[1]](https://docs.example/salaries). <up> <down> <share> <keep>")
		if len(s.seen("")) != 3 {
			t.Errorf("the channel sees %q", s.seen(""))
		}
		if last := s.histories[len(s.histories)-1]; last != "user: handbook?\n" {
			t.Errorf("the private answer was given %q", last)
		}
		s.ask(r, "handbook and salaries?")
		s.settle()
		if last := s.histories[len(s.histories)-1]; strings.Contains(last, "salaries says") {
			t.Errorf("the channel's answer was given %q", last)
		}
		// Nobody else can so much as learn that it exists.
		for _, do := range []thread.Action{thread.ActionUp, thread.ActionShare, thread.ActionWhy, thread.ActionRemove, thread.ActionRetry, thread.ActionKeep} {
			theirs, nothing := s.act(r, do, got.Turn, "MOD", saying("")), s.act(r, do, "no such turn", "MOD", saying(""))
			if theirs != nothing || !theirs.Refused {
				t.Errorf("%s by a moderator is answered with %+v, for no turn at all with %+v", do, theirs, nothing)
			}
		}
	})
}

func TestShareAsksTheChannelsAudience(t *testing.T) {
	t.Parallel()
	perform(t, func(s *stage, r *services) {
		s.publish("salaries", access.User("slack", "U1"))
		q := s.ask(r, "salaries?")
		s.settle()
		private := s.act(r, thread.ActionPrivate, q.ID, "U1").Turn
		s.settle()
		if got := s.act(r, thread.ActionShare, private, "U1"); !got.Refused || strings.Contains(got.Sentence, "salaries") {
			t.Errorf("sharing what the channel may not read is answered with %+v", got)
		}
		s.publish("salaries", access.Members)
		s.away = true
		if got := s.act(r, thread.ActionShare, private, "U1"); !got.Refused {
			t.Errorf("sharing while nobody says who listens is answered with %+v", got)
		}
		s.away = false
		got := s.act(r, thread.ActionShare, private, "U1")
		if twice := s.act(r, thread.ActionShare, private, "U1"); got.Refused || !twice.Duplicate {
			t.Errorf("sharing twice is answered with %+v and %+v", got, twice)
		}
		s.settle()
		said := "salaries says so [[1]](https://docs.example/salaries)."
		s.want("", "Nothing found. <up> <down>", said+" (Shared by name of U1, who got this answer privately.) <up> <down>")
		s.want("U1", said+" <up> <down> <share> <keep>")
		if got := s.act(r, thread.ActionRetry, got.Turn, "U1"); !got.Refused {
			t.Errorf("a retry of the copy is answered with %+v", got)
		}
		// Its owner takes it back, everywhere.
		s.act(r, thread.ActionRemove, private, "U1", saying(""))
		s.settle()
		s.want("", "Nothing found. <up> <down>", "This answer was removed.")
		s.want("U1", "This answer was removed.")
	})
}

func TestKeepSendsWhatWouldVanish(t *testing.T) {
	t.Parallel()
	perform(t, func(s *stage, r *services) {
		s.publish("handbook", access.Members)
		q := s.ask(r, "handbook?")
		s.settle()
		if got := s.act(r, thread.ActionKeep, q.ID, "U1"); !got.Refused {
			t.Errorf("keeping a channel's answer is answered with %+v", got)
		}
		private := s.act(r, thread.ActionPrivate, q.ID, "U1").Turn
		s.settle()
		shown := footed + " <up> <down> <share> <keep>"
		s.want("U1", shown)
		vanishing := func(a *action.Request) { a.Vanishing = true }
		first, second := s.act(r, thread.ActionKeep, private, "U1", vanishing), s.act(r, thread.ActionKeep, private, "U1", vanishing)
		if first.Refused || first.Duplicate || !second.Duplicate {
			t.Errorf("keeping twice is answered with %+v and %+v", first, second)
		}
		s.settle()
		s.want("U1", shown, shown) // the first is the one that vanishes
	})
}

func TestWhy(t *testing.T) {
	t.Parallel()
	perform(t, func(s *stage, r *services) {
		s.publish("handbook", access.Members)
		s.publish("salaries", access.User("slack", "U1"))
		q, none := s.ask(r, "handbook?"), s.ask(r, "salaries?")
		s.settle()
		if got := s.act(r, thread.ActionWhy, q.ID, "U2").Sentence; !strings.Contains(got, "1 document") || !strings.Contains(got, "Model: m.") {
			t.Errorf("an answer is explained with %q", got)
		}
		if got := s.act(r, thread.ActionWhy, none.ID, "U1").Sentence; strings.Contains(got, "salaries") || !strings.Contains(got, "Nothing found.") {
			t.Errorf("no answer is explained with %q", got)
		}
	})
}

func TestStopFollowAndWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	perform(t, func(s *stage, r *services) {
		s.slow = time.Hour
		q := s.ask(r, "handbook?")
		time.Sleep(time.Second)
		on := func(a *action.Request) { a.Message, a.Turn = q.Message, "" }
		if got := s.act(r, thread.ActionStop, "", "U2", on); !got.Refused {
			t.Errorf("a stranger's stop is answered with %+v", got)
		}
		if got := s.act(r, thread.ActionRetry, "", "U1", on); !got.Refused {
			t.Errorf("a retry of what runs is answered with %+v", got)
		}
		if got := s.act(r, thread.ActionStop, "", "U1", on); got.Refused || got.Turn != q.ID {
			t.Errorf("the asker's stop is answered with %+v", got)
		}
		s.settle()
		s.slow = 0
		if got := s.act(r, thread.ActionStop, "", "U1", on); !got.Duplicate {
			t.Errorf("a stop of what has ended is answered with %+v", got)
		}
		for _, do := range []thread.Action{thread.ActionUnfollow, thread.ActionFollow} {
			if got := s.act(r, do, "", "U1"); got.Refused {
				t.Errorf("%s is answered with %+v", do, got)
			}
			if known, err := s.store.Thread(t.Context(), tenant, channelRef); err != nil || known.Unfollowed != (do == thread.ActionUnfollow) {
				t.Errorf("after %s the thread is %+v (%v)", do, known, err)
			}
		}
		elsewhere := func(a *action.Request) { a.Ref.Channel = "C2" }
		for name, got := range map[string]action.Reply{
			"an unknown message":       s.act(r, thread.ActionUp, "", "U1", func(a *action.Request) { a.Message = "m99" }),
			"an answer of elsewhere":   s.act(r, thread.ActionUp, q.ID, "U1", elsewhere),
			"an action of the future":  s.act(r, "translate", q.ID, "U1"),
			"a thread of other people": s.act(r, thread.ActionFollow, "", "U1", elsewhere),
		} {
			if !got.Refused || got.Sentence == "" {
				t.Errorf("%s is answered with %+v", name, got)
			}
		}
	})
}

// A private answer that rests on a message that was deleted since is not shared.
func TestWhatWasTakenBackIsNotShared(t *testing.T) {
	t.Parallel()
	perform(t, func(s *stage, r *services) {
		s.publish("handbook", access.Members)
		q := s.ask(r, "handbook?")
		s.settle()
		got := s.act(r, thread.ActionPrivate, q.ID, "U1")
		s.settle()
		s.mu.Lock()
		s.taken = "handbook"
		s.mu.Unlock()
		if shared := s.act(r, thread.ActionShare, got.Turn, "U1"); !shared.Refused || !strings.Contains(shared.Sentence, "deleted or edited since") {
			t.Errorf("sharing it is answered with %+v", shared)
		}
		s.mu.Lock()
		s.taken = ""
		s.mu.Unlock()
		if shared := s.act(r, thread.ActionShare, got.Turn, "U1"); shared.Refused {
			t.Errorf("sharing it is answered with %+v", shared)
		}
	})
}
