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

type health struct {
	base      *wire.Base
	set       *platforms.Set
	answering atomic.Pointer[wire.Answering] // nil until questions are taken in
	down      atomic.Bool                    // the database did not answer the last check
	short     atomic.Bool                    // the disk was short of space at the last check
	// model is why the model does not answer; nil: it answers, or was not tried.
	model atomic.Pointer[string]
}

// handler serves /healthz, /readyz and /metrics. /healthz succeeds while the process lives, /readyz
// while the database answers and every platform is connected. /readyz also shows a hash of the
// configuration, which is equal on replicas that answer alike.
func (h *health) handler(metrics http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeHealth(w, true, map[string]string{"status": "ok"})
	})
	mux.Handle("GET /metrics", metrics)
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), checkTimeout)
		defer cancel()
		states, ready := map[string]string{"status": "ok"}, true
		for _, p := range h.parts(ctx) {
			states[p.Name] = p.State
			switch {
			case p.Up:
			case !p.Optional:
				states["status"], ready = "unavailable", false
			case ready:
				states["status"] = "degraded"
			}
		}
		// the hash includes changes made in chat, so it needs the database
		if hash, err := h.base.Hash(ctx); err == nil {
			states["configuration"] = hash
		}
		writeHealth(w, ready, states)
	})
	return mux
}

func (h *health) parts(ctx context.Context) []platforms.Part {
	parts := append(h.set.Parts(), h.database(ctx))
	if p, private := h.disk(ctx); private {
		parts = append(parts, p)
	}
	if fault := h.model.Load(); fault != nil {
		parts = append(parts, platforms.Part{Name: "model", State: "does not answer: " + *fault, Optional: true})
	} else if h.base.Config.HasModel() {
		parts = append(parts, platforms.Part{Name: "model", State: "ok", Up: true, Optional: true})
	}
	if a := h.answering.Load(); a != nil {
		if wanted, connected := a.Redis(); wanted {
			p := platforms.Part{Name: "redis", State: "connected", Up: connected, Optional: true}
			if !connected {
				p.State = "not connected: stops are found by polling, and rates are divided among the replicas"
			}
			parts = append(parts, p)
		}
	}
	if h.base.HasEngine() {
		// optional, because the engine would fail for another replica too
		p := platforms.Part{Name: "opensearch", State: "ok", Up: true, Optional: true}
		if err := h.base.EngineUp(ctx); err != nil {
			p.State, p.Up = "not usable: searches say so, and what is indexed waits", false
		}
		parts = append(parts, p)
	}
	return parts
}

func (h *health) database(ctx context.Context) platforms.Part {
	err := h.base.DB.Pool.Ping(ctx)
	// Log each outage once, not with every probe.
	switch failing := err != nil; {
	case h.down.Swap(failing) == failing:
	case failing:
		h.base.Logger.WarnContext(ctx, "the database does not answer", "error", err)
	default:
		h.base.Logger.InfoContext(ctx, "the database answers again")
	}
	if err != nil {
		return platforms.Part{Name: "database", State: "does not answer"}
	}
	return platforms.Part{Name: "database", State: "ok", Up: true}
}

func (h *health) disk(ctx context.Context) (part platforms.Part, private bool) {
	disk, private, err := h.base.Disk()
	if !private {
		return part, false
	}
	if err != nil {
		return platforms.Part{Name: "disk", State: err.Error(), Optional: true}, true
	}
	if short := disk.Short(); h.short.Swap(short) != short && short { // log each shortage once
		h.base.Logger.WarnContext(ctx, "the disk of the private PostgreSQL is short: "+disk.String())
	}
	return platforms.Part{Name: "disk", State: disk.String(), Up: !disk.Short(), Optional: true}, true
}

func (h *health) freeBytes() (free uint64, ok bool) {
	disk, private, err := h.base.Disk()
	return disk.Free, private && err == nil
}

func (h *health) connected(ctx context.Context) map[string]bool {
	up := make(map[string]bool)
	for _, p := range h.parts(ctx) {
		up[p.Name] = p.Up
	}
	return up
}

func writeHealth(w http.ResponseWriter, ready bool, parts map[string]string) {
	w.Header().Set("Content-Type", "application/json")
	if !ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	// fails only if the client is gone
	_ = json.NewEncoder(w).Encode(parts)
}

// checkReady asks the server on this machine. An unspecified host in addr means 127.0.0.1.
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
