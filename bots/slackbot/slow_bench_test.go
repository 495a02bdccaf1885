package slackbot_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/llm/llmtest"
)

// BenchmarkSlowSlack asks a question in each of twenty channels that were never seen, of a Slack
// that takes 200 ms for every call, and measures how soon each is acknowledged and bears its first
// sign. It is made with
//
//	go test ./bots/slackbot -run '^$' -bench SlowSlack -benchtime 1x
func BenchmarkSlowSlack(b *testing.B) {
	const questions = 20
	for b.Loop() {
		s := play(b, options{}, slices.Repeat([]llmtest.Reply{llmtest.Answer("So.")}, questions)...)
		s.Fail(slacktest.Fault{Times: 1 << 30, Delay: 200 * time.Millisecond})
		asked := make(map[string]time.Time)
		var channels []*slacktest.Channel
		for i := range questions {
			channels = append(channels, s.Channel(fmt.Sprint("room-", i), nil, s.ann, s.bob))
		}
		for _, c := range channels {
			at := time.Now()
			asked[s.ann.Say(c, "", slacktest.Mention()+" how so?")] = at
		}
		signs := func() map[string]time.Duration {
			all := make(map[string]time.Duration)
			for _, status := range s.Statuses() {
				if at, ours := asked[status.Thread]; ours && all[status.Thread] == 0 {
					all[status.Thread] = status.At.Sub(at)
				}
			}
			return all
		}
		s.wait("every question bears a sign", func() bool { return len(signs()) == questions })
		s.quiet(questions)
		var acks, signed []time.Duration
		for _, d := range s.Deliveries() {
			acks = append(acks, d.Acked.Sub(d.Sent))
		}
		for _, after := range signs() {
			signed = append(signed, after)
		}
		slices.Sort(acks)
		slices.Sort(signed)
		b.ReportMetric(float64(acks[len(acks)-1].Microseconds())/1000, "ms-ack-max")
		b.ReportMetric(float64(signed[len(signed)/2].Microseconds())/1000, "ms-sign-p50")
		b.ReportMetric(float64(signed[len(signed)-1].Microseconds())/1000, "ms-sign-max")
		s.halt()
	}
}
