package mcp_test

import (
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/footnotehq/footnote/adapters/mcp"
)

// lines collects what is logged. It is safe for concurrent use.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// What the server does not offer does not exist, and a client that asks for it or for what newer
// protocols removed cannot fill the log with errors.
func TestMistakesOfClientsAreNoErrors(t *testing.T) {
	t.Parallel()
	logged := &lines{}
	w := newAsking(t, nil, func(c *mcp.HTTPConfig) { c.Logger = slog.New(slog.NewTextHandler(logged, nil)) })
	const meta = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`
	for _, method := range []string{"prompts/list", "resources/list", "resources/templates/list", "completion/complete", "logging/setLevel", "resources/subscribe", "ping"} {
		_, body := w.post(t, secret, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+meta+`}`), func(r *http.Request) {
			r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
			r.Header.Set("Mcp-Method", method)
		})
		if !strings.Contains(body, "-32601") {
			t.Errorf("%s: %s", method, body)
		}
	}
	if got := logged.String(); got != "" {
		t.Errorf("logged:\n%s", got)
	}
}
