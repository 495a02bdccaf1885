package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/footnotehq/footnote/adapters/mcp"
	"github.com/footnotehq/footnote/adapters/slack/receive"
	"github.com/footnotehq/footnote/bots/internal/platforms"
	"github.com/footnotehq/footnote/bots/internal/wire"
)

type mcpCommand struct{}

// Run executes "footnote mcp".
func (c *mcpCommand) Run(ctx context.Context, env *environment) error {
	return env.withBase(ctx, func(base *wire.Base) error {
		service, err := base.MCP(ctx, &platforms.Set{})
		if err != nil {
			return err
		}
		// Closing the stream ends a pending read.
		defer context.AfterFunc(ctx, func() { _ = env.stdin.Close() })()
		return mcp.Serve(ctx, service, base.AtConsole(operator()), version, env.logger, env.stdin, env.stdout)
	})
}

// assistants adds the MCP handler to a mux. It reports false if MCP_URL is not set.
func assistants(ctx context.Context, base *wire.Base, set *platforms.Set, to *http.ServeMux) (bool, error) {
	c := base.Config
	if c.MCPURL == "" {
		return false, nil
	}
	address, err := url.Parse(c.MCPURL)
	if err != nil {
		return false, fmt.Errorf("MCP_URL: %w", err)
	}
	service, err := base.MCP(ctx, set)
	if err != nil {
		return false, err
	}
	config := mcp.HTTPConfig{Host: address.Host, Version: version, Logger: base.Logger, Ending: ctx.Done()}
	if c.MCPIssuer != "" {
		config.OAuth = &mcp.OAuthConfig{Issuer: c.MCPIssuer, Resource: c.MCPURL, Audience: cmp.Or(c.MCPAudience, c.MCPURL), Claim: c.MCPClaim, HTTP: base.HTTP("oauth")}
		to.Handle(mcp.MetadataPattern, mcp.Metadata(*config.OAuth))
		to.Handle(mcp.MetadataPattern+mcp.Path, mcp.Metadata(*config.OAuth))
	}
	if c.SlackSigningSecret != "" {
		config.SignedBySlack = func(header http.Header, body []byte) error {
			return receive.Verify(c.SlackSigningSecret.Reveal(), header, body)
		}
	}
	to.Handle(mcp.Path, mcp.Handler(service, config))
	return true, nil
}
