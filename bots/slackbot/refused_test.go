package slackbot_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/thread"
)

// always is more often than anything is tried.
const always = 1000

// Whatever Slack refuses for good: what it takes instead stands there, and the thread's next
// question is answered.
func TestFinalWriteThatIsRefusedForGood(t *testing.T) {
	t.Parallel()
	const markdown, blocks = `"type":"markdown"`, `"type":`
	for _, tt := range []struct {
		name   string
		slack  slacktest.Config
		faults []slacktest.Fault
		want   string // that the thread shows instead; empty: nothing of the answer
		plain  bool   // without blocks
		why    string
		told   string // to the asker alone
	}{
		{"markdown blocks", slacktest.Config{NoStreams: true}, []slacktest.Fault{{Holds: markdown, Error: "invalid_blocks"}}, "It is", false, "", ""},
		{"markdown blocks, once the answer was streamed", slacktest.Config{}, []slacktest.Fault{
			{Method: "chat.stopStream", Holds: blocks, Error: "invalid_blocks"}, {Holds: markdown, Error: "invalid_blocks"},
		}, "It is", false, "", ""},
		{"all blocks", slacktest.Config{NoStreams: true}, []slacktest.Fault{{Holds: blocks, Error: "msg_blocks_too_long"}}, "It is", true, "", ""},
		{"an error that nobody knows", slacktest.Config{NoStreams: true}, []slacktest.Fault{{Holds: blocks, Error: "invalid_everything"}}, "It is", true, "", ""},
		{"its text", slacktest.Config{NoStreams: true}, []slacktest.Fault{{Holds: "at the end", Error: "msg_too_long"}}, "The answer could not be posted", true, "refused the answer's messages", ""},
		{"all edits", slacktest.Config{NoStreams: true}, []slacktest.Fault{{Method: "chat.update", Error: "cant_update_message"}}, "It is", false, "", ""},
		{"a closed window", slacktest.Config{NoStreams: true}, []slacktest.Fault{{Method: "chat.update", Error: "edit_window_closed"}}, "It is", false, "", ""},
		{"all edits and posts", slacktest.Config{NoStreams: true}, []slacktest.Fault{
			{Method: "chat.update", Error: "cant_update_message"}, {Method: "chat.postMessage", Error: "restricted_action_thread_locked"},
		}, "", false, "not permitted", "The thread was locked"},
		{"everything, in whatever form", slacktest.Config{NoStreams: true}, []slacktest.Fault{{Method: "chat.update", Error: "invalid_arguments"}}, "", false, "refused the answer's messages", "Slack refused my answer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			shown := make(chan struct{})
			s := play(t, options{slack: tt.slack}, llmtest.Reply{llmtest.Text("It is a whole sentence first. "), llmtest.Wait(shown), llmtest.Text("And at the end.")},
				llmtest.Reply{llmtest.Text("The second answer.")})
			root := s.ann.Say(s.general, "", slacktest.Mention()+" tell me")
			s.wait("words appear", func() bool { return len(s.Answers(s.general, root)) == 1 })
			for _, f := range tt.faults {
				f.Times = always
				s.Fail(f)
			}
			close(shown)
			if tt.why != "" {
				why := ""
				s.wait("the answer was abandoned", func() bool {
					found, err := s.store.TurnOf(s.ctx, access.DefaultTenant, thread.Ref{Platform: "slack", Workspace: slacktest.TeamID, Channel: s.general.ID, Thread: root}, thread.MessageID(root))
					why = found.Undelivered
					return err == nil && why != ""
				})
				if !strings.Contains(why, tt.why) {
					t.Errorf("it is explained by %q", why)
				}
			} else {
				s.wait("it is shown", func() bool {
					return slices.ContainsFunc(s.Answers(s.general, root), func(m slacktest.Message) bool { return finished(m) && strings.Contains(m.Shown(), "And at the end.") })
				})
			}
			s.Mend()
			s.ann.Say(s.general, root, slacktest.Mention()+" and then?")
			s.wait("the next question is answered", func() bool {
				return slices.ContainsFunc(s.Answers(s.general, root), func(m slacktest.Message) bool { return strings.HasPrefix(m.Shown(), "The second answer.") })
			})
			got := s.Answers(s.general, root)
			told := s.Ephemeral(s.ann)
			if tt.want != "" && len(told) > 0 || tt.want == "" && (len(told) != 1 || !strings.Contains(told[0].Text, tt.told)) {
				t.Errorf("Ann is told %+v", told)
			}
			if tt.want == "" {
				if len(got) != 1 {
					t.Errorf("something of it is left: %+v", got[0])
				}
				return
			}
			if len(got) != 2 || !finished(got[0]) || !strings.HasPrefix(got[0].Shown(), tt.want) || tt.plain != (len(got[0].Blocks) == 0) {
				t.Errorf("the thread shows %d messages, %+v", len(got), got[0])
			}
		})
	}
}
