package history_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/transcript/transcripttest"
	"github.com/footnotehq/footnote/adapters/slack/history"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
)

// said fills a channel with threads and messages of many days, and returns what has to be found.
func said(w *world, ann *slacktest.Person, room *slacktest.Channel, days int) []string {
	var texts []string
	for i := range days {
		ago := time.Duration(i)*3*24*time.Hour + time.Hour
		root := ann.Earlier(room, "", numbered("root%d.", i), ago)
		ann.Earlier(room, root, numbered("reply%d.", i), ago-time.Minute)
		ann.Earlier(room, "", numbered("alone%d.", i), ago)
		texts = append(texts, numbered("root%d.", i), numbered("reply%d.", i), numbered("alone%d.", i))
	}
	return texts
}

// Pages may be small, cursors may end early, Slack may ask for pauses and fail now and then: all is
// read, once.
func TestEverythingIsReadHoweverItIsPaged(t *testing.T) {
	t.Parallel()
	for name, faults := range map[string][]slacktest.Fault{
		"small pages": nil,
		"cursors that end early": {{Method: "conversations.history", Holds: slacktest.Cursor, Error: "invalid_cursor", Times: 2},
			{Method: "users.conversations", Holds: slacktest.Cursor, Error: "invalid_cursor"}, {Method: "conversations.replies", Holds: slacktest.Cursor, Error: "invalid_cursor"}},
		"limits": {{Method: "conversations.history", Status: 429, RetryAfter: time.Second}, {Method: "conversations.replies", Error: "ratelimited", Times: 0, Holds: "never"},
			{Method: "users.conversations", Status: 429, RetryAfter: time.Second}},
		"failures": {{Method: "conversations.history", Status: 503}, {Method: "conversations.replies", Drop: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, slacktest.Config{ListPage: 2, HistoryPage: 3})
			t.Cleanup(w.Close)
			ann := w.Person("ann", nil)
			var want []string
			for i := range 5 {
				want = append(want, said(w, ann, w.Channel(numbered("room%d", i), nil, ann), 8)...)
			}
			for _, f := range faults {
				w.Fail(f)
			}
			w.Sync(t)
			text := w.Words(access.Members)
			for _, part := range want {
				if n := strings.Count(text, part); n != 5 {
					t.Errorf("%s is there %d times, want 5", part, n)
				}
			}
		})
	}
}

// Lists that lead back to where they began end, and nothing is removed because of them.
func TestListsThatNeverEnd(t *testing.T) {
	t.Parallel()
	loop := map[string]any{"channels": []any{}, "messages": []any{}, "has_more": true, "response_metadata": map[string]string{"next_cursor": "round"}}
	blind := map[string]any{"messages": []any{}, "has_more": true}
	for _, tt := range []struct {
		method string
		body   map[string]any
		run    bool // that fails as a whole
	}{{"users.conversations", loop, true}, {"conversations.history", loop, false}, {"conversations.history", blind, false}, {"conversations.replies", loop, false}} {
		w := newWorld(t, slacktest.Config{})
		t.Cleanup(w.Close)
		ann := w.Person("ann", nil)
		room := w.Channel("general", nil, ann)
		root := ann.Earlier(room, "", "a question", time.Hour)
		ann.Earlier(room, root, "an answer", time.Minute)
		w.Sync(t)
		before := w.Words(access.Members)
		ann.Say(room, root, "another answer")
		w.Fail(slacktest.Fault{Method: tt.method, Body: tt.body, Times: 100})
		run, err := w.Try(t.Context(), t)
		if (err != nil) != tt.run || err == nil && len(run.Failures) != 1 {
			t.Errorf("%s: %v, %+v", tt.method, err, run.Failures)
		}
		if got := w.Words(access.Members); got != before {
			t.Errorf("%s: the index holds %s", tt.method, got)
		}
		w.Mend()
		w.Sync(t)
		transcripttest.Has(t, w.Words(access.Members), true, "another answer")
	}
}

// A list of channels that is cut short removes nothing; one that Slack confirms does.
func TestAListThatIsCutShortRemovesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, slacktest.Config{})
	t.Cleanup(w.Close)
	ann := w.Person("ann", nil)
	for i := range 6 {
		ann.Say(w.Channel(numbered("room%d", i), nil, ann), "", numbered("text%d", i))
	}
	w.Sync(t)
	w.Fail(slacktest.Fault{Method: "users.conversations", Body: map[string]any{"channels": []any{}}})
	if _, err := w.Try(t.Context(), t); err == nil || !strings.Contains(err.Error(), "lacks") {
		t.Errorf("a list without channels: %v", err)
	}
	w.Fail(slacktest.Fault{Method: "users.conversations", Bare: true})
	if _, err := w.Try(t.Context(), t); err == nil {
		t.Error("an answer without a list is taken for one without channels")
	}
	if n := len(w.IDs()); n != 6 {
		t.Errorf("%d documents are left, want 6", n)
	}
	for i := range 5 {
		w.Kick(w.ChannelNamed(numbered("room%d", i)))
	}
	w.Sync(t)
	if n := len(w.IDs()); n != 1 {
		t.Errorf("%d documents are left, want 1", n)
	}
}

// What Slack refuses is told with its name and what to do; what stops a single channel does not
// stop the others.
func TestRefusalsAreNamed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fault slacktest.Fault
		run   bool
		says  string
	}{
		{slacktest.Fault{Error: "token_revoked", Times: 100}, true, "token_revoked"},
		{slacktest.Fault{Method: "users.conversations", Error: "missing_scope"}, true, "scope"},
		{slacktest.Fault{Method: "conversations.history", Error: "missing_scope"}, false, "scope"},
		{slacktest.Fault{Method: "conversations.history", Error: "not_in_channel"}, false, "invite"},
		{slacktest.Fault{Method: "conversations.history", Error: "fatal_error"}, false, "fatal_error"},
		{slacktest.Fault{Method: "conversations.replies", Error: "fatal_error"}, false, "fatal_error"},
		{slacktest.Fault{Method: "conversations.history", Error: "account_inactive"}, true, "account_inactive"},
	} {
		w := newWorld(t, slacktest.Config{})
		t.Cleanup(w.Close)
		ann := w.Person("ann", nil)
		for _, name := range []string{"one", "two"} {
			said(w, ann, w.Channel(name, nil, ann), 1)
		}
		w.Fail(tt.fault)
		run, err := w.Try(t.Context(), t)
		told := ""
		if err != nil {
			told = err.Error()
		}
		for _, n := range run.Failures {
			told += n.Sentence
		}
		if (err != nil) != tt.run || !strings.Contains(told, tt.says) {
			t.Errorf("%+v: %v, %+v", tt.fault, err, run.Failures)
		}
		if text := w.Words(access.Members); !tt.run && (!strings.Contains(text, "alone0.") || !strings.Contains(text, "reply0.")) {
			t.Errorf("%+v: the other channel was not read: %s", tt.fault, text)
		}
	}
}

// A thread of 5,000 replies is one document, and a workspace of 1,000 channels is listed in pages
// however small.
func TestLargeOnes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, slacktest.Config{ListPage: 50})
	t.Cleanup(w.Close)
	ann := w.Person("ann", nil)
	for i := range 1000 {
		w.Channel(numbered("room%d", i), nil, ann)
	}
	room := w.ChannelNamed("room500")
	root := ann.Earlier(room, "", "a long story", 10*time.Hour)
	for i := range 5000 {
		ann.Earlier(room, root, numbered("part%d.", i), 9*time.Hour-time.Duration(i)*time.Second)
	}
	w.options.Channels, w.options.Public = []string{"room500", "room999"}, false
	w.Sync(t)
	text := w.Words(access.Members)
	for _, i := range []int{0, 998, 999, 1000, 4999} {
		if n := strings.Count(text, numbered(" part%d.", i)); n != 1 {
			t.Errorf("part %d is there %d times", i, n)
		}
	}
	if lists, replies := w.called("users.conversations", 0), w.called("conversations.replies", 0); lists != 20 || replies != 6 {
		t.Errorf("%d calls for the channels and %d for the thread, want 20 and 6", lists, replies)
	}
	if n := len(w.IDs()); n != 1 {
		t.Errorf("%d documents", n)
	}
}

// A run that is stopped anywhere, and goes on in another process, ends with the same documents, and
// reads no part of the past again and again.
func TestARunThatIsStoppedGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, slacktest.Config{HistoryPage: 5})
	t.Cleanup(w.Close)
	ann := w.Person("ann", nil)
	for i := range 3 {
		said(w, ann, w.Channel(numbered("room%d", i), nil, ann), 20)
	}
	whole := newWorld(t, slacktest.Config{})
	whole.Close()
	whole.Server = w.Server
	whole.restart(t)
	whole.Sync(t)
	before := len(w.Calls(""))
	pieces := 1
	for ; ; pieces++ {
		if _, err := w.Pausing(t, 25); err == nil {
			break
		}
		if pieces > 200 {
			t.Fatal("it does not come to its end")
		}
		w.restart(t)
	}
	if transcripttest.Sorted(w.Words(access.Members)) != transcripttest.Sorted(whole.Words(access.Members)) {
		t.Errorf("the index holds %d documents, want %d", len(w.IDs()), len(whole.IDs()))
	}
	if calls := len(w.Calls("")) - before; pieces < 3 || calls > 2*before+25*pieces {
		t.Errorf("%d pieces made %d calls; a single one makes %d", pieces, calls, before)
	}
	if saved := w.Store.Saved(access.DefaultTenant, "slack-chat"); !saved.Succeeded {
		t.Errorf("it ended as %+v", saved)
	}
}

// A piece of time that ends while a call waits for its turn is a pause, and no failure of anything.
func TestAPieceThatEndsWhileACallWaitsIsAPause(t *testing.T) {
	t.Parallel()
	w := newWorld(t, slacktest.Config{})
	t.Cleanup(w.Close)
	ann := w.Person("ann", nil)
	said(w, ann, w.Channel("general", nil, ann), 5)
	settings := w.settings()
	settings.History = time.Hour
	reader, err := history.NewWorkspace(settings)
	if err != nil {
		t.Fatal(err)
	}
	w.history = reader
	ctx, cancel := context.WithDeadlineCause(t.Context(), time.Now().Add(2*time.Second), index.ErrPaused)
	defer cancel()
	run, err := w.Try(ctx, t)
	if !errors.Is(err, index.ErrPaused) || len(run.Failures) > 0 || run.Error != "" {
		t.Errorf("it ended as %+v, %v", run, err)
	}
}
