package openaitest

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// Record is a request that the server has received. [Server.Requests] returns copies, which do not
// change later.
type Record struct {
	At      time.Time
	Path    string // "/v1/chat/completions", "/v1/embeddings" or "/v1/models"
	Header  http.Header
	Body    []byte
	Chat    *Request // nil if the request is not a chat request or not JSON
	Inputs  []string // texts of an embedding request
	Refused string   // why the request was invalid; empty if it was not
	Sent    int      // number of events written
	// FirstEvent is the time at which the first event was flushed. It is zero if no event was
	// flushed.
	FirstEvent time.Time
	// ClosedByClient is the time at which the client closed the connection before the reply was
	// complete. It is zero if the client did not.
	ClosedByClient time.Time
	// Ended is the time at which the handler returned. It is zero while the handler runs.
	Ended time.Time
	// Complete is set after the whole reply was written.
	Complete bool
}

// Requests returns all requests that the server has received so far, oldest first.
func (s *Server) Requests() []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Record, len(s.records))
	for i, rec := range s.records {
		out[i] = *rec
	}
	return out
}

// ChatRequests returns the chat requests that the server has received so far, oldest first.
func (s *Server) ChatRequests() []Record {
	var out []Record
	for _, rec := range s.Requests() {
		if rec.Chat != nil {
			out = append(out, rec)
		}
	}
	return out
}

// Wait waits until condition returns true for the requests so far, and returns these requests. It
// returns an error if ctx is done first.
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

// WaitClosed waits until the client has closed a connection before the reply was complete. n is the
// number of the request, counted from 0. It returns an error if ctx is done first.
func (s *Server) WaitClosed(ctx context.Context, n int) (Record, error) {
	records, err := s.Wait(ctx, func(records []Record) bool { return len(records) > n && !records[n].ClosedByClient.IsZero() })
	if err != nil {
		return Record{}, err
	}
	return records[n], nil
}

func (s *Server) update(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	s.signal()
}

func (s *Server) signal() { s.changed.Notify() }

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

func (s *Server) quitting() bool {
	select {
	case <-s.quit:
		return true
	default:
		return false
	}
}
