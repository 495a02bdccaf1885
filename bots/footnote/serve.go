package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/footnotehq/footnote/bots/internal/wire"
)

// serveCommand runs until it is told to stop. Platforms join it as they are built; so far it answers health checks.
type serveCommand struct {
	Check bool `name:"check" help:"Ask the server that runs at ADMIN_ADDR whether it is ready, and exit."`
}

// checkTimeout bounds one health check.
const checkTimeout = 3 * time.Second

// Run implements the verb.
func (c *serveCommand) Run(ctx context.Context, env *environment) (err error) {
	if c.Check {
		return checkReady(ctx, env.config.AdminAddr)
	}
	listener, err := net.Listen("tcp", env.config.AdminAddr)
	if err != nil {
		return fmt.Errorf("listen for health checks: %w; set ADMIN_ADDR to a free address", err)
	}
	base, err := wire.Open(ctx, env.config, env.logger)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer func() { err = errors.Join(err, base.Close(ctx)) }()
	server := &http.Server{Handler: health(base), ReadHeaderTimeout: checkTimeout}
	env.logger.Info("serving", "admin_addr", listener.Addr().String())
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve health checks: %w", err)
	case <-ctx.Done():
	}
	env.logger.Info("stopping")
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), env.config.Grace)
	defer cancel()
	err = server.Shutdown(ending)
	if served := <-served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// health answers /healthz while the process lives and /readyz while it can do its work, which needs the database.
func health(base *wire.Base) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeHealth(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), checkTimeout)
		defer cancel()
		if err := base.DB.Pool.Ping(ctx); err != nil {
			base.Logger.Warn("not ready", "part", "database", "error", err)
			writeHealth(w, http.StatusServiceUnavailable, map[string]string{"status": "unavailable", "database": "does not answer"})
			return
		}
		writeHealth(w, http.StatusOK, map[string]string{"status": "ok", "database": "ok"})
	})
	return mux
}

func writeHealth(w http.ResponseWriter, code int, parts map[string]string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	// The client is gone if this fails, and there is nobody left to tell.
	_ = json.NewEncoder(w).Encode(parts)
}

func checkReady(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return usageError("ADMIN_ADDR is not an address such as 127.0.0.1:8081")
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("ask for readiness: %w", err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("no server answers at ADMIN_ADDR: %w", err)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, 4<<10))
	if err := errors.Join(err, res.Body.Close()); err != nil {
		return fmt.Errorf("read the answer about readiness: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("the server is not ready: %s", body)
	}
	return nil
}
