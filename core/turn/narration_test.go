package turn_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/google/go-cmp/cmp"
)

// statuses are what the thread said of the work.
func statuses(packets []packet.Packet) []string {
	var out []string
	for _, p := range packets {
		if s, ok := p.Payload.(packet.Status); ok {
			out = append(out, s.Text)
		}
	}
	return out
}

func TestNarrationIsStatus(t *testing.T) {
	t.Parallel()
	narrated := func(id, text string) llmtest.Reply {
		return llmtest.Reply{llmtest.Text(text[:3]), llmtest.Text(text[3:]), llmtest.Call(0, id, "internal_search", call)}
	}
	long := strings.Repeat("I look into it. ", 20)
	for _, tc := range []struct {
		name    string
		replies []llmtest.Reply
		steps   int
		shown   string
		status  []string
	}{
		{"before the only call", []llmtest.Reply{narrated("1", "Let me look.\n\n"), llmtest.Answer("So [1].")}, 6, "So [[1]](https://docs.example/replication#top).", []string{"Let me look."}},
		{
			"in every step", []llmtest.Reply{narrated("1", "Let me look."), narrated("2", "And again."), narrated("3", "Once more."), llmtest.Answer("So ", "it is.")}, 4,
			"So it is.", []string{"Let me look.", "And again.", "Once more."},
		},
		{
			"before a call in the last step", []llmtest.Reply{narrated("1", "Let me look."), narrated("2", "And again."), llmtest.Answer("So [1].")}, 2,
			"So [[1]](https://docs.example/replication#top).", []string{"Let me look.", "And again."},
		},
		{"as long as an answer", []llmtest.Reply{narrated("1", long), llmtest.Answer("So.")}, 6, long + "\n\nSo.", nil},
		{"of two paragraphs", []llmtest.Reply{narrated("1", "It is so.\n\nI look."), llmtest.Answer("So.")}, 6, "It is so.\n\nI look.\n\nSo.", nil},
		{"of an answer alone", []llmtest.Reply{llmtest.Answer("Hello.")}, 6, "Hello.", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := ask("How?", llmtest.Native(tc.replies...))
			s.config.MaxSteps = tc.steps
			report, packets := s.run(t, t.Context())
			if a := report.Best(); a.Ending.Outcome != session.Answered || a.Shown != tc.shown || shown(packets, 0) != tc.shown {
				t.Errorf("ending %+v, shown %q", a.Ending, shown(packets, 0))
			}
			if diff := cmp.Diff(tc.status, statuses(packets)); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
		})
	}
}

// A model that calls without a word before is not held back once it has called: its first words are
// shown at once. So are words that cite.
func TestSilentModelsStreamAtOnce(t *testing.T) {
	t.Parallel()
	for name, replies := range map[string][]llmtest.Reply{
		"after a call":    {searching("1"), {llmtest.Sleep(time.Millisecond), llmtest.Text("So"), llmtest.Sleep(time.Second), llmtest.Text(" it is.")}},
		"with a citation": {{llmtest.Text("Let me look."), llmtest.Call(0, "1", "internal_search", call)}, {llmtest.Sleep(time.Millisecond), llmtest.Text("So [1]. "), llmtest.Sleep(time.Second), llmtest.Text("It is.")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				report, _ := ask("How?", llmtest.Native(replies...)).run(t, t.Context())
				if first := report.Best().Timings.FirstText; first != time.Millisecond {
					t.Errorf("first words after %s", first)
				}
			})
		})
	}
}

// A model that called three times without a word is not held back before its first call either,
// until it narrates once.
func TestSilentModelsStreamBeforeFirstCall(t *testing.T) {
	t.Parallel()
	direct := llmtest.Reply{llmtest.Sleep(time.Millisecond), llmtest.Text("So"), llmtest.Sleep(time.Second), llmtest.Text(" it is.")}
	narrated := llmtest.Reply{llmtest.Text("Let me look."), llmtest.Call(0, "1", "internal_search", call)}
	quiet := []llmtest.Reply{searching("1"), llmtest.Answer("So.")}
	for name, tc := range map[string]struct {
		turns [][]llmtest.Reply // before the one that is measured
		small bool              // the question is a greeting
		first time.Duration
	}{
		"unknown":         {nil, false, 701 * time.Millisecond},
		"a greeting":      {nil, true, time.Millisecond},
		"two quiet calls": {[][]llmtest.Reply{quiet, quiet}, false, 701 * time.Millisecond},
		"three":           {[][]llmtest.Reply{quiet, quiet, quiet}, false, time.Millisecond},
		"then narration":  {[][]llmtest.Reply{quiet, quiet, quiet, {narrated, llmtest.Answer("So.")}}, false, 701 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := runner(t)
				for n, replies := range append(tc.turns, []llmtest.Reply{direct}) {
					request := ask("How?", llmtest.Native(replies...)).request
					request.SmallTalk = tc.small
					report, err := r.Run(t.Context(), request, packet.SinkFunc(func(packet.Packet) {}))
					if err != nil {
						t.Fatal(err)
					}
					if first := report.Best().Timings.FirstText; n == len(tc.turns) && first != tc.first {
						t.Errorf("first words after %s, want %s", first, tc.first)
					}
				}
			})
		})
	}
}

// While a tool runs, the thread does not say that the model thinks.
func TestSlowToolIsNotThinking(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := ask("How?", llmtest.Native(llmtest.Reply{llmtest.Call(0, "1", "slow", `{}`)}, llmtest.Reply{llmtest.Sleep(16 * time.Second), llmtest.Text("So.")}))
		s.tools = []tool.Tool{&probe{name: "slow", run: func(context.Context, tool.Call, *packet.Emitter) (tool.Result, error) {
			time.Sleep(20 * time.Second)
			return tool.Result{Content: "done"}, nil
		}}}
		began := time.Now()
		s.sink = func(p packet.Packet) {
			if _, ok := p.Payload.(packet.Status); ok && time.Since(began) != 35*time.Second {
				t.Errorf("the model is said to think after %s", time.Since(began))
			}
		}
		if _, packets := s.run(t, t.Context()); len(statuses(packets)) != 1 {
			t.Errorf("%q", statuses(packets))
		}
	})
}

// A model that writes a short beginning and then thinks is read, although a call may still follow.
func TestHeldTextAppearsAfterMaxHold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		var after time.Duration
		s := ask("How?", llmtest.Native(llmtest.Reply{llmtest.Text("So far."), llmtest.Sleep(5 * time.Second), llmtest.Text(" And more.")}))
		s.sink = func(p packet.Packet) {
			if _, is := p.Payload.(packet.MessageDelta); is && after == 0 {
				after = time.Since(began)
			}
		}
		report, _ := s.run(t, t.Context())
		if after <= 0 || after > time.Second || report.Best().Shown != "So far. And more." {
			t.Errorf("the first words come after %s; shown %q", after, report.Best().Shown)
		}
	})
}
