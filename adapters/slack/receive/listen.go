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
	// lanes are workers that events are spread over by thread (laneOf), so that those of one thread
	// keep their order.
	lanes = 32
	// laneDepth is how many events wait for one of them.
	laneDepth = 64
	// handleLimit bounds one event. It is longer than Slack waits for the ack: what is taken in
	// late is acked late, and its redelivery folds into it.
	handleLimit = 10 * time.Second
	// listenAgain is the pause after a connection loop ended by itself.
	listenAgain = 5 * time.Second
	// maxQueued is how many bytes of events wait in all lanes together.
	maxQueued = 32 << 20
	// maxEnvelope bounds a frame of a socket: a payload with what is around it.
	maxEnvelope = event.MaxPayload + 16<<10
)

// Listen receives events over sockets until ctx ends, and acknowledges each once the handler has
// taken it in. It fails with a sentence when connecting again cannot help: a wrong token, a missing
// scope.
func (c *Receiver) Listen(ctx context.Context, h chat.Handler) error {
	if c.slack.Config.AppToken == "" {
		return errors.New("receive events from Slack: SLACK_APP_TOKEN is not set: make an app-level token with the scope " + call.AppScope + " under Basic Information")
	}
	c.slack.Sockets.Begin()
	// Sockets outlive ctx until what was taken in has been acknowledged.
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

// job is one envelope to be handled and acknowledged.
type job struct {
	event.Envelope
	socket *socketmode.Client
}

// work handles what comes, and when ctx has ended what has come. Commands and presses keep no order
// and hold up nothing: a person waits for their acknowledgement. They are handled in late.
func (c *Receiver) work(ctx context.Context, h chat.Handler, lane <-chan job, late *sync.WaitGroup) {
	// An event that is being taken in is finished when the process ends; it is acked or comes again.
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
			c.take(lasting, h, j, c.handle)
			continue
		}
		late.Go(func() { c.take(lasting, h, j, c.inTime) })
	}
}

// take handles one envelope and acknowledges it: a press at once, since its acknowledgement says
// nothing and Slack delivers none again.
func (c *Receiver) take(ctx context.Context, h chat.Handler, j job, handle func(context.Context, chat.Handler, string, []byte) (string, error)) {
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

// commandLimit is how long a command or a press may keep a person waiting. Slack gives up after
// three seconds, and does not deliver it again; what takes longer is acknowledged, and its sentence
// told afterwards.
const commandLimit = 2 * time.Second

// inTime handles a command or a press, and does not wait for one that takes too long. It goes on
// all the same.
func (c *Receiver) inTime(ctx context.Context, h chat.Handler, kind string, raw []byte) (sentence string, err error) {
	type result struct {
		sentence string
		err      error
	}
	var settled atomic.Bool // by whoever came first: the result, or the time
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
	// lateLimit bounds what no one waits for any more.
	lateLimit = 30 * time.Second
	sayFailed = conversation.SayBroken
)

// tellLate says the answer to a command that was acknowledged without one.
func (c *Receiver) tellLate(ctx context.Context, kind string, raw []byte, sentence string) {
	if kind != "slash_commands" || sentence == "" {
		return
	}
	s, err := event.Decode[event.Slash]("a command", raw)
	if err == nil {
		// nothing but this address reaches a channel that the bot is not in
		if err = c.writer.Respond(ctx, s.Response, sentence); err != nil {
			err = c.writer.Whisper(ctx, c.slack.Ref(s.Channel, ""), s.User, sentence, false, "")
		}
	}
	if err != nil {
		c.slack.Logger.WarnContext(ctx, "a command's answer was not shown", "error", err)
	}
}

// maxAck is how many bytes the answer to a command may have. Slack drops an acknowledgement of 20
// KiB and more without a word.
const maxAck = 18 << 10

// ephemeral is the answer to a command, in Markdown, that the person alone sees. What is too long
// for Slack ends with a line that says so.
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

// sayCut ends an answer that is too long.
const sayCut = "\n\n… and more, which Slack does not show at once."

// shorter is the better part of a text that is too long, up to the end of a line.
func shorter(text string) string {
	text = strings.TrimSuffix(text, sayCut)
	keep := []rune(text)[:utf8.RuneCountInString(text)*3/4]
	kept := string(keep)
	if end := strings.LastIndexByte(kept, '\n'); end > len(kept)/2 {
		kept = kept[:end]
	}
	return kept + sayCut
}

// maxSockets is how many Slack lets an app have, of all its processes together.
const maxSockets = 10

// spare reports whether a further socket of this process would be one too many.
func (c *Receiver) spare() bool {
	return int(c.slack.Processes())*c.slack.Config.Sockets > maxSockets
}

// keepSocket keeps one connection until living ends or it is hopeless. When ctx ends it hands out
// nothing more. A further one gives way while there are so many processes that each can have but
// one.
func (c *Receiver) keepSocket(ctx, living context.Context, work []chan job, further bool) error {
	for {
		for further && c.spare() {
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

// errGaveWay says that a socket was left to other processes.
var errGaveWay = errors.New("a socket was left to other processes")

// socket runs the library's connection loop, which reconnects by itself, and hands its events out.
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
				if further && c.spare() {
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
			default: // envelopes, which are handed out below
			}
			e, ok := envelopeOf(evt)
			if !ok {
				continue
			}
			c.peek(ctx, e.Type, e.Payload)
			if c.queued.Acquire(ctx, int64(len(e.Payload))) != nil {
				continue // ctx is done: it comes again, to another process or to the next one
			}
			select {
			case <-ctx.Done(): // likewise
				c.queued.Release(int64(len(e.Payload)))
			case work[laneOf(e)] <- job{e, client}:
			}
		}
	}
}

// envelopeOf returns the envelope of an event that is to be acknowledged, also of one that the
// library could not read.
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
