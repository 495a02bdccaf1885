package mcp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/footnotehq/footnote/adapters/mcp"
	"github.com/footnotehq/footnote/adapters/mcp/mcptest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/turn"
)

// loop is a turn that searches, waits until it is let go of, and answers.
type loop struct {
	begun chan struct{} // has a value for each turn that waits
	goOn  chan struct{}
	ended chan error // has why each turn ended
}

func newLoop() *loop {
	return &loop{make(chan struct{}, 100), make(chan struct{}), make(chan error, 100)}
}

func (l *loop) Alone(ctx context.Context, _ session.Turn, _ func(context.Context) error, sink packet.Sink) (turn.Report, error) {
	sink.Accept(packet.Packet{Payload: packet.SearchQueries{Queries: []string{"vacation"}}})
	l.begun <- struct{}{}
	select {
	case <-l.goOn:
	case <-ctx.Done():
	}
	l.ended <- ctx.Err()
	if ctx.Err() != nil {
		return turn.Report{}, ctx.Err()
	}
	sink.Accept(packet.Packet{Payload: packet.MessageStart{}})
	return turn.Report{Answers: []turn.Answer{{Shown: "Thirty days.", Ending: turn.Ending{Outcome: session.Answered}}}}, nil
}

func (l *loop) Readable(context.Context, access.Audience, []document.ID) (map[document.ID]bool, error) {
	return nil, nil
}

func TestAskTellsItsProgress(t *testing.T) {
	t.Parallel()
	l := newLoop()
	w := newAsking(t, l)
	client, err := mcptest.Dial(t, w.http.URL+mcp.Path, secret)
	if err != nil {
		t.Fatal(err)
	}
	if got := client.Tools(); !slices.Contains(got, "ask") {
		t.Errorf("the tools are %v", got)
	}
	// The turn goes on once the client has heard of its search.
	text, refused, err := client.Ask(t.Context(), "How many vacation days?", func(doing string) {
		if doing == "Searching: vacation" {
			close(l.goOn)
		}
	})
	if err != nil || refused || !strings.Contains(text, "Thirty days.") {
		t.Errorf("%q, %v", text, err)
	}
	if text, refused, err := client.Ask(t.Context(), "How many vacation days?", nil); err != nil || refused || !strings.Contains(text, "Thirty days.") {
		t.Errorf("without progress: %q, %v", text, err)
	}
}

func asking(version, meta string) (body string, edit func(*http.Request)) {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{"question":"vacation"}` + meta + `}}`,
		func(r *http.Request) { r.Header.Set("Mcp-Protocol-Version", version) }
}

const withProgress = `,"_meta":{"progressToken":"p"}`

// A client that hangs up ends the turn, whatever protocol it speaks.
func TestHangingUpEndsTheTurn(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-03-26", "2025-06-18"} {
		for _, meta := range []string{"", withProgress} {
			l := newLoop()
			w := newAsking(t, l)
			ctx, hangUp := context.WithCancel(t.Context())
			body, edit := asking(version, meta)
			done := make(chan struct{})
			go func() {
				defer close(done)
				w.post(t, secret, strings.NewReader(body), func(r *http.Request) { edit(r); *r = *r.WithContext(ctx) })
			}()
			<-l.begun
			hangUp()
			if err := <-l.ended; !errors.Is(err, context.Canceled) {
				t.Errorf("protocol %s: the turn ended with %v", version, err)
			}
			<-done
		}
	}
	l := newLoop()
	w := newAsking(t, l)
	client, err := mcptest.Dial(t, w.http.URL+mcp.Path, secret)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, _, err := client.Ask(ctx, "vacation?", func(string) {})
		done <- err
	}()
	<-l.begun
	cancel()
	if err := <-l.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the newest protocol: the turn ended with %v", err)
	}
	if err := <-done; err == nil {
		t.Error("a cancelled call has a result")
	}
}

// When the process ends, answers end; a search has the time that it takes.
func TestEndingProcessEndsTurns(t *testing.T) {
	t.Parallel()
	ending := make(chan struct{})
	l := newLoop()
	w := newAsking(t, l, func(config *mcp.HTTPConfig) { config.Ending = ending })
	body, edit := asking("2025-06-18", "")
	done := make(chan string)
	go func() {
		_, text := w.post(t, secret, strings.NewReader(body), edit)
		done <- text
	}()
	<-l.begun
	close(ending)
	if err := <-l.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the turn ended with %v", err)
	}
	if text := <-done; !strings.Contains(text, "Try again later") {
		t.Errorf("the client reads %s", text)
	}
	if status, text := w.post(t, secret, strings.NewReader(searching), nil); status != http.StatusOK || !strings.Contains(text, "thirty days") {
		t.Errorf("a search: %d %s", status, text)
	}
}

// Questions take minutes: few at a time, so that searches have room.
func TestQuestionsAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	for _, meta := range []string{"", withProgress} {
		l := newLoop()
		w := newAsking(t, l)
		body, edit := asking("2025-06-18", meta)
		var all sync.WaitGroup
		for range mcp.MaxOwnAsks {
			all.Go(func() {
				if status, text := w.post(t, secret, strings.NewReader(body), edit); status != http.StatusOK || !strings.Contains(text, "Thirty days.") {
					t.Errorf("%d %s", status, text)
				}
			})
		}
		for range mcp.MaxOwnAsks {
			<-l.begun
		}
		if status, _ := w.post(t, second, strings.NewReader(body), edit); status != http.StatusTooManyRequests {
			t.Errorf("a further question of the person: %d", status)
		}
		if status, _ := w.post(t, secret, strings.NewReader(searching), nil); status != http.StatusOK {
			t.Errorf("a search beside them: %d", status)
		}
		close(l.goOn)
		all.Wait()
	}
}

func TestAmbiguousCallIsNoUncountedQuestion(t *testing.T) {
	t.Parallel()
	for _, params := range []string{
		`"name":"ask","Name":"search"`, `"name":"ask","Name":5`, `"name":"ask","_META":5`,
	} {
		l := newLoop()
		close(l.goOn)
		w := newAsking(t, l)
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + params + `,"arguments":{"query":"vacation","question":"vacation"}}}`
		_, edit := asking("2025-06-18", "")
		if status, text := w.post(t, secret, strings.NewReader(body), edit); status != http.StatusOK || len(l.begun) != 0 || !strings.Contains(text, "ambiguous") {
			t.Errorf("%s: %d %s, %d turns", params, status, text, len(l.begun))
		}
	}
}

// A client that asks, reads nothing and hangs up leaves nothing behind.
func TestClientThatNeverReads(t *testing.T) {
	t.Parallel()
	l := newLoop()
	w := newAsking(t, l)
	conn, err := w.dial()
	if err != nil {
		t.Fatal(err)
	}
	body, _ := asking("", withProgress)
	request := "POST " + mcp.Path + " HTTP/1.1\r\nHost: " + strings.TrimPrefix(w.http.URL, "http://") + "\r\nAuthorization: Bearer " + secret +
		"\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMcp-Protocol-Version: 2025-06-18\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	<-l.begun
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-l.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the turn ended with %v", err)
	}
}
