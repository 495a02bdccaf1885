// Package mcp implements the Model Context Protocol, over HTTP with personal tokens and over a
// process's standard streams. Package core/mcp decides what a call may read.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/footnotehq/footnote/core/mcp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage is the maximum size of a client's message in bytes. Calls contain only questions and
// addresses.
const maxMessage = 256 << 10

// callerOf returns the caller of a tool call, and a context that ends when the client stops
// waiting. If the context is nil, the call's own context applies.
type callerOf func(*sdk.CallToolRequest) (mcp.Caller, context.Context, error)

// newServer returns an MCP server with the tools of service. It ends running answers when ending is
// closed. ending may be nil.
func newServer(service *mcp.Service, version string, logger *slog.Logger, ending <-chan struct{}, caller callerOf) *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "footnote", Title: "Footnote", Version: version}, &sdk.ServerOptions{
		Instructions: mcp.Instructions, Logger: quiet(logger),
		// the tools do not change while the program runs
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
	})
	server.AddReceivingMiddleware(onlyTools)
	for _, t := range service.Tools() {
		server.AddTool(&sdk.Tool{
			Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: t.Parameters,
			Annotations: &sdk.ToolAnnotations{Title: t.Title, ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: new(false), OpenWorldHint: new(t.Name == mcp.AskName)},
		}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			person, waiting, err := caller(r)
			if err != nil {
				return nil, err
			}
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			if waiting != nil {
				defer context.AfterFunc(waiting, cancel)() //nolint:contextcheck // it ends with the connection
			}
			person.Progress = progressOf(r)
			if t.Name == mcp.AskName {
				go func() {
					select {
					case <-ending:
						cancel()
					case <-ctx.Done():
					}
				}()
			}
			result := &sdk.CallToolResult{}
			text, err := service.Call(ctx, person, t.Name, r.Params.Arguments)
			if err != nil { // the assistant reads it, and can tell its person
				text, result.IsError = err.Error(), true
			}
			result.Content = []sdk.Content{&sdk.TextContent{Text: text}}
			return result, nil
		})
	}
	return server
}

// progressOf returns a function that sends progress notifications to the client. It returns nil if
// the client did not request them.
func progressOf(r *sdk.CallToolRequest) func(context.Context, string) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return nil
	}
	told := 0.0
	return func(ctx context.Context, doing string) {
		told++
		// If the client is unreachable, its broken connection tells it that there is no result.
		_ = r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Message: doing, Progress: told})
	}
}

// quiet returns a logger for the SDK. It drops the SDK's messages about requests below the level of
// warnings. It logs the others at debug level, because nearly all of them are client errors.
func quiet(logger *slog.Logger) *slog.Logger { return slog.New(mistakes{logger.Handler()}) }

type mistakes struct{ slog.Handler }

// Enabled implements slog.Handler.
func (h mistakes) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, slog.LevelDebug)
}

// Handle implements slog.Handler.
func (h mistakes) Handle(ctx context.Context, r slog.Record) error {
	r.Level = slog.LevelDebug
	return h.Handler.Handle(ctx, r)
}

// onlyTools refuses requests for features that the server does not offer. The SDK would answer them
// with empty lists.
func onlyTools(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		switch kind, _, _ := strings.Cut(method, "/"); kind {
		case "prompts", "resources", "completion", "logging":
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("%q is not offered: this server has tools alone", method)}
		}
		return next(ctx, method, r)
	}
}

// Serve serves one client over a pair of streams. It answers a line that is no message with an
// error. It returns when the client closes its stream or
// ctx is done.
func Serve(ctx context.Context, service *mcp.Service, caller mcp.Caller, version string, logger *slog.Logger, in io.ReadCloser, out io.WriteCloser) error {
	server := newServer(service, version, logger, nil, func(*sdk.CallToolRequest) (mcp.Caller, context.Context, error) { return caller, nil, nil })
	shared := &lockedWriter{WriteCloser: out}
	session, err := server.Connect(ctx, &sdk.IOTransport{Reader: newLines(in, shared), Writer: shared, MaxLineLength: 2 * maxMessage}, nil)
	if err != nil {
		return fmt.Errorf("answer over the standard streams: %w", err)
	}
	defer context.AfterFunc(ctx, func() { _ = session.Close() })() // Wait has its error
	if err := session.Wait(); err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("answer over the standard streams: %w", err)
	}
	return nil
}
