// Package mcptest is an MCP client for tests. It uses the SDK's client, over HTTP or a process's
// streams.
package mcptest

import (
	"context"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Client is an MCP client. It is connected to a server until the test ends.
type Client struct {
	tb      testing.TB
	session *sdk.ClientSession

	mu   sync.Mutex
	hear func(string)
}

type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// Dial connects to the MCP server at address. It sends token with every request.
func Dial(tb testing.TB, address, token string) (*Client, error) {
	tb.Helper()
	return connect(tb, &sdk.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: bearer{token}}, MaxRetries: -1})
}

// Start starts a command and connects to its standard input and output.
func Start(tb testing.TB, cmd *exec.Cmd) (*Client, error) {
	tb.Helper()
	return connect(tb, &sdk.CommandTransport{Command: cmd, TerminateDuration: time.Minute})
}

func connect(tb testing.TB, transport sdk.Transport) (*Client, error) {
	tb.Helper()
	c := &Client{tb: tb, hear: func(string) {}}
	var err error
	c.session, err = sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.hear(r.Params.Message)
		},
	}).Connect(tb.Context(), transport, nil)
	if err != nil {
		return nil, err
	}
	tb.Cleanup(func() { _ = c.Close() }) // a test that closes it looks at the error
	return c, nil
}

// Close ends the connection.
func (c *Client) Close() error { return c.session.Close() }

// Call calls a tool and returns the tool's text. If refused is true, the text says why there is no
// result.
func (c *Client) Call(ctx context.Context, name string, arguments map[string]any) (text string, refused bool, err error) {
	return textOf(c.session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: arguments}))
}

func textOf(result *sdk.CallToolResult, err error) (text string, refused bool, _ error) {
	if err != nil {
		return "", false, err
	}
	var b strings.Builder
	for _, content := range result.Content {
		if t, ok := content.(*sdk.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String(), result.IsError, nil
}

// Ask calls the tool ask. hear receives the progress messages. If hear is nil, progress is not
// requested.
func (c *Client) Ask(ctx context.Context, question string, hear func(string)) (text string, refused bool, err error) {
	params := &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{"question": question}}
	if hear != nil {
		params.SetProgressToken(question)
		c.mu.Lock()
		c.hear = hear
		c.mu.Unlock()
	}
	return textOf(c.session.CallTool(ctx, params))
}

// Get calls a tool like [Client.Call] and returns the tool's text. The test fails if there is no
// result.
func (c *Client) Get(name string, arguments map[string]any) string {
	c.tb.Helper()
	text, refused, err := c.Call(c.tb.Context(), name, arguments)
	if err != nil || refused {
		c.tb.Fatalf("%s %v: %v %s", name, arguments, err, text)
	}
	return text
}

// Tools returns the names of the tools. The test fails if any tool is not marked as read-only.
func (c *Client) Tools() []string {
	c.tb.Helper()
	var names []string
	for t, err := range c.session.Tools(c.tb.Context(), nil) {
		if err != nil {
			c.tb.Fatal(err)
		}
		if a := t.Annotations; a == nil || !a.ReadOnlyHint || a.DestructiveHint == nil || *a.DestructiveHint {
			c.tb.Errorf("%s does not say that it only reads: %+v", t.Name, a)
		}
		names = append(names, t.Name)
	}
	return names
}

// Protocol returns the protocol version that the client and server use.
func (c *Client) Protocol() string { return c.session.InitializeResult().ProtocolVersion }
