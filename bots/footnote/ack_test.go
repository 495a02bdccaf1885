package main_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// BenchmarkAck measures how soon the program acknowledges Slack's events while it writes 50
// answers. The events are at least 200 questions, ten a second, each of which is stored before it
// is acknowledged, and is answered with a word.
func BenchmarkAck(b *testing.B) {
	const (
		writing = 50
		pause   = 100 * time.Millisecond
	)
	slack := slacktest.Start(slacktest.Config{})
	b.Cleanup(slack.Close)
	model := openaitest.New(b)
	model.Otherwise(func(r openaitest.Request) openaitest.Reply {
		if !strings.Contains(r.Last("user").Text(), "a story") {
			return openaitest.Reply{Text: "No."}
		}
		text := ""
		for i := range 2000 {
			text += fmt.Sprintf("word%d ", i)
		}
		return openaitest.Reply{Text: text, Delay: 50 * time.Millisecond} // longer than the benchmark takes
	})
	p := newProgram(b, socketSettings(slack, "OPENAI_BASE_URL="+model.URL(), "SHUTDOWN_GRACE=1s")...)
	alice := slack.Person("alice", nil)
	room := slack.Channel("help", nil, alice)
	s := serve(b, p)
	defer s.stop(b)
	ctx, cancel := context.WithTimeout(context.Background(), limit+time.Duration(b.N)*time.Second)
	defer cancel()
	if err := slack.Wait(ctx, "a socket", func() bool { n, _ := slack.Sockets(); return n > 0 }); err != nil {
		b.Fatalf("%v\n%s", err, s.log)
	}
	for range writing {
		alice.Say(room, "", slacktest.Mention()+" tell me a story")
	}
	if _, err := model.Wait(ctx, func(all []openaitest.Record) bool { return streaming(all) >= writing }); err != nil {
		b.Fatalf("%v\n%s", err, s.log)
	}
	before := len(slack.Deliveries())
	b.ResetTimer()
	asked := max(b.N, 200)
	for range asked {
		alice.Say(room, "", slacktest.Mention()+" and another thing?")
		time.Sleep(pause)
	}
	acknowledged := func() []time.Duration {
		var acks []time.Duration
		for _, d := range slack.Deliveries()[before:] {
			if !d.Acked.IsZero() {
				acks = append(acks, d.Acked.Sub(d.Sent))
			}
		}
		return acks
	}
	if err := slack.Wait(ctx, "every event is acknowledged", func() bool { return len(acknowledged()) >= asked }); err != nil {
		b.Fatalf("%v\n%s", err, s.log)
	}
	acks := acknowledged()
	slices.Sort(acks)
	ms := func(q float64) float64 {
		return float64(acks[min(int(float64(len(acks))*q), len(acks)-1)].Microseconds()) / 1000
	}
	b.ReportMetric(ms(0.5), "ms-p50")
	b.ReportMetric(ms(0.99), "ms-p99")
	b.ReportMetric(ms(1), "ms-max")
	b.ReportMetric(float64(len(acks)), "events")
	b.ReportMetric(float64(streaming(model.ChatRequests())), "answers")
}

// streaming counts the answers that are being written.
func streaming(all []openaitest.Record) (n int) {
	for _, r := range all {
		if r.Sent > 0 && r.Ended.IsZero() {
			n++
		}
	}
	return n
}
