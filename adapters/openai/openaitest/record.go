package openaitest

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// Record is one request as received. Server.Requests returns copies. Fields that are filled in
// later are set only in newer copies.
type Record struct {
	At      time.Time
	Path    string // "/v1/chat/completions", "/v1/embeddings" or "/v1/models"
	Header  http.Header
	Body    []byte
	Chat    *Request // of a chat request that was JSON
	Inputs  []string // of an embedding request
	Refused string   // why the request was invalid; empty if it was not
	Sent    int      // events written
	// FirstEvent is when the first event was flushed; zero if none was.
	FirstEvent time.Time
	// ClosedByClient is when the client closed the connection before the reply was complete; zero
	// if it did not.
	ClosedByClient time.Time
	// Ended is when the handler returned; zero while it runs.
	Ended time.Time
	// Complete is true once the whole reply was written.
	Complete bool
}

// Requests returns all requests so far, oldest first.
func (s *Server) Requests() []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Record, len(s.records))
	for i, rec := range s.records {
		out[i] = *rec
	}
	return out
}

// ChatRequests returns the chat requests so far, oldest first.
func (s *Server) ChatRequests() []Record {
	var out []Record
	for _, rec := range s.Requests() {
		if rec.Chat != nil {
			out = append(out, rec)
		}
	}
	return out
}

// Wait blocks until condition is true for the requests so far, and returns them. It fails if ctx
// ends first.
func (s *Server) Wait(ctx context.Context, condition func([]Record) bool) ([]Record, error) {
	var records []Record
	err := s.changed.Until(ctx, func() bool {
		records = s.Requests()
		return condition(records)
	})
	if err != nil {
		return records, fmt.Errorf("the condition did not hold for %d requests: %w", len(records), err)
	}
	return records, nil
}

// WaitClosed blocks until the client has closed the connection of the n-th request, counted from 0,
// before its reply was complete.
func (s *Server) WaitClosed(ctx context.Context, n int) (Record, error) {
	records, err := s.Wait(ctx, func(records []Record) bool { return len(records) > n && !records[n].ClosedByClient.IsZero() })
	if err != nil {
		return Record{}, err
	}
	return records[n], nil
}

// update runs a change of some record and wakes those who wait.
func (s *Server) update(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	s.signal()
}

// signal wakes those who wait.
func (s *Server) signal() { s.changed.Notify() }

// finish notes the end of a request.
func (s *Server) finish(rec *Record, r *http.Request) {
	now := time.Now()
	gone := r.Context().Err() != nil && !s.quitting()
	s.update(func() {
		if gone && !rec.Complete && rec.ClosedByClient.IsZero() {
			rec.ClosedByClient = now
		}
		rec.Ended = now
	})
}

// quitting reports whether Close was called: connections end then without the client's doing.
func (s *Server) quitting() bool {
	select {
	case <-s.quit:
		return true
	default:
		return false
	}
}
