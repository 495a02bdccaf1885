package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/footnotehq/footnote/adapters/mcp"
	"github.com/footnotehq/footnote/bots/internal/platforms"
	"github.com/footnotehq/footnote/bots/internal/wire"
)

// mcpCommand answers an assistant of the person at the terminal.
type mcpCommand struct{}

// Run implements the verb.
func (c *mcpCommand) Run(ctx context.Context, env *environment) error {
	return env.withBase(ctx, func(base *wire.Base) error {
		service, err := base.MCP(ctx, &platforms.Set{})
		if err != nil {
			return err
		}
		// Closing the stream ends a read that waits for the client.
		defer context.AfterFunc(ctx, func() { _ = env.stdin.Close() })()
		return mcp.Serve(ctx, service, base.AtConsole(operator()), version, env.logger, env.stdin, env.stdout)
	})
}

// assistants handles the requests of assistants; nil where MCP_URL is not set.
func assistants(ctx context.Context, base *wire.Base, set *platforms.Set) (http.Handler, error) {
	if base.Config.MCPURL == "" {
		return nil, nil
	}
	address, err := url.Parse(base.Config.MCPURL)
	if err != nil {
		return nil, fmt.Errorf("MCP_URL: %w", err)
	}
	service, err := base.MCP(ctx, set)
	if err != nil {
		return nil, err
	}
	return mcp.Handler(service, mcp.HTTPConfig{Host: address.Host, Version: version, Logger: base.Logger}), nil
}
