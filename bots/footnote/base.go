package main

import (
	"context"
	"errors"

	"github.com/footnotehq/footnote/bots/internal/wire"
)

// withBase opens the database, calls do, and closes it. It starts no answer service.
func (env *environment) withBase(ctx context.Context, do func(*wire.Base) error) (err error) {
	base, err := wire.Open(ctx, env.config, env.logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close(ctx)) }()
	return do(base)
}
