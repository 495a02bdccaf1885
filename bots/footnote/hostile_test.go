package main_test

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// hostileAnswers take long to be rendered for who reads a growing text again and again.
var hostileAnswers = map[string]string{
	"tags":      strings.Repeat("<x ", 30_000),
	"emphasis":  strings.Repeat("*a ", 30_000),
	"table":     "| a | b |\n|---|---|\n" + strings.Repeat("| a | b |\n", 9_000),
	"attribute": strings.Repeat("<a href='", 10_000),
	"brackets":  strings.Repeat("[a](", 20_000),
	"quotes":    strings.Repeat("> ", 40_000),
}

// endsWithin is how long the program may take over what it does at once, on a machine that has much
// else to do.
const endsWithin = time.Minute

// shownWithin is how long answers may take to be shown in one channel as stopped. Slack takes one
// message a second there, and what was written by the time of the stop is shown: seventy messages,
// where all of it was.
const shownWithin = 2 * time.Minute

// While answers are written that are hard to render, a stop ends each of them as stopped, and
// SIGTERM ends the process.
func TestAnswersHardToRenderCanBeStopped(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	p := newProgram(t)
	db := database(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	hold := make(chan struct{})
	o.model.Otherwise(func(req openaitest.Request) openaitest.Reply {
		text := "Nobody asked for this."
		for name, hostile := range hostileAnswers {
			if strings.Contains(req.Last("user").Text(), name) {
				text = hostile
			}
		}
		text = beginning + ".\n\n" + text
		pieces := func(s string) (all []string) {
			const size = 1500
			for ; len(s) > size; s = s[size:] {
				all = append(all, s[:size])
			}
			return append(all, s)
		}
		// All of it comes but its end.
		return openaitest.Reply{Text: text, Split: pieces, Gate: hold, GateAfter: len(pieces(text)) - 1}
	})
	r := o.serve(p.env[0], "SHUTDOWN_GRACE=1s")
	r.Ready()

	roots := map[string]string{}
	written := func() {
		t.Helper()
		for name := range hostileAnswers {
			roots[name] = o.ask("write " + name)
		}
		if _, err := o.model.Wait(ctx, func(all []openaitest.Record) bool { return streaming(all) >= len(hostileAnswers) }); err != nil {
			t.Fatalf("%v\n%s", err, r.Log())
		}
	}
	written()
	soon, done := context.WithTimeout(ctx, shownWithin)
	defer done()
	for _, root := range roots {
		o.begun(root)
	}
	for _, root := range roots {
		o.alice.React(o.room, root, "octagonal_sign")
	}
	for name, root := range roots {
		err := o.slack.Wait(soon, name+" is stopped", func() bool {
			a := o.slack.Answers(o.room, root)
			return len(a) > 0 && !streams(a) && strings.Contains(strings.ToLower(a[len(a)-1].Shown()), "stopped")
		})
		if err != nil {
			t.Fatalf("%v\n%s", err, r.Log())
		}
	}
	var stopped int
	if err := db.Pool.QueryRow(ctx, `select count(*) from turn where outcome = 'stopped'`).Scan(&stopped); err != nil || stopped != len(hostileAnswers) {
		t.Errorf("%d turns ended as stopped (%v), want %d", stopped, err, len(hostileAnswers))
	}

	written()
	r.Signal(syscall.SIGTERM)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.Ended()
	}()
	select {
	case <-ended:
	case <-time.After(endsWithin):
		r.Signal(syscall.SIGKILL)
		<-ended
		t.Fatalf("told to end, the process goes on after %s", endsWithin)
	}
	var held int // what it did not finish it has handed back, and did not just leave
	if err := db.Pool.QueryRow(ctx, `select count(*) from turn where owner <> '' or takeovers > 0`).Scan(&held); err != nil || held > 0 {
		t.Errorf("%d turns are still held (%v)", held, err)
	}
}

func streams(answers []slacktest.Message) bool {
	for _, a := range answers {
		if a.Streaming {
			return true
		}
	}
	return false
}
