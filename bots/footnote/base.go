package main

import (
	"context"
	"errors"

	"github.com/footnotehq/footnote/bots/internal/wire"
)

// withBase starts no answer service. It closes the base after do has returned.
func (env *environment) withBase(ctx context.Context, do func(*wire.Base) error) (err error) {
	base, err := wire.Open(ctx, env.config, env.logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close(ctx)) }()
	return do(base)
}
