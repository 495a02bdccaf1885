package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/hook"
	"github.com/footnotehq/footnote/adapters/telemetry"
	"github.com/footnotehq/footnote/bots/internal/platforms"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"golang.org/x/sync/errgroup"
)

type serveCommand struct {
	Only      []string `name:"only" placeholder:"PLATFORM" enum:"slack,discord" help:"Only these platforms (slack, discord), although the tokens of others are set."`
	NoMigrate bool     `name:"no-migrate" help:"Leave the database schema as it is; where it is behind, say so and end. For a role that may not change tables (run footnote migrate as another)."`
	Check     bool     `name:"check" help:"Ask the server that runs at ADMIN_ADDR whether it is ready, and exit."`
}

const checkTimeout = 3 * time.Second

// Run executes "footnote serve".
func (c *serveCommand) Run(ctx context.Context, env *environment) (err error) {
	if c.Check {
		return checkReady(ctx, env.config.AdminAddr)
	}
	defer func() { err = env.asInterrupted(ctx, err) }()
	// check this before a database is started in vain
	if err := platforms.Lacking(env.config, c.Only); err != nil {
		return usageError(err.Error())
	}
	again, ignore := hangups()
	defer ignore()
	admin, err := listen(ctx, env.config.AdminAddr, "ADMIN_ADDR")
	if err != nil {
		return err
	}
	connect := wire.Open
	if c.NoMigrate {
		connect = wire.OpenMigrated
	}
	base, err := env.patiently(ctx, connect)
	if err != nil {
		return errors.Join(err, admin.Close())
	}
	defer func() { err = errors.Join(err, base.Close(ctx)) }()
	state := &health{base: base}
	metrics := telemetry.New(telemetry.Config{Queue: base.Sessions().Depth, Connected: state.connected, Disk: state.freeBytes, Caps: base.CapsUsed, Engine: base.EngineMetrics(), Sources: base.SourceMetrics(), Fill: base.FillMetrics()}) //nolint:contextcheck // a scrape brings no context, and is bounded
	base.Meter = metrics
	endTraces, err := env.trace(ctx, base)
	if err != nil {
		return errors.Join(err, admin.Close())
	}
	defer func() { err = errors.Join(err, endTraces()) }()
	if state.set, err = platforms.New(base, c.Only); err != nil {
		return errors.Join(err, admin.Close())
	}
	metrics.Serves(state.set.Platforms()...)
	// Parts stop in this order: platforms stop accepting questions, running answers finish, health
	// checks end.
	var servers errgroup.Group
	serving, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	servers.Go(func() error { return env.serveHTTP(serving, admin, state.handler(metrics.Handler())) })
	servers.Go(func() error { return env.reloading(serving, base, again) })
	servers.Go(func() error { base.Supervise(serving); return nil })
	servers.Go(func() error { state.probeModel(serving); return nil })
	env.logger.Info("serving", "admin_addr", admin.Addr().String(), "platforms", state.set.Platforms(), "memory", env.memory.String())
	err = c.answer(ctx, env, state)
	env.logger.Info("stopping")
	end()
	return errors.Join(err, servers.Wait())
}

// asInterrupted logs err and returns nil if err comes from the end of ctx. A server that was
// stopped has not failed, even if it was still starting.
func (env *environment) asInterrupted(ctx context.Context, err error) error {
	if ctx.Err() == nil || !errors.Is(err, context.Canceled) {
		return err
	}
	env.logger.Info("told to stop in the middle of something", "error", err)
	return nil
}

// trace sends traces of answers to the collector, if one is configured. Call end to stop.
func (env *environment) trace(ctx context.Context, base *wire.Base) (end func() error, err error) {
	if env.config.TraceEndpoint == "" {
		return func() error { return nil }, nil
	}
	headers := make(map[string]string, len(env.config.TraceHeaders))
	for name, value := range env.config.TraceHeaders {
		headers[name] = value.Reveal()
	}
	traces, err := telemetry.NewTraces(ctx, telemetry.TraceConfig{
		Endpoint: env.config.TraceEndpoint, Headers: headers, CAFile: env.config.CAFile, Version: version, Logger: env.logger,
	})
	if err != nil {
		return nil, err
	}
	base.Tracer = traces
	return func() error { return traces.Close(ctx) }, nil
}

// answer answers questions until ctx is done. It fails if a platform cannot be reached with these
// settings.
func (c *serveCommand) answer(ctx context.Context, env *environment, state *health) (err error) {
	base, set := state.base, state.set
	handler, err := requests(ctx, base, set)
	if err != nil {
		return err
	}
	var public net.Listener
	// listen first: an occupied address must be detected before questions are answered
	if handler != nil {
		if public, err = listen(ctx, env.config.HTTPAddr, "HTTP_ADDR"); err != nil {
			return err
		}
		defer func() { _ = public.Close() }() // no effect if the server has closed it
	}
	pages, at, err := env.console(ctx, state)
	if err != nil {
		return err
	}
	if at != nil {
		defer func() { _ = at.Close() }() // no effect if the server has closed it
	}
	if set.Empty() {
		parts, ctx := errgroup.WithContext(ctx)
		parts.Go(func() error { state.logMistakes(ctx); return nil })
		parts.Go(func() error { return background(ctx, base, set) })
		env.serveRequests(ctx, parts, public, handler)
		env.takeConsole(ctx, parts, at, pages)
		return parts.Wait()
	}
	if err := set.Connect(ctx); err != nil {
		return err
	}
	answering, err := base.Answering(ctx, set.Place())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, answering.Close()) }()
	state.answering.Store(answering)
	set.Bind(answering.Services)
	set.Use(answering.Tiers())
	parts, ctx := errgroup.WithContext(ctx)
	parts.Go(func() error { return answering.Run(ctx) })
	parts.Go(func() error { return set.Run(ctx) })
	parts.Go(func() error { state.logMistakes(ctx); return nil })
	parts.Go(func() error { return background(ctx, base, set) })
	env.serveRequests(ctx, parts, public, handler)
	env.takeConsole(ctx, parts, at, pages)
	return parts.Wait()
}

// requests returns the handler for webhooks of platforms and sources and for MCP, or nil if none is
// configured.
func requests(ctx context.Context, base *wire.Base, set *platforms.Set) (http.Handler, error) {
	hooks, err := base.Hooks()
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	called, err := assistants(ctx, base, set, mux)
	if err != nil || hooks == nil && !called {
		return set.Handler(), err
	}
	if hooks != nil {
		mux.Handle(hook.Pattern, hooks)
	}
	if of := set.Handler(); of != nil {
		mux.Handle("/", of)
	}
	return mux, nil
}

func (env *environment) serveRequests(ctx context.Context, parts *errgroup.Group, at net.Listener, handler http.Handler) {
	if handler == nil {
		return
	}
	env.logger.Info("taking requests", "http_addr", at.Addr().String())
	parts.Go(func() error { return env.serveHTTP(ctx, at, handler) })
}

// background runs background jobs until ctx is done. It also prepares caches, so that the first
// searches are not slow.
func background(ctx context.Context, base *wire.Base, set *platforms.Set) error {
	client, err := base.Background(ctx, set)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	var beside sync.WaitGroup
	beside.Go(func() { base.Sketch(ctx) })
	beside.Go(func() { base.Tell(ctx, client) })
	defer beside.Wait()
	defer end()
	return client.Run(ctx)
}

func listen(ctx context.Context, addr, setting string) (net.Listener, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w; set %s to a free address", err, setting)
	}
	return listener, nil
}

// serveHTTP serves until ctx is done. Running requests may then finish within SHUTDOWN_GRACE.
func (env *environment) serveHTTP(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: checkTimeout, ReadTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), env.config.Grace)
	defer cancel()
	err := server.Shutdown(ending)
	if served := <-served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
