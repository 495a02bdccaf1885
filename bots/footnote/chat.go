package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/session"
)

type chatCommand struct {
	Thread string `name:"thread" placeholder:"NAME" help:"Go on with the conversation of this name, or begin it."`

	choiceFlags
}

// maxLine is in bytes. A question below that may still be refused as too long, with an explanation.
const maxLine = 8 << 20

// Run executes "footnote chat".
func (c *chatCommand) Run(ctx context.Context, env *environment) (err error) {
	interactive := isTerminal(env.stdin)
	writes, err := env.localModel(ctx, interactive && isTerminal(env.stdout) && terminalWriter(env.stderr))
	if err != nil {
		return err
	}
	interrupts := make(chan os.Signal, 1)
	if interactive { // without a terminal Ctrl-C ends the program, as it does everywhere
		signal.Notify(interrupts, os.Interrupt)
		defer signal.Stop(interrupts)
	}
	full := interactive && isTerminal(env.stdout) && env.getenv("TERM") != "dumb"
	d := &dialogue{env: env, interactive: interactive, interrupts: interrupts, writes: writes}
	out, errs := &relay{to: env.stdout}, &relay{to: env.stderr}
	t := talk{thread: c.Thread, out: env.stdout, links: isTerminal(env.stdout), choice: c.choice(), fills: true}
	if full {
		t.out, t.marked, t.packets = out, true, packet.SinkFunc(d.status)
		changed := *env
		changed.logger = newLogger(errs, env.config, false)
		env = &changed
	}
	if !t.links {
		t.packets = &follower{env: env}
	}
	if d.conversation, err = openConversation(ctx, env, t); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close(ctx)) }()
	if full {
		if d.screen, err = newScreen(env.stdin, env.stdout, interrupts, completeCommand); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, d.screen.Close()) }()
		out.set(d.screen)
		errs.set(sayer{d.screen})
		defer errs.set(env.stderr)
		d.lines = readLines(ctx, d.screen.readLine)
	} else {
		d.lines = readLines(ctx, pipedLines(env.stdin))
	}
	err = d.run(ctx)
	signal.Stop(interrupts) // from now on Ctrl-C ends the program, even during clean-up
	return err
}

// relay is a writer whose target can be replaced while it is in use.
type relay struct {
	mu sync.Mutex
	to io.Writer
}

func (r *relay) set(to io.Writer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to = to
}

// Write implements io.Writer.
func (r *relay) Write(p []byte) (int, error) {
	r.mu.Lock()
	to := r.to
	r.mu.Unlock()
	return to.Write(p) //nolint:wrapcheck // it is the target's
}

type sayer struct{ *screen }

// Write implements io.Writer.
func (s sayer) Write(p []byte) (int, error) { return len(p), s.say(string(p)) }

type dialogue struct {
	*conversation
	screen         *screen // nil: input and output are plain
	env            *environment
	interactive    bool
	writes         string // text that names the model; empty: the model from the settings
	interrupts     <-chan os.Signal
	lines          <-chan line
	waiting        []line           // lines read while an answer was written
	askedMeanwhile []session.TurnID // questions asked while a deep search waited to be started
	last           session.TurnID   // last answered turn; empty before the first
}

type line struct {
	text string
	err  error // io.EOF at the end
}

func (d *dialogue) run(ctx context.Context) error {
	if d.interactive {
		greeting, err := greeting(ctx, d.base, d.writes)
		if err != nil {
			return err
		}
		d.say(greeting + "Ask about the indexed documents. Ctrl-C stops an answer, Ctrl-D ends the chat, /help lists the commands.\n")
	}
	for {
		question, err := d.question(ctx)
		if ctx.Err() != nil { // the program is about to end
			return context.Cause(ctx)
		}
		if errors.Is(err, io.EOF) {
			if d.interactive && d.screen == nil { // the prompt's line has not ended
				d.say("\n")
			}
			return nil
		}
		if err != nil {
			return err
		}
		if strings.TrimSpace(question) == "" {
			continue
		}
		next := func() error { return d.answer(ctx, question) }
		if command, text, ok := chatLine(question); ok {
			next = func() error { return d.command(ctx, command, text) }
		}
		if err := next(); errors.Is(err, errLeave) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// question returns the next line. The first Ctrl-C at an empty prompt shows how to leave, and the
// second one returns io.EOF.
func (d *dialogue) question(ctx context.Context) (string, error) {
	interrupted := false
	if len(d.waiting) > 0 {
		l := d.waiting[0]
		d.waiting = d.waiting[1:]
		return l.text, l.err
	}
	for {
		if d.interactive && d.screen == nil {
			d.say(idle)
		}
		select {
		case l, ok := <-d.lines:
			if !ok {
				return "", io.EOF
			}
			return l.text, l.err
		case <-d.interrupts:
			if interrupted && !d.typed() || !d.interactive {
				return "", io.EOF
			}
			interrupted = true
			if d.screen == nil {
				d.say("\n")
			} else {
				d.screen.typed.Store(false)
			}
			d.say("Ctrl-C again, or Ctrl-D, ends the chat.\n")
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

var errLeave = errors.New("the chat was left")

func (d *dialogue) answer(ctx context.Context, question string) error {
	id, said, err := d.Ask(ctx, question)
	if err != nil {
		return err
	}
	if id == "" {
		d.tell(said)
		return nil
	}
	d.last = id
	return d.await(ctx, id)
}

func (d *dialogue) await(ctx context.Context, id session.TurnID) error {
	err := d.awaitOne(ctx, id)
	for err == nil && len(d.askedMeanwhile) > 0 {
		id, d.askedMeanwhile = d.askedMeanwhile[0], d.askedMeanwhile[1:]
		err = d.awaitOne(ctx, id)
	}
	return err
}

// awaitOne waits for an answer. Ctrl-C stops the answer; a second Ctrl-C before it has stopped
// leaves the chat.
func (d *dialogue) awaitOne(ctx context.Context, id session.TurnID) error {
	if d.screen != nil {
		d.state("Looking", "")
		defer d.state("", "")
		defer d.screen.end()
	}
	waiting, leave := context.WithCancelCause(ctx)
	var interrupts sync.WaitGroup
	if d.interactive {
		interrupts.Go(func() { d.interrupted(waiting, leave) })
	}
	interrupts.Go(func() { d.listen(waiting) })
	result, err := d.Wait(waiting, id)
	leave(nil)
	interrupts.Wait()
	if errors.Is(err, errFull) { // the chat continues
		d.say(err.Error() + "\n")
		return nil
	}
	if err != nil {
		return err
	}
	if result.Err != nil {
		return fmt.Errorf("write the answer: %w", result.Err)
	}
	if result.Final.Outcome == session.Failed {
		d.env.logger.Debug("answer failed", "turn", id)
	}
	return nil
}

const maxWaiting = 100

// listen reads lines until ctx is done. A line that concerns the running answer is sent at once,
// and so is a question while a deep search waits to be started. All other lines are queued.
func (d *dialogue) listen(ctx context.Context) {
	for len(d.waiting) < maxWaiting {
		select {
		case l, ok := <-d.lines:
			if !ok {
				return
			}
			if l.err == nil && (actsNow(l.text) || d.Asks() && asks(l.text)) {
				d.askBeside(ctx, l)
			} else {
				d.waiting = append(d.waiting, l)
			}
		case <-ctx.Done():
			return
		}
	}
}

// actsNow reports whether a line may concern the running answer: a stop, or a change to the plan of
// a deep search.
func actsNow(text string) bool {
	_, steers := deepsearch.ParseInstruction(text)
	return steers || policy.IsStop(text)
}

func asks(text string) bool {
	_, _, acts := chatLine(text)
	return !acts && strings.TrimSpace(text) != ""
}

// askBeside sends a line while an answer is written. If that fails, it queues the line, and the
// failure is reported when the line's turn comes.
func (d *dialogue) askBeside(ctx context.Context, l line) {
	switch id, said, err := d.Ask(ctx, l.text); {
	case err != nil:
		d.waiting = append(d.waiting, l)
	case id == "":
		d.tell(said)
	default:
		d.askedMeanwhile = append(d.askedMeanwhile, id)
	}
}

func (d *dialogue) tell(sentence string) {
	if sentence != "" {
		d.say(sentence + "\n")
	}
}

func (d *dialogue) interrupted(ctx context.Context, leave context.CancelCauseFunc) {
	select {
	case <-d.interrupts:
	case <-ctx.Done():
		return
	}
	d.state("Stopping", "")
	stopping, cancel := context.WithCancel(ctx)
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- d.Stop(stopping) }()
	select {
	case err := <-stopped:
		if err != nil {
			leave(fmt.Errorf("stop the answer: %w", err))
			return
		}
	case <-d.interrupts:
		cancel()
		<-stopped //nolint:errcheck // the chat is left, whatever became of the stop
		leave(errLeave)
		return
	case <-ctx.Done():
		cancel()
		<-stopped //nolint:errcheck // the program is about to end
		return
	}
	select {
	case <-d.interrupts:
		leave(errLeave)
	case <-ctx.Done():
	}
}

func (d *dialogue) say(text string) {
	if d.screen == nil {
		fmt.Fprint(d.env.errs, text)
		return
	}
	if err := d.screen.say(text); err != nil {
		d.env.logger.Debug("write to the terminal", "error", err)
	}
}

func (d *dialogue) typed() bool { return d.screen != nil && d.screen.typed.Load() }

// state shows what the program is doing, for example "Thinking". hint is never shortened.
func (d *dialogue) state(text, hint string) {
	if d.screen != nil {
		d.screen.state(text, hint)
	}
}

func (d *dialogue) status(p packet.Packet) {
	text := ""
	switch payload := p.Payload.(type) {
	case packet.ReasoningStart:
		text = "Thinking"
	case packet.DeepSearchPlanStart:
		text = "Planning"
	case packet.SearchQueries:
		text = "Searching: " + strings.Join(payload.Queries, ", ")
	case packet.OpenURLAddresses:
		text = "Opening " + strings.Join(payload.URLs, ", ")
	case packet.SearchDocuments:
		text = "Reading " + plural.Count(len(payload.Documents), "document")
	case packet.MessageStart:
		text = "Writing"
	default:
		return
	}
	d.state(text, " · Ctrl-C stops")
}

// readLines closes the channel when the input has ended or ctx is done.
func readLines(ctx context.Context, next func() (string, error)) <-chan line {
	lines := make(chan line)
	go func() {
		defer close(lines)
		for {
			text, err := next()
			if text != "" || err == nil {
				select {
				case lines <- line{text: text}:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					select {
					case lines <- line{err: fmt.Errorf("read the question: %w", err)}:
					case <-ctx.Done():
					}
				}
				return
			}
		}
	}()
	return lines
}

func pipedLines(in io.Reader) func() (string, error) {
	reader := bufio.NewReaderSize(in, 64<<10)
	return func() (string, error) { return readLine(reader) }
}

// readLine drops the part of a line beyond maxLine.
func readLine(r *bufio.Reader) (string, error) {
	var b strings.Builder
	for {
		part, err := r.ReadSlice('\n')
		if room := maxLine - b.Len(); room > 0 {
			b.Write(part[:min(len(part), room)])
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return strings.TrimRight(b.String(), "\r\n"), err
		}
	}
}
