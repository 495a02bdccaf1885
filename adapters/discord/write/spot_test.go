package write

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/directory"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// held is an API that answers once it is let.
type held struct {
	asked   chan struct{} // closed by the first call
	release chan struct{}
	calls   atomic.Int32
	opened  atomic.Int32 // threads
}

func (h *held) RoundTrip(r *http.Request) (*http.Response, error) {
	if h.calls.Add(1) == 1 {
		close(h.asked)
	}
	select {
	case <-h.release:
	case <-r.Context().Done():
		return nil, context.Cause(r.Context())
	}
	res := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: r, Body: io.NopCloser(strings.NewReader(`{"id":"2"}`))}
	if r.Method == http.MethodPost {
		h.opened.Add(1)
		return res, nil
	}
	res.StatusCode, res.Body = http.StatusNotFound, io.NopCloser(strings.NewReader(`{"code":10003,"message":"Unknown Channel"}`))
	return res, nil
}

// While the place of an answer is looked for, whoever needs it waits no longer than it wants to,
// and whoever does not waits for nothing.
func TestPlaceIsLookedForWithoutALock(t *testing.T) {
	t.Parallel()
	api := &held{asked: make(chan struct{}), release: make(chan struct{})}
	b, err := call.NewBot(call.Config{Token: "token", Wrap: func(http.RoundTripper) http.RoundTripper { return api }})
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWriter(b, directory.NewDirectory(b))
	if err != nil {
		t.Fatal(err)
	}
	turn := session.Turn{Message: "2", Session: session.Session{Ref: thread.Ref{Workspace: "9", Channel: "1", Thread: "2"}}}
	s := w.Surface(turn, false, false)
	type result struct {
		where spot
		err   error
	}
	done := make(chan result, 2)
	look := func() {
		where, err := s.spot(t.Context())
		done <- result{where, err}
	}
	go look()
	<-api.asked
	go look()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.spot(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("who has gone waits: %v", err)
	}
	if near := s.nearest(); near != "1" {
		t.Errorf("the question stands near %q", near)
	}
	close(api.release)
	for range 2 {
		if r := <-done; r.err != nil || r.where.channel != "2" || !r.where.thread {
			t.Errorf("the answer stands at %+v, %v", r.where, r.err)
		}
	}
	if n := api.opened.Load(); n != 1 {
		t.Errorf("%d threads were opened", n)
	}
	if near := s.nearest(); near != "2" {
		t.Errorf("then the answer stands near %q", near)
	}
}
