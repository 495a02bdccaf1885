package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"

	"github.com/footnotehq/footnote/bots/internal/platforms"
	"github.com/footnotehq/footnote/bots/internal/wire"
)

// health answers /healthz while the process lives, and /readyz while it can do its work: the database answers and every platform's
// connection is up, and /metrics with what the process has counted. Replicas that show the same configuration answer alike.
func health(base *wire.Base, set *platforms.Set, metrics http.Handler) http.Handler {
	var down atomic.Bool
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeHealth(w, true, map[string]string{"status": "ok"})
	})
	mux.Handle("GET /metrics", metrics)
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), checkTimeout)
		defer cancel()
		parts, ready := set.Ready(base.Config)
		parts["database"] = "ok"
		err := base.DB.Pool.Ping(ctx)
		if failing := err != nil; down.Swap(failing) != failing { // said once for each outage, not with every probe
			base.Logger.Warn("the database was lost, or found again", "answers", !failing, "error", err)
		}
		if err != nil {
			parts["database"], ready = "does not answer", false
		}
		parts["status"] = "ok"
		if hash, err := base.Hash(ctx); err == nil { // what was changed in chat is part of it, so it needs the database
			parts["configuration"] = hash
		}
		if !ready {
			parts["status"] = "unavailable"
		}
		writeHealth(w, ready, parts)
	})
	return mux
}

func writeHealth(w http.ResponseWriter, ready bool, parts map[string]string) {
	w.Header().Set("Content-Type", "application/json")
	if !ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	// The client is gone if this fails, and there is nobody left to tell.
	_ = json.NewEncoder(w).Encode(parts)
}

// checkReady asks the server of this machine whether it is ready.
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
