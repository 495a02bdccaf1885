package slackbot_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/slackbot"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
)

// growing is an answer of so many sentences that takes a while.
func growing(sentences int, gap time.Duration) llmtest.Reply {
	var r llmtest.Reply
	for i := range sentences {
		r = append(r, llmtest.Text(fmt.Sprintf("This is sentence number %d of the answer. ", i+1)), llmtest.Sleep(gap))
	}
	return append(r, llmtest.Text("The end."))
}

// whole reports what is wrong with a growing answer.
func whole(shown string, sentences int) error {
	at := 0
	for i := range sentences {
		sentence := fmt.Sprintf("sentence number %d of", i+1)
		switch n := strings.Count(shown, sentence); {
		case n != 1:
			return fmt.Errorf("%q stands there %d times", sentence, n)
		case strings.Index(shown, sentence) < at:
			return fmt.Errorf("%q is out of order", sentence)
		}
		at = strings.Index(shown, sentence)
	}
	if !strings.Contains(shown, "The end.") {
		return fmt.Errorf("the end is missing")
	}
	return nil
}

func TestAnswerSurvivesWhatSlackDoes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		slack  slacktest.Config
		faults []slacktest.Fault
		bot    func(*slackbot.Config)
		posts  bool // the answer is posted and edited
	}{
		{name: "nothing"},
		{name: "a workspace without streams", slack: slacktest.Config{NoStreams: true}, posts: true},
		{name: "a refused append", faults: []slacktest.Fault{{Method: "chat.appendStream", Status: 429, RetryAfter: time.Second}}},
		{name: "a refused stop", faults: []slacktest.Fault{{Method: "chat.stopStream", Status: 429, RetryAfter: time.Second}}},
		{name: "ratelimited in a good answer", faults: []slacktest.Fault{{Method: "chat.appendStream", Error: "ratelimited"}}},
		{name: "an append that fails", faults: []slacktest.Fault{{Method: "chat.appendStream", Status: 503}}},
		{name: "an append that is carried out and not confirmed", faults: []slacktest.Fault{{Method: "chat.appendStream", Drop: true, After: true}}},
		{name: "a refused start", faults: []slacktest.Fault{{Method: "chat.startStream", Status: 429, RetryAfter: time.Minute}}, posts: true},
		{name: "a start that fails", faults: []slacktest.Fault{{Method: "chat.startStream", Status: 500}}, posts: true},
		{name: "a start that is carried out and not confirmed", faults: []slacktest.Fault{{Method: "chat.startStream", Drop: true, After: true}}},
		{name: "a stop that is carried out and not confirmed", faults: []slacktest.Fault{{Method: "chat.stopStream", Status: 502, After: true}}},
		{
			name: "a post that is carried out and not confirmed", slack: slacktest.Config{NoStreams: true}, posts: true,
			faults: []slacktest.Fault{{Method: "chat.postMessage", Drop: true, After: true}},
		},
		{
			name: "edits that fail", slack: slacktest.Config{NoStreams: true}, posts: true,
			faults: []slacktest.Fault{{Method: "chat.update", Status: 503, Times: 3}},
		},
		{
			name: "a workspace without markdown blocks", slack: slacktest.Config{NoStreams: true}, posts: true,
			faults: []slacktest.Fault{{Method: "chat.postMessage", Error: "invalid_blocks"}, {Method: "chat.update", Error: "msg_blocks_too_long"}},
		},
		{name: "a stream that Slack closes", slack: slacktest.Config{StreamLife: time.Second}},
		{name: "a stream that grows old", bot: func(c *slackbot.Config) { c.Slack.StreamAge = time.Second }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := play(t, options{slack: tt.slack, bot: tt.bot}, growing(12, 200*time.Millisecond))
			for _, f := range tt.faults {
				s.Fail(f)
			}
			root := s.ann.Say(s.general, "", slacktest.Mention()+" tell me")
			var shown []string
			s.wait("one whole answer stands there", func() bool {
				shown = nil
				for _, m := range s.Answers(s.general, root) {
					if !finished(m) {
						return false
					}
					shown = append(shown, m.Shown())
				}
				return len(shown) == 1 && whole(shown[0], 12) == nil
			})
			s.halt() // and nothing changes it afterwards
			if got := s.Answers(s.general, root); len(got) != 1 || whole(got[0].Shown(), 12) != nil {
				t.Errorf("%d messages at the end: %v", len(got), got)
			}
			if started := len(s.Calls("chat.postMessage")) > 0; started != tt.posts {
				t.Errorf("the answer was posted: %v, want %v", started, tt.posts)
			}
		})
	}
}

func TestRefusalIsObeyed(t *testing.T) {
	t.Parallel()
	s := play(t, options{slack: slacktest.Config{NoStreams: true}}, growing(30, 100*time.Millisecond))
	s.Fail(slacktest.Fault{Method: "chat.update", Status: http.StatusTooManyRequests, RetryAfter: 2 * time.Second})
	root := s.ann.Say(s.general, "", slacktest.Mention()+" tell me")
	shown := s.answered(s.general, root, 1)
	if err := whole(shown[0], 30); err != nil {
		t.Error(err)
	}
	var refused time.Time
	for _, c := range s.Calls("chat.update") {
		if c.Status == http.StatusTooManyRequests {
			refused = c.At
		} else if !refused.IsZero() && c.At.Sub(refused) < 2*time.Second {
			t.Errorf("an edit came %s after a refusal that asked for 2s", c.At.Sub(refused))
		}
	}
	if n := s.Limited(); n != 1 {
		t.Errorf("%d refusals, want only the first", n)
	}
}

func TestLongAnswerBecomesSeveralMessages(t *testing.T) {
	t.Parallel()
	for _, streams := range []bool{true, false} {
		t.Run(fmt.Sprintf("streams %v", streams), func(t *testing.T) {
			t.Parallel()
			var r llmtest.Reply
			var want int
			for i := range 60 {
				r = append(r, llmtest.Text(strings.Repeat(fmt.Sprintf("paragraph %d goes on. ", i), 48)+"\n\n"), llmtest.Sleep(20*time.Millisecond))
				want += 48
			}
			s := play(t, options{slack: slacktest.Config{NoStreams: !streams}}, r)
			root := s.ann.Say(s.general, "", slacktest.Mention()+" tell me")
			s.wait("all of it stands there", func() bool {
				got := 0
				for _, m := range s.Answers(s.general, root) {
					if !finished(m) {
						return false
					}
					got += strings.Count(m.Shown(), "goes on.")
				}
				return got == want
			})
			if n := len(s.Answers(s.general, root)); n < 5 || n > 8 {
				t.Errorf("%d messages for 60,000 characters", n)
			}
			if n := s.Limited(); n != 0 {
				t.Errorf("%d calls were refused", n)
			}
		})
	}
}

func TestSocketsMayComeAndGo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		do   func(*stage)
	}{
		{"refresh", func(s *stage) { s.Disconnect("refresh_requested") }},
		{"warning", func(s *stage) { s.Disconnect("warning") }},
		{"cut", func(s *stage) { s.CutSockets() }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := play(t, options{slack: slacktest.Config{AckWithin: 300 * time.Millisecond}},
				llmtest.Answer("Answer one."), llmtest.Answer("Answer two."), llmtest.Answer("Answer three."))
			var roots []string
			for i := range 3 {
				tt.do(s)
				roots = append(roots, s.ann.Say(s.general, "", fmt.Sprintf("%s question %d", slacktest.Mention(), i)))
			}
			for _, root := range roots {
				if shown := s.answered(s.general, root, 1); len(shown) != 1 {
					t.Errorf("%d answers, want 1", len(shown))
				}
			}
			if n := len(s.model.Requests()); n != 3 {
				t.Errorf("the model was asked %d times, want 3", n)
			}
		})
	}
}

func TestDisconnectStormIsNoStorm(t *testing.T) {
	t.Parallel()
	s := play(t, options{bot: func(c *slackbot.Config) { c.Slack.Sockets, c.Slack.Reconnect = 1, time.Minute }})
	s.wait("no connection is opened any more", func() bool {
		connected, ever := s.Sockets()
		if connected > 0 {
			s.Disconnect("link_disabled")
		}
		return ever == 4
	})
	if n := len(s.Calls("apps.connections.open")); n > 5 {
		t.Errorf("%d connections were opened", n)
	}
}

func TestUnknownAndMalformedEventsAreAcknowledged(t *testing.T) {
	t.Parallel()
	s := play(t, options{slack: slacktest.Config{AckWithin: time.Minute}}, llmtest.Answer("Still here."))
	s.Event(map[string]any{"type": "something_new", "channel": s.general.ID})
	s.Event(map[string]any{"type": "message", "channel": s.general.ID, "blocks": "not a list", "text": 5})
	s.Event(map[string]any{"type": "reaction_added", "item": "nothing"})
	s.quiet(3)
	for _, d := range s.Deliveries() {
		if d.Acked.IsZero() || d.Attempts != 1 {
			t.Errorf("%s was delivered %d times, acknowledged %v", d.Event, d.Attempts, d.Acked)
		}
	}
	root := s.ann.Say(s.general, "", slacktest.Mention()+" hello?")
	s.answered(s.general, root, 1)
}

func TestBotThatWasRemovedFromTheChannelEndsItsTurn(t *testing.T) {
	t.Parallel()
	removed := make(chan struct{})
	s := play(t, options{}, llmtest.Reply{llmtest.Wait(removed), llmtest.Text("Too late. ")}, llmtest.Answer("In private."))
	s.ann.Say(s.general, "", slacktest.Mention()+" hello?")
	s.wait("it is being answered", func() bool { return len(s.model.Requests()) == 1 })
	s.Kick(s.general)
	close(removed)
	dm, root := s.ann.DM("", "and here?")
	s.answered(dm, root, 1)
	s.wait("the first turn has ended", func() bool { return s.model.Open() == 0 })
}

func TestEventsOverHTTP(t *testing.T) {
	t.Parallel()
	var bot *slackbot.Bot
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { bot.Handler().ServeHTTP(w, r) }))
	t.Cleanup(front.Close)
	s := play(t, options{
		slack: slacktest.Config{EventsURL: front.URL + "/slack/events"},
		bot:   func(c *slackbot.Config) { c.AppToken, c.SigningSecret = "", slacktest.SigningSecret },
	}, llmtest.Answer("Over HTTP."), llmtest.Answer("By command."))
	bot = s.bot
	root := s.ann.Say(s.general, "", slacktest.Mention()+" hello?")
	s.answered(s.general, root, 1)
	id := s.ann.Slash(s.general, "/ask", "and this?")
	s.wait("the command is acknowledged", func() bool { _, ok := s.Delivered(id); return ok })
	if got := len(s.model.Requests()); got > 2 {
		t.Errorf("the model was asked %d times", got)
	}
}

func TestWrongSettingsEndWithASentence(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		scopes []string
		edit   func(*slackbot.Config)
		want   []string
	}{
		{name: "no token", edit: func(c *slackbot.Config) { c.BotToken = "" }, want: []string{"SLACK_BOT_TOKEN", "xoxb-"}},
		{name: "tokens exchanged", edit: func(c *slackbot.Config) { c.BotToken, c.AppToken = c.AppToken, c.BotToken }, want: []string{"SLACK_APP_TOKEN", "app-level"}},
		{name: "neither way of delivery", edit: func(c *slackbot.Config) { c.AppToken = "" }, want: []string{"SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"}},
		{name: "a wrong bot token", edit: func(c *slackbot.Config) { c.BotToken = "xoxb-wrong" }, want: []string{"copy it again", "OAuth & Permissions"}},
		{name: "a wrong app token", edit: func(c *slackbot.Config) { c.AppToken = "xapp-wrong" }, want: []string{"copy it again", "Basic Information"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := slacktest.Start(slacktest.Config{Scopes: tt.scopes})
			t.Cleanup(server.Close)
			config := slackbot.Config{BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, APIURL: server.URL()}
			tt.edit(&config)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			err := func() error {
				store := sessiontest.NewMemory()
				client, err := slackbot.New(config, slackbot.Deps{Store: store})
				if err != nil {
					return err
				}
				if err := client.Connect(ctx); err != nil {
					return err
				}
				listening, err := slack.New(slack.Config{BotToken: config.BotToken, AppToken: config.AppToken, APIURL: config.APIURL})
				if err != nil {
					return err
				}
				return listening.Listen(ctx, client.Event)
			}()
			if err == nil || ctx.Err() != nil {
				t.Fatalf("it went on: %v", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "wrong") && strings.Contains(err.Error(), "xoxb-wrong") {
				t.Errorf("%q holds a token", err)
			}
		})
	}
}

func TestWhoListens(t *testing.T) {
	t.Parallel()
	s := play(t, options{})
	guest := s.Person("guest", func(p *slacktest.Person) { p.Guest = true })
	partner := s.Person("partner", func(p *slacktest.Person) { p.Team = "T0OTHER" })
	closed := s.Channel("closed", func(c *slacktest.Channel) { c.Private = true }, s.ann)
	shared := s.Channel("shared", func(c *slacktest.Channel) { c.Shared = true }, s.ann, partner)
	withGuest := s.Channel("with-guest", nil, s.ann, guest)
	joined := s.Channel("joined", nil, s.ann)
	client, err := slack.New(slack.Config{
		BotToken: slacktest.BotToken, APIURL: s.URL(), Domains: func() []string { return []string{"example.com"} },
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Connect(s.ctx); err != nil {
		t.Fatal(err)
	}
	grid := s.Person("grid", func(p *slacktest.Person) { p.Team, p.Enterprise = "T0OTHER", "E0OTHER" })
	withGrid := s.Channel("with-grid", nil, s.ann, grid)
	terse := s.Person("terse", func(p *slacktest.Person) { p.Team = "" }) // by way of a proxy that leaves the team out
	inGeneral, inJoined := access.Channel("slack", s.general.ID), access.Channel("slack", joined.ID)
	annsOwn := []access.Principal{access.Members, access.User("slack", s.ann.ID), access.User("email", "ann@example.com"), inGeneral, inJoined,
		access.Channel("slack", closed.ID), access.Channel("slack", shared.ID), access.Channel("slack", withGuest.ID), access.Channel("slack", withGrid.ID)}
	tests := []struct {
		name            string
		channel, person string
		direct          bool
		want            []access.Principal
	}{
		{name: "public channel", channel: s.general.ID, person: s.ann.ID, want: []access.Principal{access.Members, access.Channel("slack", s.general.ID)}},
		{name: "private channel", channel: closed.ID, person: s.ann.ID, want: []access.Principal{access.Members, access.Channel("slack", closed.ID)}},
		{name: "shared channel", channel: shared.ID, person: s.ann.ID, want: []access.Principal{access.Channel("slack", shared.ID)}},
		{name: "channel with a guest", channel: withGuest.ID, person: s.ann.ID, want: []access.Principal{access.Channel("slack", withGuest.ID)}},
		{name: "channel that cannot be seen", channel: "C0NOWHERE", person: s.ann.ID, want: []access.Principal{access.Channel("slack", "C0NOWHERE")}},
		{name: "channel with somebody of another organisation", channel: withGrid.ID, person: s.ann.ID, want: []access.Principal{access.Channel("slack", withGrid.ID)}},
		{name: "member in private", person: s.ann.ID, direct: true, want: annsOwn},
		{name: "guest in private", person: guest.ID, direct: true, want: []access.Principal{access.User("slack", guest.ID), access.Channel("slack", withGuest.ID)}},
		{name: "partner in private", person: partner.ID, direct: true, want: []access.Principal{access.User("slack", partner.ID), access.Channel("slack", shared.ID)}},
		{name: "member of another organisation in private", person: grid.ID, direct: true, want: []access.Principal{access.User("slack", grid.ID), access.Channel("slack", withGrid.ID)}},
		{name: "member whose team is left out", person: terse.ID, direct: true,
			want: []access.Principal{access.Members, access.User("slack", terse.ID), access.User("email", "terse@example.com")}},
		{name: "nobody known in private", person: "U0NOBODY", direct: true, want: []access.Principal{access.User("slack", "U0NOBODY")}},
		{name: "quiet channel", channel: joined.ID, person: s.ann.ID, want: []access.Principal{access.Members, access.Channel("slack", joined.ID)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			there, _ := client.Present(s.ctx, tt.channel)
			if tt.direct {
				there, _ = client.Alone(s.ctx, tt.person)
			}
			got := access.AudienceOf(there.Tenant, there.Held)
			if want := access.NewAudience(access.DefaultTenant, tt.want...); got.Key() != want.Key() {
				t.Errorf("Audience() = %v, want %v", got.Principals(), want.Principals())
			}
		})
	}
}

// sickly is an inbox that fails a few times.
type sickly struct {
	answer.Store
	fails atomic.Int32
}

func (s *sickly) Accept(ctx context.Context, in session.Intake) (session.Accepted, error) {
	if s.fails.Add(-1) >= 0 {
		return session.Accepted{}, errors.New("the database is down")
	}
	return s.Store.Accept(ctx, in)
}

func TestEventIsAcknowledgedOnlyWhenItIsTakenIn(t *testing.T) {
	t.Parallel()
	o := options{slack: slacktest.Config{AckWithin: 200 * time.Millisecond}}
	s := play(t, o, llmtest.Answer("Yes."))
	s.halt()
	inbox := &sickly{Store: s.store}
	inbox.fails.Store(3)
	o.inbox = inbox
	read := len(s.Calls("conversations.history"))
	s.start(o)
	s.wait("the start has read what it reads", func() bool { return len(s.Calls("conversations.history")) > read })
	root := s.ann.Say(s.general, "", slacktest.Mention()+" is it?")
	s.answered(s.general, root, 1)
	s.wait("both events of the message are acknowledged", func() bool {
		attempts := 0
		for _, d := range s.Deliveries() {
			if strings.Contains(string(d.Payload), "is it?") && !strings.Contains(string(d.Payload), "bot_id") {
				attempts += d.Attempts
			}
		}
		return attempts >= 5 // two deliveries, of which three were not taken in and came again; more where the machine is slower than Slack waits
	})
}

// A command, which Slack delivers once, is tried until the database is back.
func TestCommandIsTakenInOnceTheDatabaseIsBack(t *testing.T) {
	t.Parallel()
	o := options{}
	s := play(t, o, llmtest.Answer("Yes."))
	s.halt()
	inbox := &sickly{Store: s.store}
	inbox.fails.Store(2)
	o.inbox = inbox
	s.start(o)
	s.ann.Slash(s.general, "/ask", "is it?")
	s.wait("it is answered", func() bool {
		return slices.ContainsFunc(s.Roots(s.general), func(m slacktest.Message) bool {
			return slices.ContainsFunc(s.Answers(s.general, m.TS), func(m slacktest.Message) bool { return finished(m) && strings.HasPrefix(m.Shown(), "Yes.") })
		})
	})
}

func TestAnswerOfAProcessThatEndedIsFinishedByTheNext(t *testing.T) {
	t.Parallel()
	for _, streams := range []bool{true, false} {
		t.Run(fmt.Sprintf("streams %v", streams), func(t *testing.T) {
			t.Parallel()
			s := play(t, options{slack: slacktest.Config{NoStreams: !streams}},
				llmtest.Reply{llmtest.Text("Half an answer stands here. "), llmtest.Hang()}, llmtest.Answer("The whole answer."))
			root := s.ann.Say(s.general, "", slacktest.Mention()+" tell me")
			s.wait("half of it is seen", func() bool { return len(s.Answers(s.general, root)) == 1 })
			s.halt()
			s.start(options{})
			s.wait("the whole answer stands there", func() bool {
				a := s.Answers(s.general, root)
				return len(a) == 1 && finished(a[0]) && strings.HasPrefix(a[0].Shown(), "The whole answer.")
			})
			conflicts := 0 // the process learns from a refused edit that the message is a stream
			for _, c := range slices.Concat(s.Calls("chat.update"), s.Calls("chat.stopStream")) {
				if c.Error == "streaming_state_conflict" && streams {
					conflicts++
				} else if c.Error != "" {
					t.Errorf("%s was refused: %s", c.Method, c.Error)
				}
			}
			if stops := len(s.Calls("chat.stopStream")); conflicts > 1 || !streams && stops > 0 {
				t.Errorf("%d edits met a stream, and %d streams were ended", conflicts, stops)
			}
		})
	}
}
