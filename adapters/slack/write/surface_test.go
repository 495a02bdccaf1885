package write_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/render"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/adapters/slack/write"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/google/go-cmp/cmp"
)

// desk is a thread in a workspace, and a surface that writes to it.
type desk struct {
	*slacktest.Server
	client  *slack.Client
	surface *write.Surface
	channel *slacktest.Channel
	ann     *slacktest.Person
	to      thread.Ref
}

func newDesk(t *testing.T, config slacktest.Config, edit func(*write.SurfaceOptions)) *desk {
	t.Helper()
	d := &desk{Server: slacktest.Start(config)}
	t.Cleanup(d.Close)
	d.ann = d.Person("ann", nil)
	d.channel = d.Channel("general", nil, d.ann)
	var err error
	if d.client, err = slack.New(call.Config{BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, APIURL: strings.TrimSuffix(d.URL(), "/")}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	root := d.ann.Say(d.channel, "", "question")
	d.to = thread.Ref{Platform: call.Platform, Workspace: slacktest.TeamID, Channel: d.channel.ID, Thread: root}
	o := write.SurfaceOptions{
		Turn: "turn-1", Question: thread.MessageID(root), Recipient: d.ann.ID, RecipientTeam: func(context.Context) string { return slacktest.TeamID }, Actions: []thread.Action{thread.ActionStop},
	}
	if edit != nil {
		edit(&o)
	}
	d.surface = d.client.Surface(o)
	return d
}

func page(text string) render.Page { return render.Page{Markdown: text, Text: text} }

func TestPostedAndEditedMessages(t *testing.T) {
	t.Parallel()
	d := newDesk(t, slacktest.Config{}, nil)
	p := page("**Words**")
	p.Buttons = []thread.Button{{Action: thread.ActionStop, Label: "Stop"}, {Action: thread.ActionRetry, Label: "Nobody handles this"}}
	id, err := d.surface.Post(t.Context(), d.to, p)
	if err != nil {
		t.Fatal(err)
	}
	p = page("**More words** [1](https://docs.example/a)")
	p.Notes, p.Heading, p.More = []string{"A note."}, "Sources", "And 3 more."
	p.Sources = []render.Source{{Number: 1, Title: "A <title>", URL: "https://docs.example/a", Detail: "docs.example · 2 days old"}}
	if err := d.surface.Edit(t.Context(), d.to, id, p); err != nil {
		t.Fatal(err)
	}
	got := d.Answers(d.channel, d.to.Thread)
	if len(got) != 1 || got[0].Edited {
		t.Fatalf("the thread shows %+v, want one message that does not say (edited)", got)
	}
	want := "**More words** [1](https://docs.example/a)\nA note.\n*Sources*\n<https://docs.example/a|[1] A &lt;title&gt;> · docs.example · 2 days old\nAnd 3 more."
	if diff := cmp.Diff(want, got[0].Shown()); diff != "" {
		t.Errorf("it shows (-want +got):\n%s", diff)
	}
	for _, c := range d.Calls("chat.postMessage") {
		if c.Form.Get("unfurl_links") != "false" || c.Form.Get("unfurl_media") != "false" {
			t.Errorf("links unfurl: %v", c.Form)
		}
		if !strings.Contains(c.Form.Get("blocks"), "footnote:stop:") || strings.Contains(c.Form.Get("blocks"), "Nobody handles this") {
			t.Errorf("buttons: %s", c.Form.Get("blocks"))
		}
	}
	own, err := d.surface.Own(t.Context(), d.to)
	if diff := cmp.Diff([]thread.MessageID{id}, own); diff != "" || err != nil {
		t.Errorf("own messages (-want +got), error %v:\n%s", err, diff)
	}
	other := d.client.Surface(write.SurfaceOptions{Turn: "turn-2", Question: thread.MessageID(d.to.Thread)})
	if own, err := other.Own(t.Context(), d.to); len(own) != 0 || err != nil {
		t.Errorf("another turn owns %v, error %v", own, err)
	}
	if err := d.surface.Delete(t.Context(), d.to, id); err != nil {
		t.Fatal(err)
	}
	if err := d.surface.Delete(t.Context(), d.to, id); err != nil {
		t.Errorf("deleting what has gone: %v", err)
	}
	if err := d.surface.Edit(t.Context(), d.to, id, p); !errors.Is(err, thread.ErrMessageGone) {
		t.Errorf("editing what has gone: %v", err)
	}
}

// A call that was sent may take effect although the attempt has ended. The next attempt waits for
// it, so it must not return before Slack has answered.
func TestSentCallOutlivesItsAttempt(t *testing.T) {
	t.Parallel()
	d := newDesk(t, slacktest.Config{}, nil)
	id, err := d.surface.Post(t.Context(), d.to, page("words"))
	if err != nil {
		t.Fatal(err)
	}
	d.Fail(slacktest.Fault{Method: "chat.update", Delay: 300 * time.Millisecond})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := d.surface.Edit(ctx, d.to, id, page("more words")); err != nil {
		t.Errorf("the edit failed: %v", err)
	}
	if ctx.Err() == nil {
		t.Error("Slack answered before the attempt ended")
	}
	if got := d.Answers(d.channel, d.to.Thread); len(got) != 1 || got[0].Shown() != "more words" {
		t.Errorf("the thread shows %+v when the call has returned", got)
	}
}

func TestStreams(t *testing.T) {
	t.Parallel()
	d := newDesk(t, slacktest.Config{}, nil)
	id, err := d.surface.Start(t.Context(), d.to, render.Page{Tasks: []render.Task{{ID: "search-1", Title: "vpn", Status: render.TaskRunning}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, piece := range []render.Page{{Markdown: "One "}, {}, {Markdown: "two "}} {
		if err := d.surface.Append(t.Context(), d.to, id, piece); err != nil {
			t.Fatal(err)
		}
	}
	// Somebody else takes the turn over and edits what is still a stream.
	other := d.client.Surface(write.SurfaceOptions{Turn: "turn-1", Question: thread.MessageID(d.to.Thread)})
	if err := other.Edit(t.Context(), d.to, id, page("One two three")); err != nil {
		t.Fatal(err)
	}
	if err := d.surface.Append(t.Context(), d.to, id, render.Page{Markdown: "three"}); err == nil {
		t.Error("a closed stream was appended to")
	}
	if got := d.Answers(d.channel, d.to.Thread)[0]; got.Streaming || !strings.HasSuffix(got.Shown(), "One two three") {
		t.Errorf("it shows %q", got.Shown())
	}
	if own, err := other.Own(t.Context(), d.to); !slices.Equal(own, []thread.MessageID{id}) || err != nil {
		t.Errorf("own messages %v, error %v", own, err)
	}
}

// Slack takes no edit of a stream that goes on: it is ended first, as far as anybody knows of it.
func TestStreamIsEndedBeforeItIsEdited(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		other, looks bool
		refused      int
	}{
		"by the process that began it":  {},
		"by another one that found it":  {other: true, looks: true, refused: 1},
		"by another one that was blind": {other: true, refused: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, slacktest.Config{}, nil)
			id, err := d.surface.Start(t.Context(), d.to, page("One "))
			if err != nil {
				t.Fatal(err)
			}
			client := d.client
			if tt.other { // a process that takes the turn over
				if client, err = slack.New(call.Config{BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, APIURL: d.URL()}); err != nil {
					t.Fatal(err)
				}
				if _, err := client.Connect(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			surface := client.Surface(write.SurfaceOptions{Turn: "turn-1", Question: thread.MessageID(d.to.Thread)})
			if tt.looks {
				if _, err := surface.Own(t.Context(), d.to); err != nil {
					t.Fatal(err)
				}
			}
			for _, text := range []string{"One two", "One two three"} {
				if err := surface.Edit(t.Context(), d.to, id, page(text)); err != nil {
					t.Fatal(err)
				}
			}
			if got := d.Answers(d.channel, d.to.Thread)[0]; got.Streaming || !strings.HasSuffix(got.Shown(), "One two three") {
				t.Errorf("it shows %q", got.Shown())
			}
			refused := 0
			for _, c := range d.Calls("chat.update") {
				if c.Error != "" {
					refused++
				}
			}
			if stops := len(d.Calls("chat.stopStream")); refused != tt.refused || stops != 1 {
				t.Errorf("%d edits were refused and %d streams ended, want %d and 1", refused, stops, tt.refused)
			}
		})
	}
}

// TestOrdinaryMessageIsEditedWithoutClosingIt takes over a message that was posted, not streamed,
// and that bears no mark.
func TestOrdinaryMessageIsEditedWithoutClosingIt(t *testing.T) {
	t.Parallel()
	d := newDesk(t, slacktest.Config{}, nil)
	r, err := http.PostForm(d.URL()+"chat.postMessage", url.Values{
		"token": {slacktest.BotToken}, "channel": {d.to.Channel}, "thread_ts": {d.to.Thread}, "text": {"One"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Body.Close(); err != nil {
		t.Fatal(err)
	}
	id := thread.MessageID(d.Answers(d.channel, d.to.Thread)[0].TS)
	surface := d.client.Surface(write.SurfaceOptions{Turn: "turn-1", Question: thread.MessageID(d.to.Thread)})
	if _, err := surface.Own(t.Context(), d.to); err != nil {
		t.Fatal(err)
	}
	if err := surface.Edit(t.Context(), d.to, id, page("One two")); err != nil {
		t.Fatal(err)
	}
	if stops := len(d.Calls("chat.stopStream")); stops != 0 {
		t.Errorf("chat.stopStream was called %d times on an ordinary message", stops)
	}
}

// Slack was seen to end the stream of a reader in another organisation with user_not_found.
func TestStreamThatEndsWithAnErrorIsRepaired(t *testing.T) {
	t.Parallel()
	d := newDesk(t, slacktest.Config{}, nil)
	id, err := d.surface.Start(t.Context(), d.to, page("One "))
	if err != nil {
		t.Fatal(err)
	}
	d.Fail(slacktest.Fault{Method: "chat.stopStream", Error: "user_not_found", After: true, Times: 2})
	if err := d.surface.Stop(t.Context(), d.to, id, page("two")); err == nil {
		t.Fatal("the stream was ended without an error")
	}
	if err := d.surface.Edit(t.Context(), d.to, id, page("One two")); err != nil {
		t.Fatal(err)
	}
	if got := d.Answers(d.channel, d.to.Thread)[0]; got.Streaming || !strings.HasSuffix(got.Shown(), "One two") {
		t.Errorf("it shows %q", got.Shown())
	}
	id, err = d.surface.Start(t.Context(), d.to, page("Three "))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.surface.Edit(t.Context(), d.to, id, page("Three")); err != nil { // what was streamed is ended first
		t.Error(err)
	}
}

func TestStartSaysWhereThereIsNoStream(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		slack slacktest.Config
		edit  func(*write.SurfaceOptions)
		piece render.Page
		calls int
		fault slacktest.Fault
	}{
		{name: "a Slack that has no such page", fault: slacktest.Fault{Method: "chat.startStream", Status: http.StatusNotFound}, calls: 1},
		{name: "a Slack that nods to everything", fault: slacktest.Fault{Method: "chat.startStream", Bare: true}, calls: 1},
		{name: "workspace without streams, asked once", slack: slacktest.Config{NoStreams: true}, calls: 1},
		{name: "nobody to stream to", edit: func(o *write.SurfaceOptions) { o.Recipient = "" }},
		{name: "answer that is complete", piece: render.Page{Done: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, tt.slack, tt.edit)
			if tt.fault.Method != "" {
				d.Fail(tt.fault)
			}
			tt.piece.Markdown = "words"
			for range 2 {
				if _, err := d.surface.Start(t.Context(), d.to, tt.piece); !errors.Is(err, thread.ErrNoStream) {
					t.Errorf("Start() = %v, want ErrNoStream", err)
				}
			}
			if n := len(d.Calls("chat.startStream")); n != tt.calls {
				t.Errorf("Slack was asked %d times, want %d", n, tt.calls)
			}
		})
	}
}

func TestErrorsOfSendingAreTranslated(t *testing.T) {
	t.Parallel()
	limit := func(d time.Duration) func(error) bool {
		return func(err error) bool {
			var limited *thread.RateLimitError
			return errors.As(err, &limited) && limited.RetryAfter == d
		}
	}
	is := func(target error) func(error) bool { return func(err error) bool { return errors.Is(err, target) } }
	neither := func(err error) bool {
		return err != nil && !errors.Is(err, thread.ErrOutcomeUnknown) && !errors.Is(err, thread.ErrNotPermitted)
	}
	tests := []struct {
		name       string
		fault      slacktest.Fault
		post, edit func(error) bool
	}{
		{"429", slacktest.Fault{Status: http.StatusTooManyRequests, RetryAfter: 7 * time.Second}, limit(7 * time.Second), limit(7 * time.Second)},
		{"ratelimited in a good answer", slacktest.Fault{Error: "ratelimited"}, limit(5 * time.Second), limit(5 * time.Second)},
		{"503", slacktest.Fault{Status: http.StatusServiceUnavailable}, is(thread.ErrOutcomeUnknown), neither},
		{"400", slacktest.Fault{Status: http.StatusBadRequest}, neither, neither},
		{"a page instead of an answer", slacktest.Fault{Status: http.StatusOK}, is(thread.ErrOutcomeUnknown), neither},
		{"closed connection", slacktest.Fault{Drop: true}, is(thread.ErrOutcomeUnknown), neither},
		{"internal error", slacktest.Fault{Error: "internal_error"}, is(thread.ErrOutcomeUnknown), neither},
		{"not in the channel", slacktest.Fault{Error: "not_in_channel"}, is(thread.ErrNotPermitted), is(thread.ErrNotPermitted)},
		{"token revoked", slacktest.Fault{Error: "token_revoked"}, is(thread.ErrNotPermitted), is(thread.ErrNotPermitted)},
		{"too long", slacktest.Fault{Error: "msg_too_long"}, is(thread.ErrRefused), is(thread.ErrRefused)},
		{"blocks", slacktest.Fault{Error: "invalid_blocks"}, is(thread.ErrRefused), is(thread.ErrRefused)},
		{"what is not known", slacktest.Fault{Error: "never_heard_of"}, is(thread.ErrRefused), is(thread.ErrRefused)},
		{"archived", slacktest.Fault{Error: "is_archived"}, is(thread.ErrNotPermitted), is(thread.ErrNotPermitted)},
		{"no account", slacktest.Fault{Error: "account_inactive"}, is(thread.ErrNotPermitted), is(thread.ErrNotPermitted)},
		{"not to be changed", slacktest.Fault{Error: "cant_update_message"}, is(thread.ErrNotEditable), is(thread.ErrNotEditable)},
		{"window closed", slacktest.Fault{Error: "edit_window_closed"}, is(thread.ErrNotEditable), is(thread.ErrNotEditable)},
		{"gone", slacktest.Fault{Error: "message_not_found"}, is(thread.ErrMessageGone), is(thread.ErrMessageGone)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, slacktest.Config{}, nil)
			id, err := d.surface.Post(t.Context(), d.to, page("words"))
			if err != nil {
				t.Fatal(err)
			}
			tt.fault.Times = 2
			d.Fail(tt.fault)
			if _, err := d.surface.Post(t.Context(), d.to, page("words")); !tt.post(err) {
				t.Errorf("Post() = %v", err)
			}
			if err := d.surface.Edit(t.Context(), d.to, id, page("more")); !tt.edit(err) {
				t.Errorf("Edit() = %v", err)
			}
		})
	}
}

func TestRefusalHoldsOtherAnswersBack(t *testing.T) {
	t.Parallel()
	d := newDesk(t, slacktest.Config{}, nil)
	d.Fail(slacktest.Fault{Method: "chat.update", Status: http.StatusTooManyRequests, RetryAfter: time.Hour})
	if err := d.surface.Edit(t.Context(), d.to, "1.1", page("x")); err == nil {
		t.Fatal("the edit was not refused")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := d.client.Pacing().Reserve(ctx, d.to, thread.Edit, thread.Final); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("another edit may go ahead: %v", err)
	}
}

func TestMissingScopeIsNamed(t *testing.T) {
	t.Parallel()
	without := func(scope string) []string {
		return slices.DeleteFunc(slices.Clone(slacktest.AllScopes), func(s string) bool { return s == scope })
	}
	d := newDesk(t, slacktest.Config{Scopes: without("chat:write")}, nil)
	_, err := d.surface.Post(t.Context(), d.to, page("x"))
	if !errors.Is(err, thread.ErrNotPermitted) || !strings.Contains(err.Error(), "lacks the scope chat:write (to answer") {
		t.Errorf("Post() = %v", err)
	}
	d = newDesk(t, slacktest.Config{}, nil)
	d.Fail(slacktest.Fault{Method: "chat.postMessage", Error: "missing_scope"})
	if _, err := d.surface.Post(t.Context(), d.to, page("x")); err == nil || !strings.Contains(err.Error(), "lacks a scope, and Slack does not say which") {
		t.Errorf("Post() = %v where Slack does not name the scope", err)
	}
	d = newDesk(t, slacktest.Config{Scopes: without("channels:history")}, nil)
	if own, err := d.surface.Own(t.Context(), d.to); own != nil || err != nil {
		t.Errorf("without history: %v, %v", own, err)
	}
}

func TestPiecesAreSplitAndStreamsRenewed(t *testing.T) {
	t.Parallel()
	var s write.Surface
	piece := render.Page{
		Markdown: "a", Rolls: []string{"b", "c"}, Tasks: []render.Task{{ID: "1"}}, Notes: []string{"n"}, Number: 4, Done: true,
		Cut: render.Cut{Close: "\n```", Open: "```go\n"},
	}
	parts, end := s.Split(piece)
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.Markdown)
	}
	if diff := cmp.Diff([]string{"a", "b", "c"}, texts); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if parts[2].Number != 4 || parts[1].Number != 3 || len(parts[1].Tasks) > 0 {
		t.Errorf("parts: %+v", parts)
	}
	if end.Markdown != "" || end.Tasks != nil || !slices.Equal(end.Notes, piece.Notes) {
		t.Errorf("end: %+v", end)
	}
	closing, opening, more := s.Renew(parts[2])
	if closing.Markdown != "\n```" || opening.Markdown != "```go\n" || !more {
		t.Errorf("renewed with %q and %q, %v", closing.Markdown, opening.Markdown, more)
	}
	if _, _, more := s.Renew(render.Page{Markdown: "plain"}); more {
		t.Errorf("plain text needs nothing to go on")
	}
}
