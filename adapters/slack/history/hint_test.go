package history_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/transcript"
	"github.com/footnotehq/footnote/adapters/internal/transcript/transcripttest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
)

// hear notes something of the world's source.
func (w *world) hear(t *testing.T, channel, key string) {
	t.Helper()
	if err := w.options.Hints.Hear(t.Context(), "slack-chat", []string{transcript.Subject(channel, key)}); err != nil {
		t.Fatal(err)
	}
}

// waiting is how many hints nobody has followed.
func (w *world) waiting(t *testing.T) int {
	t.Helper()
	found, err := w.options.Hints.Heard(t.Context(), "slack-chat", 100)
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

// What is heard of is read at once, however old, with four calls: who the bot is, its channels, the
// day, the thread. Nothing else is looked at before its time.
func TestWhatIsHeardOfIsReadAtOnce(t *testing.T) {
	t.Parallel()
	for _, age := range []time.Duration{time.Hour, old} {
		w := newWorld(t, slacktest.Config{})
		t.Cleanup(w.Close)
		w.options.Hints, w.options.Every = new(indextest.Hints), time.Hour
		ann := w.Person("ann", nil)
		room, other := w.Channel("general", nil, ann), w.Channel("other", nil, ann)
		root := ann.Earlier(room, "", "root one", age)
		reply := ann.Earlier(room, root, "reply one", age-time.Minute)
		second := ann.Earlier(room, root, "reply two", age-2*time.Minute)
		alone := ann.Earlier(room, "", "alone one", age)
		ann.Earlier(other, "", "elsewhere", time.Hour)
		w.Sync(t)
		calls := func() int { return len(w.Calls("")) }
		before := calls()
		if w.Sync(t); calls()-before != 2 {
			t.Errorf("without a hint %d calls are made", calls()-before)
		}
		for _, s := range []struct {
			name, key string
			do        func()
			is, no    string
			most      int
		}{
			{"a reply is edited", root, func() { ann.Edit(room, reply, "reply changed") }, "reply changed", "reply one", 4},
			{"a reply is deleted", root, func() { ann.Delete(room, second) }, "reply changed", "reply two", 4},
			{"a message is edited", alone, func() { ann.Edit(room, alone, "alone changed") }, "alone changed", "alone one", 3},
			{"it is replied to", alone, func() { ann.Earlier(room, alone, "no longer alone", time.Minute) }, "no longer alone", "", 4},
			{"its root is deleted", alone, func() { ann.Delete(room, alone) }, "no longer alone", "alone changed", 4},
			{"all of a thread is deleted", root, func() { ann.Delete(room, reply); ann.Delete(room, root) }, "no longer alone", "root one", 4},
		} {
			s.do()
			w.hear(t, room.ID, s.key)
			before := calls()
			w.Sync(t)
			transcripttest.Has(t, w.Words(access.Members), true, s.is, "elsewhere")
			if s.no != "" {
				transcripttest.Has(t, w.Words(access.Members), false, s.no)
			}
			if n := calls() - before; n > s.most || w.waiting(t) != 0 {
				t.Errorf("%s: %d calls, want %d, and %d hints are left", s.name, n, s.most, w.waiting(t))
			}
		}
	}
}

// A channel that is heard to have become private is looked at in the middle of a run, and before
// anything else of a new one.
func TestAChannelIsHeardToBePrivate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, slacktest.Config{})
	t.Cleanup(w.Close)
	w.options.Hints, w.options.Every, w.options.Relist = new(indextest.Hints), time.Hour, time.Hour
	ann := w.Person("ann", nil)
	room := w.Channel("plans", nil, ann)
	ann.Earlier(room, "", "the plan", time.Hour)
	w.options.Channels = []string{"plans"}
	w.Sync(t)
	w.Convert(room, true)
	w.hear(t, room.ID, "")
	w.Sync(t)
	transcripttest.Has(t, w.Words(access.Members), false, "the plan")
	transcripttest.Has(t, w.Words(access.Channel("slack", room.ID)), true, "the plan")
}

// A run that is killed before what came of a hint is stored leaves the hint to the next one; one
// that Slack fails does, too. A hint of something that is too old, of nothing that there is, or of
// a channel that is not read is forgotten.
func TestAHintIsFollowedWhoeverIsKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, slacktest.Config{})
	t.Cleanup(w.Close)
	w.options.Hints, w.options.Every = new(indextest.Hints), time.Hour
	ann := w.Person("ann", nil)
	room := w.Channel("general", nil, ann)
	root := ann.Earlier(room, "", "a question", old)
	reply := ann.Earlier(room, root, "an answer", old-time.Minute)
	w.Sync(t)
	ann.Edit(room, reply, "another answer")
	w.hear(t, room.ID, root)
	ctx, kill := context.WithCancel(t.Context())
	w.Store.Refuse = func([]index.Entry) error { kill(); return errors.New("the power is gone") }
	if _, err := w.Try(ctx, t); err == nil || w.waiting(t) != 1 {
		t.Errorf("the run ended with %v, and %d hints are left", err, w.waiting(t))
	}
	w.Store.Refuse = nil
	w.restart(t)
	w.Fail(slacktest.Fault{Method: "conversations.history", Error: "internal_error", Times: 100})
	if _, err := w.Try(t.Context(), t); err != nil || w.waiting(t) != 1 {
		t.Errorf("the run ended with %v, and %d hints are left", err, w.waiting(t))
	}
	w.Mend()
	for _, subject := range []string{"0000000001.000000", "nonsense", "9999999999.000000"} {
		w.hear(t, room.ID, subject)
	}
	w.hear(t, "C0NOWHERE", root)
	w.Sync(t)
	transcripttest.Has(t, w.Words(access.Members), true, "another answer")
	if w.waiting(t) != 0 || len(w.IDs()) != 1 {
		t.Errorf("%d hints are left, and the index holds %v", w.waiting(t), w.IDs())
	}
}

// A token that is revoked hides everything at once; nothing is lost, and nothing is stored again
// when there is another.
func TestARevokedTokenHidesEverything(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"token_revoked", "account_inactive", "invalid_auth"} {
		w := newWorld(t, slacktest.Config{})
		t.Cleanup(w.Close)
		ann := w.Person("ann", nil)
		room := w.Channel("general", nil, ann)
		ann.Earlier(room, ann.Earlier(room, "", "a question", time.Hour), "an answer", time.Minute)
		w.Sync(t)
		for _, method := range []string{"auth.test", "users.conversations", "conversations.history"} {
			w.Fail(slacktest.Fault{Method: method, Error: word, Times: 100})
			if _, err := w.Try(t.Context(), t); !errors.Is(err, index.ErrRevoked) {
				t.Errorf("%s of %s: %v", word, method, err)
			}
			transcripttest.Has(t, w.Words(access.Members, access.Channel("slack", room.ID)), false, "answer")
			puts := w.Store.Puts()
			w.Mend()
			w.Sync(t)
			transcripttest.Has(t, w.Words(access.Members), true, "answer")
			if w.Store.Puts() != puts {
				t.Errorf("%d documents were stored again", w.Store.Puts()-puts)
			}
		}
	}
}
