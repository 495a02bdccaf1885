package read_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/thread"
)

// Of a long thread the newest messages before the question are read, wherever most of them lie.
func TestRepliesOfLongThread(t *testing.T) {
	t.Parallel()
	even := func(i int) time.Duration { return time.Duration(1500-i) * time.Minute }
	for name, tt := range map[string]struct {
		replies int
		ago     func(i int) time.Duration
		config  slacktest.Config
		least   int // newest messages that are read
		after   int // reply up to which the thread is known; 0: none
		all     bool
	}{
		"short": {replies: 600, ago: even, least: 600, all: true},
		"long":  {replies: 1400, ago: even, least: 100},
		"most at the end": {replies: 1400, ago: func(i int) time.Duration {
			return time.Duration(1500-i)*time.Second + time.Duration(max(0, 15-i))*24*time.Hour
		}, least: 10},
		"long, mostly known": {replies: 1400, ago: even, after: 1300, least: 100, all: true},
		"short pages":        {replies: 1400, ago: even, config: slacktest.Config{Distributed: true}, least: 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.config.NoTiers = true
			s := slacktest.Start(tt.config)
			t.Cleanup(s.Close)
			ann := s.Person("ann", nil)
			general := s.Channel("general", nil, ann)
			root := ann.Earlier(general, "", "The root.", 1000*time.Hour)
			var ids []string
			for i := range tt.replies {
				ids = append(ids, ann.Earlier(general, root, fmt.Sprint("Reply ", i), tt.ago(i)))
			}
			client, err := slack.New(slack.Config{BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, APIURL: s.URL()})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := client.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			after := thread.MessageID("")
			if tt.after > 0 {
				after = thread.MessageID(ids[tt.after-1])
			}
			question := ann.Earlier(general, root, "Why?", 0)
			said, more, err := client.Replies(t.Context(), thread.Ref{Channel: general.ID, Thread: root}, after, thread.MessageID(question))
			if err != nil || more == tt.all {
				t.Fatalf("more is %t, %v", more, err)
			}
			if tt.after == 0 && said[0].ID != thread.MessageID(root) {
				t.Errorf("the first message is %q", said[0].Text)
			}
			for i := 1; i <= tt.least; i++ {
				if got, want := said[len(said)-i].ID, ids[len(ids)-i]; string(got) != want {
					t.Fatalf("message %d from the end is %q", i, said[len(said)-i].Text)
				}
			}
			if n := len(s.Calls("conversations.replies")); n > 8 {
				t.Errorf("%d calls", n)
			}
		})
	}
}
