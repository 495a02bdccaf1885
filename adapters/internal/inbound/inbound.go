// Package inbound limits requests from untrusted clients to the program's HTTP servers. It limits
// the host name, the number of concurrent requests, and the number of bodies in memory.
package inbound

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
)

// OnlyHost returns a handler that rejects requests for other host names than host. This prevents
// DNS rebinding, in which an attacker's host name resolves to this server. The error message names
// the configuration setting of the host.
func OnlyHost(host, setting string, next http.Handler) http.Handler {
	host = withoutDefaultPort(host)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.EqualFold(withoutDefaultPort(r.Host), host) {
			http.Error(w, fmt.Sprintf("this is another host: %s says under which name the server is reached", setting), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func withoutDefaultPort(host string) string {
	if name, port, err := net.SplitHostPort(host); err == nil && (port == "443" || port == "80") {
		return name
	}
	return host
}

// AtOnce returns a handler that runs at most the given number of requests of each kind at once. It
// rejects further requests with status 429. kind returns the kind of a request.
func AtOnce(most int, kind func(*http.Request) string, next http.Handler) http.Handler {
	var mu sync.Mutex
	running := make(map[string]int)
	enter := func(key string) bool {
		mu.Lock()
		defer mu.Unlock()
		if running[key] >= most {
			return false
		}
		running[key]++
		return true
	}
	leave := func(key string) {
		mu.Lock()
		defer mu.Unlock()
		if running[key]--; running[key] == 0 {
			delete(running, key)
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := kind(r)
		if !enter(key) {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many requests at once; try again in a second", http.StatusTooManyRequests)
			return
		}
		defer leave(key)
		next.ServeHTTP(w, r)
	})
}

// Everyone returns the same kind for every request. With it, [AtOnce] counts all requests together.
func Everyone(*http.Request) string { return "" }
