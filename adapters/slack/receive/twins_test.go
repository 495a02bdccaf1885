package receive

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/thread"
)

// What an app_mention does not tell of its files is known from the message event, whichever comes
// first, and is not waited for again and again where no such event comes.
func TestTwinsTellOfFiles(t *testing.T) {
	t.Parallel()
	const twinWait = 250 * time.Millisecond
	mention := chat.Message{Ref: thread.Ref{Channel: "C1"}, ID: "1.1"}
	message := []byte(`{"type":"event_callback","event":{"type":"message","subtype":"file_share","channel":"C1","user":"U1","text":"x","ts":"1.1","files":[{"id":"F1","url_private":"https://files.slack.com/a"}]}}`)
	synctest.Test(t, func(t *testing.T) {
		c := connected(t)
		c.slack.Is(call.Identity{Team: "T1", User: "U0BOT", Scopes: []string{"channels:history"}})
		for c.slack.Reads.Allow() { // nobody is asked
		}
		begin := time.Now()
		go func() {
			time.Sleep(100 * time.Millisecond)
			c.peek(t.Context(), "events_api", message)
		}()
		if files := c.reader.Attached(t.Context(), mention); len(files) != 1 || time.Since(begin) != 100*time.Millisecond {
			t.Errorf("the message came later: %v after %s", files, time.Since(begin))
		}
		begin = time.Now()
		if files := c.reader.Attached(t.Context(), mention); len(files) != 1 || time.Since(begin) != 0 {
			t.Errorf("the message came before: %v after %s", files, time.Since(begin))
		}
		for i, want := range []time.Duration{twinWait, 0} {
			begin = time.Now()
			if files := c.reader.Attached(t.Context(), chat.Message{Ref: mention.Ref, ID: thread.MessageID("2." + string(rune('1'+i)))}); len(files) != 0 || time.Since(begin) != want {
				t.Errorf("mention %d without a message: %v after %s", i, files, time.Since(begin))
			}
		}
		c.peek(t.Context(), "events_api", message)
		begin = time.Now()
		if c.reader.Attached(t.Context(), chat.Message{Ref: mention.Ref, ID: "3.1"}); time.Since(begin) != twinWait {
			t.Errorf("message events come again, and are waited for %s", time.Since(begin))
		}
		c.slack.Is(call.Identity{Team: "T1", User: "U0BOT", Scopes: []string{"app_mentions:read"}})
		begin = time.Now()
		if c.reader.Attached(t.Context(), chat.Message{Ref: mention.Ref, ID: "4.1"}); time.Since(begin) != 0 {
			t.Errorf("an app that may not read waits %s", time.Since(begin))
		}
	})
}
