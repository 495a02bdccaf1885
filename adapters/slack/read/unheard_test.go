package read_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/thread"
)

// A channel or thread that Slack does not return for a while is read again, and only that. What
// Slack refuses is not.
func TestUnheardReadsAgainWhatFailed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fault slacktest.Fault
		again bool
	}{
		"down":    {slacktest.Fault{Status: http.StatusServiceUnavailable}, true},
		"refused": {slacktest.Fault{Error: "not_in_channel"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := slacktest.Start(slacktest.Config{NoTiers: true})
			t.Cleanup(s.Close)
			ann := s.Person("ann", nil)
			first, second := s.Channel("general", nil, ann), s.Channel("random", nil, ann)
			ann.Earlier(first, "", slacktest.Mention()+" One?", time.Minute)
			ann.Earlier(second, "", slacktest.Mention()+" Two?", time.Minute)
			root := ann.Earlier(second, "", "Old.", 400*time.Hour)
			ann.Earlier(second, root, slacktest.Mention()+" Three?", time.Minute)
			client, err := slack.New(slack.Config{BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, APIURL: s.URL(), Scan: time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := client.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			done, since := make(slack.Done), time.Now().Add(-time.Hour)
			look := func() (heard []string, failures []error) {
				visit := func(m chat.Message) error { heard = append(heard, m.Text); return nil }
				failures = append(failures, client.Unheard(t.Context(), since, []string{second.ID}, done, visit))
				return heard, append(failures, client.UnheardIn(t.Context(), thread.Ref{Channel: second.ID, Thread: root}, since, done, visit))
			}
			for _, method := range []string{"conversations.history", "conversations.replies"} {
				tt.fault.Method, tt.fault.Holds, tt.fault.Times = method, second.ID, 1<<20
				s.Fail(tt.fault)
			}
			heard, failures := look()
			if !slices.Equal(heard, []string{"One?"}) {
				t.Errorf("the first look hears %q", heard)
			}
			for i, err := range failures {
				if call.Transient(err) != tt.again {
					t.Errorf("failure %d of the first look is %v", i, err)
				}
			}
			s.Mend()
			var want []string
			if tt.again {
				want = []string{"Two?", "Three?"}
			}
			if heard, failures = look(); !slices.Equal(heard, want) || failures[0] != nil || failures[1] != nil {
				t.Errorf("the second look hears %q, want %q: %v", heard, want, failures)
			}
		})
	}
}
