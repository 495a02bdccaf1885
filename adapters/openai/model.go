// Package openai calls language and embedding models over the OpenAI protocol, at OpenAI or at any
// compatible server. No other package uses the SDK. The package does not expose types or errors of
// the SDK.
//
// It logs no text of requests or answers. No error contains the API key or the prompt.
package openai

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/sashabaranov/go-openai"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
	"github.com/footnotehq/footnote/core/llm"
)

var _ llm.Model = (*Model)(nil)

// Config configures a [Model].
type Config struct {
	Endpoint
	Model  string
	Window int   // tokens; 0 looks the model up, 32,768 if it is unknown
	Reply  int   // tokens kept free for the reply; 0 derives it from the model and the window
	Vision *bool // nil looks the model up
	Small  bool  // value of llm.Info.Small
	// NativeTools says whether the endpoint supports tools. nil means the known value for the
	// model, until the endpoint rejects tools. If it is false, calls are parsed from the model's
	// text.
	NativeTools *bool
}

// Model streams chat completions from an endpoint. If the endpoint rejects an optional field, it
// repeats the request without the field, and omits the field from then on. It does not retry other
// errors. Model is safe for concurrent use.
type Model struct {
	config  Config
	traits  traits
	info    llm.Info
	client  *sdk.Client
	dialect atomic.Pointer[dialect]
	noTools atomic.Bool // the endpoint refused tools
}

// usageWait and doneWait limit the wait for the rest of a stream after the finish reason. usageWait
// applies until the usage has arrived, and doneWait after that.
const (
	usageWait = 2 * time.Second
	doneWait  = 200 * time.Millisecond
)

// keepAliveInterval is the minimum time between two empty deltas, which show that a stream without
// text is alive.
const keepAliveInterval = time.Second

// New returns a model. It sends no request. The error names every invalid field of config.
func New(config Config) (*Model, error) {
	if config.IdleTimeout == 0 && traitsOf(config.Model).thinks(config.Model) {
		config.IdleTimeout = thinkingIdleTimeout
	}
	config.setDefaults()
	faults := config.validate()
	config.Model = strings.TrimSpace(config.Model)
	if config.Model == "" {
		faults = errors.Join(faults, errors.New("no model is named: set LLM_MODEL to one that the endpoint offers"))
	}
	if config.Window < 0 || config.Reply < 0 || config.Window > 0 && config.Reply >= config.Window {
		faults = errors.Join(faults, errors.New("the model's window must be positive and larger than its reply"))
	}
	if faults != nil {
		return nil, faults
	}
	t := traitsOf(config.Model)
	info := llm.Info{Name: config.Model, Window: config.Window, Reply: config.Reply, Vision: t.vision, NativeTools: !t.noTools, Small: config.Small, Thinks: t.thinks(config.Model)}
	if info.Window == 0 {
		info.Window = t.window
	}
	if info.Reply == 0 {
		info.Reply = t.replyOf(info.Window)
	}
	if config.Vision != nil {
		info.Vision = *config.Vision
	}
	if config.NativeTools != nil {
		info.NativeTools = *config.NativeTools
	}
	m := &Model{config: config, traits: t, info: info, client: newClient(config.Endpoint, eventLimits)}
	m.dialect.Store(&dialect{})
	return m, nil
}

func newClient(e Endpoint, whole boundedjson.Limits) *sdk.Client {
	settings := sdk.DefaultConfig(e.APIKey)
	settings.BaseURL = e.BaseURL
	next := e.HTTP.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	settings.HTTPClient = &http.Client{
		Transport: &transport{next: next, idle: e.IdleTimeout, whole: whole},
		// A redirected POST loses its body or its key. The error names the final address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return sdk.NewClientWithConfig(settings)
}

// Info implements llm.Model. NativeTools in the result becomes false once the endpoint has rejected
// tools.
func (m *Model) Info() llm.Info {
	info := m.info
	info.NativeTools = info.NativeTools && !m.noTools.Load()
	return info
}

// Stream implements llm.Model. The last delta has the finish reason and, if the endpoint reports
// it, the usage. If the model refuses to answer, its refusal is streamed as text, and the finish
// reason is [llm.FinishRefusal].
//
// Stream enforces [llm.AnswerLimits] and separates reasoning from the text.
func (m *Model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return llm.AnswerLimits.Stream(ctx, req, func(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
		return llm.Thoughts(m.stream(ctx, req))
	})
}

func (m *Model) stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		x := m.config.explainer(m.config.Model, "LLM_MODEL", requestTexts(req))
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		stream, err := m.open(inner, req)
		if err != nil {
			yield(x.streamFailure(ctx, m.withoutTools(err, req)))
			return
		}
		defer func() { _ = stream.Close() }() // the read part is complete, or its error was returned
		d := newDecoder()
		var alive time.Time
		for {
			raw, err := stream.RecvRaw()
			if err != nil {
				// Errors after the finish reason do not matter: the answer is complete.
				if d.finish != "" && ctx.Err() == nil {
					yield(d.end(), nil)
					return
				}
				yield(x.streamFailure(ctx, m.withoutTools(err, req)))
				return
			}
			deltas, err := d.decodeWithin(inner, raw)
			if err != nil {
				yield(x.streamFailure(ctx, err))
				return
			}
			if len(deltas) == 0 && d.finish == "" && time.Since(alive) >= keepAliveInterval {
				deltas, alive = []llm.Delta{{}}, time.Now() // a sign of life
			}
			for _, delta := range deltas {
				if !yield(delta, nil) {
					return
				}
			}
			if d.finish != "" {
				wait := usageWait
				if d.usage != nil {
					wait = doneWait
				}
				overdue := time.AfterFunc(wait, cancel)
				defer overdue.Stop()
			}
		}
	}
}

func (x explainer) streamFailure(ctx context.Context, err error) (llm.Delta, error) {
	var refused *responseError
	if ctx.Err() == nil && errors.As(err, &refused) && refused.filtered() {
		return llm.Delta{Finish: llm.FinishRefusal}, nil
	}
	return llm.Delta{}, x.explain(ctx, err)
}

func (m *Model) open(ctx context.Context, req llm.Request) (*sdk.ChatCompletionStream, error) {
	for {
		d := *m.dialect.Load()
		encoded, err := m.encode(req, d)
		if err != nil {
			return nil, err
		}
		stream, err := m.client.CreateChatCompletionStream(ctx, encoded)
		if err == nil {
			return stream, nil
		}
		var refused *responseError
		if !errors.As(err, &refused) || !d.learnChoice(refused, encoded) && !d.learnField(refused, encoded) {
			return nil, err
		}
		m.dialect.Store(&d)
	}
}

func (d *dialect) learnField(e *responseError, sent sdk.ChatCompletionRequest) bool {
	if e.status != http.StatusBadRequest && e.status != http.StatusUnprocessableEntity || e.tooLong() {
		return false
	}
	switch {
	case sent.StreamOptions != nil && e.says("stream_options", "include_usage"):
		d.noUsage = true
	//nolint:staticcheck // deprecated at OpenAI, and the only field that many other servers know
	case sent.MaxTokens > 0 && e.says("max_completion_tokens"), sent.MaxCompletionTokens > 0 && !d.swapMaxTokens && e.says("max_completion_tokens"):
		d.swapMaxTokens = !d.swapMaxTokens
		return d.swapMaxTokens // swapping back would loop forever
	case sent.Temperature != 0 && e.says("temperature"):
		d.noTemperature = true
	default:
		return false
	}
	return true
}
