package mcp_test

import (
	"bufio"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/mcp"
	core "github.com/footnotehq/footnote/core/mcp"
)

// A line that is no message gets an error with a null id (JSON-RPC 2.0, section 5.1: -32700 "Invalid
// JSON was received by the server", -32600 "The JSON sent is not a valid Request object"), and the
// messages after it are answered.
func TestLinesThatAreNoMessagesAreAnswered(t *testing.T) {
	t.Parallel()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- mcp.Serve(t.Context(), core.New(core.Deps{Logger: slog.New(slog.DiscardHandler), Now: time.Now}), core.Caller{}, "1", slog.New(slog.DiscardHandler), in, out)
		_ = out.Close()
	}()
	answers := bufio.NewScanner(fromServer)
	answers.Buffer(nil, 1<<20)
	send := func(line string) (id any, code int) {
		t.Helper()
		if _, err := io.WriteString(toServer, line+"\n"); err != nil {
			t.Fatal(err)
		}
		if !answers.Scan() {
			t.Fatalf("after %.40q the server has ended: %v", line, answers.Err())
		}
		var a struct {
			Version string `json:"jsonrpc"`
			ID      any    `json:"id"`
			Error   struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal(answers.Bytes(), &a); err != nil || a.Version != "2.0" {
			t.Fatalf("answered %q: %v", answers.Text(), err)
		}
		return a.ID, a.Error.Code
	}
	ping := func() {
		t.Helper()
		if id, code := send("\n \r\n" + `{"jsonrpc":"2.0","id":7,"method":"ping"}` + " \r"); id != 7.0 || code != 0 {
			t.Errorf("ping is answered with %v and the code %d", id, code)
		}
	}
	if id, code := send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`); id != 1.0 || code != 0 {
		t.Fatalf("initialize is answered with %v and the code %d", id, code)
	}
	for line, want := range map[string]int{
		"hello": -32700, `{"jsonrpc":"2.0",`: -32700, "\x00\xff": -32700, `{"jsonrpc":"2.0","id":2,"method":"ping"}{}`: -32700,
		strings.Repeat("x", 1<<20): -32700, `{"jsonrpc":"2.0","id":3,"method":"` + strings.Repeat("x", 300<<10) + `"}`: -32700,
		`1`: -32600, `{}`: -32600, `[]`: -32600, `[{"jsonrpc":"2.0","id":4,"method":"ping"}]`: -32600, `{"jsonrpc":"1.0","id":5,"method":"ping"}`: -32600,
	} {
		if id, code := send(line); id != nil || code != want {
			t.Errorf("%.40q is answered with %v and the code %d, want %d", line, id, code, want)
		}
		ping()
	}
	if _, err := io.WriteString(toServer, `{"jsonrpc":"2.0","id":8,"method":"ping"}`); err != nil { // no line feed
		t.Fatal(err)
	}
	_ = toServer.Close()
	for answers.Scan() {
	}
	if err := <-ended; err != nil {
		t.Errorf("the server ends with %v", err)
	}
}
