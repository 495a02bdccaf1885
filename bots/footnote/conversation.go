package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/console"
	"github.com/footnotehq/footnote/bots/consolebot"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"golang.org/x/term"
)

type conversation struct {
	*consolebot.Bot
	base        *wire.Base
	own         bool   // the base is closed with the conversation
	unsupervise func() // ends the supervision of the base's private server
	answering   *wire.Answering
	end         context.CancelFunc
	ended       chan struct{} // closed when the service has ended; err says how
	err         error
}

type talk struct {
	thread  string
	out     io.Writer
	links   bool
	marked  bool // out lays Markdown out itself
	packets packet.Sink
	choice  wire.Choice
	fills   bool // vectors are made next to answering
}

type choiceFlags struct {
	Agent   string   `name:"agent" placeholder:"NAME" help:"Who answers: an agent of the configuration file."`
	Model   []string `name:"model" sep:"none" placeholder:"NAME" help:"Which model answers; named two or three times, several answer side by side."`
	Project string   `name:"project" placeholder:"NAME" help:"Have the files of a project of the configuration file at hand."`
}

func (f choiceFlags) choice() wire.Choice {
	return wire.Choice{Agent: f.Agent, Models: f.Model, Project: f.Project}
}

// openConversation opens the database and starts the answer service. Close ends both.
func openConversation(ctx context.Context, env *environment, t talk) (*conversation, error) {
	if err := t.choice.Validate(env.config); err != nil {
		return nil, usageError(err.Error())
	}
	base, err := wire.Open(ctx, env.config, env.logger)
	if err != nil {
		return nil, err
	}
	empty, err := base.Empty(ctx)
	if err != nil {
		return nil, errors.Join(err, base.Close(ctx))
	}
	if empty {
		fmt.Fprintln(env.errs, "Nothing is indexed yet. Index a folder with: footnote index PATH")
	}
	c, err := converse(ctx, env, base, t)
	if err != nil {
		return nil, errors.Join(err, base.Close(ctx))
	}
	c.own = true
	supervising, end := context.WithCancel(context.WithoutCancel(ctx))
	var supervisor sync.WaitGroup
	supervisor.Go(func() { base.Supervise(supervising) })
	if t.fills {
		supervisor.Go(func() { base.KeepFilling(supervising) })
	}
	c.unsupervise = func() {
		end()
		supervisor.Wait()
	}
	return c, nil
}

// converse starts a conversation on an open base. Closing the conversation does not close the base.
func converse(ctx context.Context, env *environment, base *wire.Base, t talk) (*conversation, error) {
	bot, err := consolebot.New(consolebot.Config{
		Store: base.Sessions(), Thread: t.thread, Present: base.Console(), Renderer: &console.Renderer{Terminal: t.links, Marked: t.marked, Width: width(t.out)},
		Surface: console.NewSurface(t.out), Packets: t.packets, Models: base.ModelsOf(t.choice), Logger: env.logger,
	})
	if err != nil {
		return nil, err
	}
	answering, err := base.Answering(ctx, wire.Place{
		Surfaces: bot, Platforms: []thread.Platform{console.Platform}, Workspaces: []string{bot.Workspace()}, Choice: t.choice,
		Grace: consoleGrace,
	})
	if err != nil {
		return nil, err
	}
	bot.Bind(answering.Services)
	// it ends with Close, after the running work has been stopped
	running, end := context.WithCancel(context.WithoutCancel(ctx))
	c := &conversation{Bot: bot, base: base, answering: answering, end: end, ended: make(chan struct{})}
	go func() {
		defer close(c.ended)
		c.err = answering.Run(running)
	}()
	return c, nil
}

// consoleGrace is how long an answer without a waiting reader may delay the end of the program.
const consoleGrace = 2 * time.Second

// errServiceEnded means that the answer service ended without returning an error.
var errServiceEnded = errors.New("the answer service has ended")

// stopWait is how long an ending process waits until its answer has stopped.
const stopWait = 10 * time.Second

// Wait waits until the turn was answered or the service has ended. If ctx is done first, Wait stops
// the answer and returns what was written so far.
func (c *conversation) Wait(ctx context.Context, id session.TurnID) (consolebot.Result, error) {
	result, err := c.wait(ctx, id)
	if err == nil || ctx.Err() == nil || errors.Is(context.Cause(ctx), errLeave) {
		return result, err
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWait)
	defer cancel()
	if err := c.Stop(ending); err != nil {
		return result, fmt.Errorf("stop the answer: %w", err)
	}
	return c.wait(ending, id)
}

func (c *conversation) wait(ctx context.Context, id session.TurnID) (consolebot.Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		look := time.NewTicker(time.Second)
		defer look.Stop()
		for full := 0; ; {
			select {
			case <-c.ended:
				cancel(errors.Join(errServiceEnded, c.err))
				return
			case <-ctx.Done():
				return
			case <-look.C:
				if full++; !c.base.Full() {
					full = 0
				}
				if full >= fullLooks {
					cancel(errFull)
					return
				}
			}
		}
	}()
	return c.Bot.Wait(ctx, id)
}

// fullLooks is how many checks in a row, one second apart, must find the disk full before Wait
// gives up. Another process may be making room.
const fullLooks = 10

var errFull = errors.New("the disk of the database is full: make room there, then ask again")

// Close waits until running answers have ended, and then closes what openConversation opened.
func (c *conversation) Close(ctx context.Context) error {
	c.end()
	<-c.ended
	err := errors.Join(c.err, c.answering.Close())
	if c.own {
		c.unsupervise()
		err = errors.Join(err, c.base.Close(ctx))
	}
	return err
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// maxWidth is in columns. Longer lines are hard to read, so wide terminals are not filled.
const maxWidth = 110

// width returns the column at which lines break, or 0 for output that is not wrapped.
func width(out io.Writer) int {
	f, ok := out.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil { // not a terminal
		return 0
	}
	return min(columns, maxWidth)
}
