// Package localmodeltest is a fake of model servers for tests. It follows the vendors'
// documentation.
package localmodeltest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Server is an HTTP server that returns a fixed response for each path. A request for any other
// path gets Otherwise, or 404.
type Server struct {
	Address   string
	Otherwise http.Handler

	mu      sync.Mutex
	answers map[string]Answer
	asked   []string // "METHOD PATH BODY"
}

// Answer is the response of a [Server] for one path.
type Answer struct {
	Status int // 0: 200
	Header map[string]string
	Body   string
	Do     func(w http.ResponseWriter, body []byte) // writes the response instead of the other fields
}

// New starts a server. answers has its responses by path.
func New(tb testing.TB, answers map[string]Answer) *Server {
	tb.Helper()
	s := &Server{answers: answers}
	at := httptest.NewServer(s)
	tb.Cleanup(at.Close)
	u, err := url.Parse(at.URL)
	if err != nil {
		tb.Fatal(err)
	}
	s.Address = u.Host
	return s
}

// Set changes the response for a path.
func (s *Server) Set(path string, a Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[path] = a
}

// Asked returns the past requests that begin with a text such as "POST /api/generate". Each request
// has the form "METHOD PATH BODY".
func (s *Server) Asked(begin string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var asked []string
	for _, line := range s.asked {
		if strings.HasPrefix(line, begin) {
			asked = append(asked, line)
		}
	}
	return asked
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	a, ok := s.answers[r.URL.Path]
	s.mu.Unlock()
	if !ok && s.Otherwise != nil {
		s.Otherwise.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	s.mu.Lock()
	s.asked = append(s.asked, fmt.Sprintf("%s %s %s", r.Method, r.URL.Path, body))
	s.mu.Unlock()
	switch {
	case !ok:
		http.NotFound(w, r)
	case a.Do != nil:
		a.Do(w, body)
	default:
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		for name, value := range a.Header {
			w.Header().Set(name, value)
		}
		if a.Status != 0 {
			w.WriteHeader(a.Status)
		}
		_, _ = io.WriteString(w, a.Body) // the client is gone if this fails
	}
}

// OllamaModel is a model of the server that [Ollama] starts.
type OllamaModel struct {
	Name, Family, Size string // such as "qwen3", "8.2B"
	Capabilities       []string
	Trained            int    // the context length of the model
	Window             int    // default context length
	Loaded             bool   // at the start
	RemoteHost         string // a model of Ollama's cloud
}

// Ollama starts a server that imitates Ollama (docs.ollama.com/api):
//
//	/api/version  {"version": "0.12.6"}
//	/api/tags     {"models": [{"name": "gemma3", "model": …, "remote_host": …,
//	              "details": {"family": "gemma", "parameter_size": "4.3B", …}}]}
//	/api/ps       {"models": [{"name": "gemma3", …, "context_length": 4096}]}
//	/api/show     {"details": …, "model_info": {"gemma3.context_length": 131072, …},
//	              "capabilities": ["completion", "vision"]}
//	/api/generate with a model and no prompt: "the model will be loaded into memory";
//	              answers {"done": true, "done_reason": "load", …}
func Ollama(tb testing.TB, models ...OllamaModel) *Server {
	tb.Helper()
	var mu sync.Mutex
	loaded := make(map[string]bool)
	for _, m := range models {
		loaded[m.Name] = m.Loaded
	}
	reply := func(w http.ResponseWriter, status int, what any) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(what) // the client is gone if this fails
	}
	entry := func(m OllamaModel) map[string]any {
		e := map[string]any{"name": m.Name, "model": m.Name, "size": 1, "details": map[string]any{
			"format": "gguf", "family": m.Family, "families": []string{m.Family}, "parameter_size": m.Size, "quantization_level": "Q4_K_M",
		}}
		if m.RemoteHost != "" {
			e["remote_host"], e["remote_model"] = m.RemoteHost, m.Name
		}
		return e
	}
	named := func(body []byte) (m OllamaModel, ok bool) {
		var wanted struct {
			Model string `json:"model"`
		}
		if json.Unmarshal(body, &wanted) != nil {
			return m, false
		}
		at := slices.IndexFunc(models, func(m OllamaModel) bool { return m.Name == wanted.Model })
		if at < 0 {
			return m, false
		}
		return models[at], true
	}
	return New(tb, map[string]Answer{
		"/":            {Body: "Ollama is running", Header: map[string]string{"Content-Type": "text/plain; charset=utf-8"}},
		"/api/version": {Body: `{"version":"0.12.6"}`},
		"/api/tags": {Do: func(w http.ResponseWriter, _ []byte) {
			list := []any{}
			for _, m := range models {
				list = append(list, entry(m))
			}
			reply(w, http.StatusOK, map[string]any{"models": list})
		}},
		"/api/ps": {Do: func(w http.ResponseWriter, _ []byte) {
			mu.Lock()
			defer mu.Unlock()
			list := []any{}
			for _, m := range models {
				if loaded[m.Name] {
					e := entry(m)
					e["context_length"], e["size_vram"], e["expires_at"] = m.Window, 1, "2025-10-17T16:47:07.93355-07:00"
					list = append(list, e)
				}
			}
			reply(w, http.StatusOK, map[string]any{"models": list})
		}},
		"/api/show": {Do: func(w http.ResponseWriter, body []byte) {
			m, ok := named(body)
			if !ok {
				reply(w, http.StatusNotFound, map[string]any{"error": "model not found"})
				return
			}
			reply(w, http.StatusOK, map[string]any{
				"model_info": map[string]any{"general.architecture": m.Family, m.Family + ".context_length": m.Trained}, "capabilities": m.Capabilities,
			})
		}},
		"/api/generate": {Do: func(w http.ResponseWriter, body []byte) {
			m, ok := named(body)
			if !ok {
				reply(w, http.StatusNotFound, map[string]any{"error": "model '' not found"})
				return
			}
			mu.Lock()
			defer mu.Unlock()
			loaded[m.Name] = true
			reply(w, http.StatusOK, map[string]any{"model": m.Name, "response": "", "done": true, "done_reason": "load"})
		}},
	})
}
