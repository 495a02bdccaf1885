package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/bots/internal/platforms"
	"github.com/footnotehq/footnote/bots/internal/wire"
)

// doctorCommand checks what footnote needs, part by part, and says what to do about each fault.
type doctorCommand struct{}

// Run implements the verb. It goes on after a fault, so that all are seen at once.
func (c *doctorCommand) Run(ctx context.Context, env *environment) (err error) {
	faults := 0
	tell := func(part, state string, fault error) error {
		if fault != nil {
			faults++
			_, err := fmt.Fprintf(env.stdout, "✗ %s: %v\n", part, fault)
			return err
		}
		_, err := fmt.Fprintf(env.stdout, "✓ %s: %s\n", part, state)
		return err
	}
	base, fault := wire.Open(ctx, env.config, env.logger)
	if fault != nil {
		if err := tell("database", "", fault); err != nil {
			return err
		}
	} else {
		defer func() { err = errors.Join(err, base.Close(ctx)) }()
		for _, check := range base.Checks() {
			state, fault := check.Run(ctx)
			if err := tell(check.Part, state, fault); err != nil {
				return err
			}
		}
		set, fault := platforms.New(base, nil)
		if fault != nil {
			return tell("platforms", "", fault)
		}
		for _, f := range set.Check(ctx) {
			mark := "✓"
			switch {
			case !f.OK && f.Optional:
				mark = "!"
			case !f.OK:
				mark, faults = "✗", faults+1
			}
			if _, err := fmt.Fprintf(env.stdout, "%s %s: %s\n", mark, f.Part, f.Text); err != nil {
				return err
			}
		}
	}
	if faults > 0 {
		return errSilent
	}
	return nil
}
