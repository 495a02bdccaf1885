package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/footnotehq/footnote/bots/internal/platforms"
	"github.com/footnotehq/footnote/bots/internal/wire"
)

// doctorCommand checks what footnote needs, part by part, and says what to do about each fault.
type doctorCommand struct{}

// Run implements the verb. It goes on after a fault, so that all are seen at once.
func (c *doctorCommand) Run(ctx context.Context, env *environment) (err error) {
	e := &examination{out: env.stdout}
	base, fault := wire.Open(ctx, env.config, env.logger)
	if fault != nil {
		e.tell("database", "", fault)
		return e.result()
	}
	defer func() { err = errors.Join(err, base.Close(ctx)) }()
	for _, check := range base.Checks() {
		state, fault := check.Run(ctx)
		e.tell(check.Part, state, fault)
	}
	set, fault := platforms.New(base, nil)
	if fault != nil {
		e.tell("platforms", "", fault)
		return e.result()
	}
	for _, f := range set.Check(ctx) {
		e.find(f)
	}
	return e.result()
}

// examination prints a line for each part, and remembers whether one was at fault.
type examination struct {
	out    io.Writer
	faulty bool
	err    error // the first in writing
}

func (e *examination) tell(part, state string, fault error) {
	f := platforms.Finding{Part: part, Text: state, OK: fault == nil}
	if fault != nil {
		f.Text = fault.Error()
	}
	e.find(f)
}

func (e *examination) find(f platforms.Finding) {
	mark := "✓"
	switch {
	case !f.OK && f.Optional:
		mark = "!"
	case !f.OK:
		mark, e.faulty = "✗", true
	}
	if _, err := fmt.Fprintf(e.out, "%s %s: %s\n", mark, f.Part, f.Text); e.err == nil {
		e.err = err
	}
}

// result is what the verb ends with: errSilent after a fault, since it has been printed.
func (e *examination) result() error {
	if e.err == nil && e.faulty {
		return errSilent
	}
	return e.err
}
