package receive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/adapters/slack/render"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/sleep"
	api "github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"
	"golang.org/x/sync/errgroup"
)

const (
	// lanes is the number of workers. laneOf assigns the events of one thread to the same worker,
	// so they stay in order.
	lanes = 32
	// laneDepth is the maximum number of events in the queue of one worker.
	laneDepth = 64
	// handleLimit is the timeout for handling one event. It exceeds Slack's timeout for the
	// acknowledgement, so Slack may deliver the event again. The second delivery is then merged
	// with the first.
	handleLimit = 10 * time.Second
	// listenAgain is the pause after a connection loop has stopped.
	listenAgain = 5 * time.Second
	// maxQueued is the maximum total size in bytes of all waiting events.
	maxQueued = 32 << 20
	// maxEnvelope is the maximum size in bytes of a socket frame, which contains a payload and its
	// envelope.
	maxEnvelope = event.MaxPayload + 16<<10
)

// Listen receives events over sockets until ctx is done. It acknowledges each event after the
// handler has accepted it. It returns an error if a reconnect cannot help, for example after a
// wrong token or a missing scope. The text of the error tells an operator what to do.
func (c *Receiver) Listen(ctx context.Context, h chat.Handler) error {
	if c.slack.Config.AppToken == "" {
		return errors.New("receive events from Slack: SLACK_APP_TOKEN is not set: make an app-level token with the scope " + call.AppScope + " under Basic Information")
	}
	c.slack.Sockets.Begin()
	// Sockets stay open after ctx is done, until accepted events are acknowledged.
	living, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	group, ctx := errgroup.WithContext(ctx)
	work := make([]chan job, lanes)
	for i := range work {
		work[i] = make(chan job, laneDepth)
	}
	for i := range c.slack.Config.Sockets {
		group.Go(func() error { return c.keepSocket(ctx, living, work, i > 0) })
	}
	var workers sync.WaitGroup
	for _, lane := range work {
		workers.Go(func() { c.work(ctx, h, lane, &workers) })
	}
	workers.Wait() // they end with ctx, or when a connection turns out to be hopeless
	end()
	c.late.Wait()
	return group.Wait()
}

type job struct {
	event.Envelope
	socket *socketmode.Client
}

// work handles the jobs of one worker until ctx is done, and then those that are already queued.
// Commands and presses run concurrently, because people wait for their acknowledgement.
func (c *Receiver) work(ctx context.Context, h chat.Handler, lane <-chan job, late *sync.WaitGroup) {
	// When the process stops, an event that is being accepted is finished. It is then acknowledged,
	// or Slack delivers it again.
	lasting := context.WithoutCancel(ctx)
	for {
		var j job
		select {
		case j = <-lane:
		case <-ctx.Done():
			select {
			case j = <-lane:
			default:
				return
			}
		}
		if j.Type == "events_api" {
			c.handleJob(lasting, h, j, c.handle)
			continue
		}
		late.Go(func() { c.handleJob(lasting, h, j, c.inTime) })
	}
}

// handleJob handles one envelope and acknowledges it. A press is acknowledged first, because Slack
// never repeats a press.
func (c *Receiver) handleJob(ctx context.Context, h chat.Handler, j job, handle func(context.Context, chat.Handler, string, []byte) (string, error)) {
	defer c.queued.Release(int64(len(j.Payload)))
	ctx, cancel := context.WithTimeout(ctx, handleLimit)
	defer cancel()
	ack := func(payload any) {
		if err := j.socket.AckCtx(ctx, j.ID, payload); err != nil {
			c.slack.Logger.WarnContext(ctx, "event not acknowledged; it will come again", "kind", j.Type, "error", err)
		}
	}
	press := j.Type == "interactive"
	if press {
		ack(nil)
	}
	sentence, err := handle(ctx, h, j.Type, j.Payload)
	if err != nil {
		c.slack.Logger.WarnContext(ctx, "event not taken in", "kind", j.Type, "attempt", j.Attempt, "error", err)
		if j.Type == "events_api" {
			return // Slack delivers it again
		}
		sentence = sayFailed
	}
	var payload any
	if sentence != "" && j.Type == "slash_commands" {
		payload = ephemeral(sentence)
	}
	if !press {
		ack(payload)
	}
}

// commandLimit is the maximum delay of the acknowledgement of a command or a press. Slack gives up
// after three seconds and does not repeat the delivery. A slower command is acknowledged first, and
// its answer is sent later.
const commandLimit = 2 * time.Second

// inTime handles a command or a press. It returns after commandLimit at the latest, while the
// handling continues in the background.
func (c *Receiver) inTime(ctx context.Context, h chat.Handler, kind string, raw []byte) (sentence string, err error) {
	type result struct {
		sentence string
		err      error
	}
	var settled atomic.Bool // set by the first of the result and the timeout
	done := make(chan result, 1)
	c.late.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lateLimit)
		defer cancel()
		sentence, err := c.handle(ctx, h, kind, raw)
		if settled.CompareAndSwap(false, true) {
			done <- result{sentence, err}
			return
		}
		if err != nil {
			c.slack.Logger.WarnContext(ctx, "command or press not carried out", "kind", kind, "error", err)
			sentence = sayFailed
		}
		c.tellLate(ctx, kind, raw, sentence)
	})
	timer := time.NewTimer(commandLimit)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.sentence, r.err
	case <-timer.C:
	}
	if settled.CompareAndSwap(false, true) {
		return "", nil
	}
	r := <-done
	return r.sentence, r.err
}

const (
	// lateLimit is the timeout for handling that continues after the acknowledgement.
	lateLimit = 30 * time.Second
	sayFailed = conversation.SayBroken
)

func (c *Receiver) tellLate(ctx context.Context, kind string, raw []byte, sentence string) {
	if kind != "slash_commands" || sentence == "" {
		return
	}
	s, err := event.Decode[event.Slash]("a command", raw)
	if err == nil {
		// only this address reaches a channel that the bot is not in
		if err = c.writer.Respond(ctx, s.Response, sentence); err != nil {
			err = c.writer.Whisper(ctx, c.slack.Ref(s.Channel, ""), s.User, sentence, false, "")
		}
	}
	if err != nil {
		c.slack.Logger.WarnContext(ctx, "a command's answer was not shown", "error", err)
	}
}

// maxAck is the maximum size in bytes of an answer inside an acknowledgement. Slack silently drops
// an acknowledgement of 20 KiB or more.
const maxAck = 18 << 10

// ephemeral returns a response that only the person who used the command sees. If the text is too
// long for Slack, ephemeral cuts it and adds sayCut.
func ephemeral(text string) map[string]string {
	for {
		answer := map[string]string{"response_type": "ephemeral", "text": render.Mrkdwn(text)}
		raw, err := json.Marshal(answer)
		if err != nil || len(raw) <= maxAck {
			return answer
		}
		text = shorter(text)
	}
}

const sayCut = "\n\n… and more, which Slack does not show at once."

// shorter cuts at least the last quarter of a long text and adds sayCut. It cuts at the end of a
// line if that keeps enough of the text.
func shorter(text string) string {
	text = strings.TrimSuffix(text, sayCut)
	keep := []rune(text)[:utf8.RuneCountInString(text)*3/4]
	kept := string(keep)
	if end := strings.LastIndexByte(kept, '\n'); end > len(kept)/2 {
		kept = kept[:end]
	}
	return kept + sayCut
}

// maxSockets is Slack's limit on the number of sockets of an app in all processes.
const maxSockets = 10

// tooManySockets reports whether all processes together need more than maxSockets sockets. Each
// process then keeps only one.
func (c *Receiver) tooManySockets() bool {
	return int(c.slack.Processes())*c.slack.Config.Sockets > maxSockets
}

// keepSocket keeps one socket open until living is done. It returns an error if a reconnect cannot
// help. After ctx is done, it passes on no more events. If further is set, the socket stays closed
// while there are too many.
func (c *Receiver) keepSocket(ctx, living context.Context, work []chan job, further bool) error {
	for {
		for further && c.tooManySockets() {
			if sleep.For(ctx, listenAgain) != nil {
				return nil
			}
		}
		err := c.socket(ctx, living, work, further)
		if errors.Is(err, errGaveWay) {
			continue
		}
		if ctx.Err() != nil {
			return nil
		}
		if call.Hopeless(err) {
			return fmt.Errorf("receive events from Slack: %w", call.Explain("apps.connections.open", err))
		}
		c.slack.Logger.WarnContext(ctx, "connection to slack ended; connecting again", "error", err)
		if sleep.For(ctx, listenAgain) != nil {
			return nil
		}
	}
}

var errGaveWay = errors.New("a socket was left to other processes")

// socket receives events over one socket and passes them to the workers. The Slack library
// reconnects automatically. If further is set, socket returns before a reconnect while there are
// too many sockets.
func (c *Receiver) socket(ctx, living context.Context, work []chan job, further bool) error {
	living, cancel := context.WithCancel(living)
	defer cancel()
	client := socketmode.New(c.slack.API, socketmode.OptionDialer(c.slack.Dialer()),
		socketmode.OptionReadLimit(maxEnvelope), socketmode.OptionLog(log.New(io.Discard, "", 0)))
	ended := make(chan error, 1)
	go func() { ended <- client.RunContext(living) }()
	up := false
	mark := func(now bool) {
		switch {
		case now && !up:
			c.slack.Sockets.Opened(c.slack.Config.Interruption)
		case !now && up:
			c.slack.Sockets.Closed()
		}
		up = now
	}
	defer mark(false)
	for {
		select {
		case err := <-ended:
			return err
		case evt := <-client.Events:
			switch evt.Type {
			case socketmode.EventTypeHello:
				mark(true)
				if evt.Request != nil {
					c.slack.Sockets.Count(evt.Request.NumConnections)
				}
			case socketmode.EventTypeConnecting:
				mark(false)
				if further && c.tooManySockets() {
					cancel()
					return errors.Join(errGaveWay, <-ended)
				}
			case socketmode.EventTypeConnectionError:
				if failed, ok := evt.Data.(*api.ConnectionErrorEvent); ok && call.Hopeless(failed.ErrorObj) {
					cancel()
					if err := <-ended; call.Hopeless(err) {
						return err
					}
					return failed.ErrorObj
				}
			default: // envelopes are handled below
			}
			e, ok := envelopeOf(evt)
			if !ok {
				continue
			}
			c.peek(ctx, e.Type, e.Payload)
			if c.queued.Acquire(ctx, int64(len(e.Payload))) != nil {
				continue // ctx is done: Slack delivers the event again
			}
			select {
			case <-ctx.Done(): // Slack delivers the event again
				c.queued.Release(int64(len(e.Payload)))
			case work[laneOf(e)] <- job{e, client}:
			}
		}
	}
}

// envelopeOf returns the envelope of an event for its acknowledgement, even if the library could
// not decode the event. It returns false if there is nothing to acknowledge.
func envelopeOf(evt socketmode.Event) (event.Envelope, bool) {
	if bad, ok := evt.Data.(*socketmode.ErrorBadMessage); ok {
		var e event.Envelope
		return e, json.Unmarshal(bad.Message, &e) == nil && e.ID != ""
	}
	if evt.Request == nil || evt.Request.EnvelopeID == "" {
		return event.Envelope{}, false
	}
	r := evt.Request
	return event.Envelope{Type: r.Type, ID: r.EnvelopeID, Payload: r.Payload, Attempt: r.RetryAttempt}, true
}
