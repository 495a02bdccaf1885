package call_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/thread"
)

// crowded is how many processes count, all but one of which were killed: a part of so much lets a
// call pass every few weeks.
const crowded = 1_000_000

func TestReadingDoesNotWaitForProcessesThatHaveGone(t *testing.T) {
	t.Parallel()
	server := slacktest.Start(slacktest.Config{NoTiers: true})
	t.Cleanup(server.Close)
	ann := server.Person("ann", nil)
	first, second := server.Channel("general", nil, ann), server.Channel("random", nil, ann)
	client, err := slack.New(call.Config{BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, APIURL: server.URL(), Scan: 5 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	client.Share(crowded)
	done := make(chan error, 1)
	go func() { // ends with the test, which waits for it
		done <- client.Unheard(t.Context(), time.Now(), []string{second.ID}, make(slack.Done), func(chat.Message) error { return nil })
	}()
	if err := server.Wait(t.Context(), "the channels are listed", func() bool { return len(server.Calls("users.conversations")) == 1 }); err != nil {
		t.Fatal(err)
	}
	client.Share(1)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	var channels []string // what is new in each, then what goes on in older threads
	for _, c := range server.Calls("conversations.history") {
		channels = append(channels, c.Form.Get("channel"))
	}
	if want := []string{second.ID, first.ID, second.ID, first.ID}; !slices.Equal(channels, want) {
		t.Errorf("the channels were read in the order %v, want %v", channels, want)
	}
}

func TestWritingDoesNotWaitForProcessesThatHaveGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pacing := &call.Pacing{}
		to := thread.Ref{Platform: call.Platform, Workspace: "T", Channel: "C", Thread: "1.1"}
		pacing.Share(crowded)
		if err := pacing.Reserve(t.Context(), to, thread.Edit, thread.Final); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		done := make(chan error, 1)
		go func() { done <- pacing.Reserve(t.Context(), to, thread.Edit, thread.Final) }() // ends with the test, which waits for it
		time.Sleep(10 * time.Second)
		pacing.Share(1)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > 13*time.Second {
			t.Errorf("the last edit waited %s", took)
		}
	})
}
