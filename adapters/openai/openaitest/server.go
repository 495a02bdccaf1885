// Package openaitest is a scripted server for tests. It speaks the OpenAI protocol: streamed chat
// completions, tool calls, usage and embeddings. A script sets the delays and splits of a stream
// and the faults that real providers show.
//
// The server validates requests like the real API. It records requests and the time at which the
// client disconnected. It shares no code with the client under test.
package openaitest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/servertest"
)

// Server is a fake server with an OpenAI-compatible API. It is safe for concurrent use.
type Server struct {
	http     *http.Server
	listener net.Listener
	quit     chan struct{} // closed by Close: ends stalled replies
	served   chan struct{} // closed when Serve has returned

	mu         sync.Mutex
	changed    servertest.Signal // notified when a record is added or updated
	script     []Reply
	embeddings []Reply
	otherwise  func(Request) Reply
	key        string
	dimensions int
	records    []*Record
}

// New starts a server on a free loopback port, which stops when the test ends. Each chat request
// gets the next reply of script. After the last one, [Librarian] answers.
func New(tb testing.TB, script ...Reply) *Server {
	tb.Helper()
	s, err := Start("127.0.0.1:0")
	if err != nil {
		tb.Fatalf("start the fake model endpoint: %v", err)
	}
	s.Push(script...)
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Errorf("close the fake model endpoint: %v", err)
		}
	})
	return s
}

// Start starts a server on addr, for use outside of tests. [Librarian] answers its chat requests.
// The caller must call Close.
func Start(addr string) (*Server, error) {
	var config net.ListenConfig
	listener, err := config.Listen(context.Background(), "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", addr, err)
	}
	s := &Server{
		listener: listener, quit: make(chan struct{}), served: make(chan struct{}),
		otherwise: Librarian, dimensions: DefaultDimensions,
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.chat)
	mux.HandleFunc("POST /v1/embeddings", s.embed)
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("GET /v1/models/{model}", describe)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusNotFound, "invalid_request_error", "unknown_url", "Unknown request URL")
	})
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(s.served)
		_ = s.http.Serve(listener) // always http.ErrServerClosed: only Close ends it
	}()
	return s, nil
}

// URL returns the base URL of the server, which ends in /v1.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/v1" }

// Close stops the server and aborts every unfinished reply.
func (s *Server) Close() error {
	s.mu.Lock()
	select {
	case <-s.quit:
	default:
		close(s.quit)
	}
	s.mu.Unlock()
	err := s.http.Close()
	<-s.served
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// Push appends replies to the script for chat requests.
func (s *Server) Push(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, replies...)
}

// PushEmbeddings appends replies to the script for embedding requests. It uses only the faults,
// Header, RetryAfter and Gate of a reply. After the last reply, embedding requests succeed.
func (s *Server) PushEmbeddings(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.embeddings = append(s.embeddings, replies...)
}

// Otherwise sets the function that answers chat requests after the last reply of the script. The
// default is [Librarian].
func (s *Server) Otherwise(reply func(Request) Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.otherwise = reply
}

// RequireKey makes the server reject every request that does not have this API key.
func (s *Server) RequireKey(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key = key
}

// SetDimensions sets the length of the embedding vectors that the server sends.
func (s *Server) SetDimensions(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dimensions = n
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	_, rec, ok := s.accept(w, r, true)
	if !ok {
		return
	}
	defer s.finish(rec, r)
	if rec.Chat == nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "", "We could not parse the JSON body of your request.")
		return
	}
	req := *rec.Chat
	s.mu.Lock()
	var reply Reply
	scripted := len(s.script) > 0
	if scripted {
		reply, s.script = s.script[0], s.script[1:]
	}
	otherwise := s.otherwise
	s.mu.Unlock()
	if fault := validateChat(&req); fault != nil {
		s.update(func() { rec.Refused = fault.message })
		refuse(w, http.StatusBadRequest, "invalid_request_error", fault.param, fault.message)
		return
	}
	if !scripted {
		reply = otherwise(req)
	}
	s.send(w, r, rec, req, reply)
}

func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	_, rec, ok := s.accept(w, r, false)
	if !ok {
		return
	}
	defer s.finish(rec, r)
	writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": []map[string]any{
		{"id": "scripted", "object": "model", "owned_by": "test"}, {"id": "hashed", "object": "model", "owned_by": "test"},
	}})
}

func describe(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"id": r.PathValue("model"), "object": "model", "created": 1, "owned_by": "test"})
}

// accept records a request and checks its API key. It returns false if it has sent an error
// response. It parses a chat request before it records it, because a waiting test may read the
// record at once.
func (s *Server) accept(w http.ResponseWriter, r *http.Request, chat bool) ([]byte, *Record, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 64<<20))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, "invalid_request_error", "", "The request body is too large.")
		return nil, nil, false
	}
	rec := &Record{At: time.Now(), Path: r.URL.Path, Header: r.Header.Clone(), Body: body}
	s.mu.Lock()
	refused := s.key != "" && r.Header.Get("Authorization") != "Bearer "+s.key
	s.mu.Unlock()
	if req := new(Request); chat && !refused && json.Unmarshal(body, req) == nil {
		rec.Chat = req
	}
	s.update(func() { s.records = append(s.records, rec) })
	if refused {
		refuse(w, http.StatusUnauthorized, "invalid_request_error", "invalid_api_key", "Incorrect API key provided: "+r.Header.Get("Authorization"))
		s.finish(rec, r)
		return nil, nil, false
	}
	return body, rec, true
}

func refuse(w http.ResponseWriter, status int, kind, code, message string) {
	writeJSON(w, status, map[string]any{"error": map[string]any{"message": message, "type": kind, "param": nil, "code": code}})
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // a disconnected client is not an error of the server
}
