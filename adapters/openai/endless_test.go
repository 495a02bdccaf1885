package openai_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai"
	"github.com/footnotehq/footnote/core/footprint"
	"github.com/footnotehq/footnote/core/footprint/footprinttest"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
	"golang.org/x/sync/errgroup"
)

// attack is an endless answer: a beginning, and what is repeated after it.
type attack struct {
	media, first, again string
	status              int
	text                bool // something is written that a reader sees
}

const stream, whole = "text/event-stream", "application/json"

func delta(fields string) string { return `data: {"choices":[{"delta":{` + fields + `}}]}` + "\n\n" }

func call(fields string) string { return delta(`"tool_calls":[{` + fields + `}]`) }

// attacks are answers of models that do not end.
func attacks() map[string]attack {
	word, letters := delta(`"content":"again and "`), strings.Repeat("a", 1000)
	return map[string]attack{
		"text":                       {media: stream, again: word, text: true},
		"reasoning":                  {media: stream, again: delta(`"reasoning":"` + letters + `"`)},
		"reasoning after text":       {media: stream, first: word, again: delta(`"reasoning_content":"` + letters + `"`), text: true},
		"arguments":                  {media: stream, first: call(`"index":0,"id":"a","function":{"name":"t"}`), again: call(`"index":0,"function":{"arguments":"` + letters + `"}`)},
		"arguments after text":       {media: stream, first: word, again: call(`"index":0,"function":{"arguments":"` + letters + `"}`), text: true},
		"arguments as arrays":        {media: stream, again: call(`"index":0,"function":{"arguments":[` + strings.Repeat("[],", 300) + `[]]}`)},
		"names":                      {media: stream, again: call(`"index":0,"function":{"name":"` + letters + `"}`)},
		"ids":                        {media: stream, again: call(`"id":"` + letters + `","function":{"name":"t"}`)},
		"calls":                      {media: stream, again: call(`"function":{"name":"t","arguments":"{}"}`)},
		"calls by their index":       {media: stream, again: call(`"index":999999,"function":{"name":"t"}`)},
		"empty calls":                {media: stream, again: call("")},
		"calls in one event":         {media: stream, again: delta(`"tool_calls":[` + strings.Repeat("{},", 15_000) + `{}]`)},
		"choices in one event":       {media: stream, first: `data: {"choices":[`, again: "{},"},
		"parts of content":           {media: stream, first: `data: {"choices":[{"delta":{"content":[`, again: `{"text":"a"},`},
		"depth":                      {media: stream, first: `data: {"choices":`, again: "["},
		"empty events":               {media: stream, again: "data: {}\n\n"},
		"empty deltas":               {media: stream, again: delta("")},
		"comments":                   {media: stream, again: ": keep-alive\n\n"},
		"comments after text":        {media: stream, first: word, again: ": keep-alive\n\n", text: true},
		"pings":                      {media: stream, again: "event: ping\ndata: {}\n\n"},
		"line breaks":                {media: stream, again: "\n"},
		"one comment":                {media: stream, first: ":", again: letters},
		"one line":                   {media: stream, first: "data: {\"a\":\"", again: letters},
		"one line after text":        {media: stream, first: word + "data: {\"a\":\"", again: letters, text: true},
		"one event in empty lines":   {media: stream, first: "data: [\n", again: "data:\n"},
		"one event in short lines":   {media: stream, first: "data: [\n", again: "data: 1,\n"},
		"one name of an event":       {media: stream, first: "event: ", again: letters},
		"usage":                      {media: stream, again: `data: {"usage":{"prompt_tokens":1}}` + "\n\n"},
		"an error event":             {media: stream, first: `data: {"error":{"message":"`, again: letters},
		"a whole answer":             {media: whole, first: `{"choices":[{"message":{"content":"`, again: letters},
		"elements of a whole answer": {media: whole, first: `{"choices":[`, again: "{},"},
		"an error":                   {media: whole, status: 400, first: `{"error":{"message":"`, again: letters},
		"elements of an error":       {media: whole, status: 500, first: `{"error":[`, again: "[],"},
		"a page":                     {media: "text/html", first: "<p>", again: letters},
	}
}

func (a attack) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", a.media)
	if a.status != 0 {
		w.WriteHeader(a.status)
	}
	_, err := io.WriteString(w, a.first)
	for block := strings.Repeat(a.again, 1+64<<10/len(a.again)); err == nil; {
		_, err = io.WriteString(w, block)
	}
}

func attacked(t *testing.T, a attack) openai.Endpoint {
	t.Helper()
	server := httptest.NewServer(a)
	t.Cleanup(server.Close)
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return openai.Endpoint{BaseURL: server.URL + "/v1", HTTP: client}
}

func attackedModel(t *testing.T, a attack) llm.Model {
	t.Helper()
	m, err := openai.New(openai.Config{Endpoint: attacked(t, a), Model: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func attackedEmbedder(t *testing.T, a attack) *openai.Embedder {
	t.Helper()
	e, err := openai.NewEmbedder(openai.EmbedderConfig{Endpoint: attacked(t, a), Model: "hashed", Dimensions: 768})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// read keeps all that a stream passes on, as a caller may.
func read(ctx context.Context, m llm.Model) (kept []llm.Delta, err error) {
	for d, err := range m.Stream(ctx, ask("What does it say?")) {
		if err != nil {
			return kept, err
		}
		kept = append(kept, d)
	}
	return kept, nil
}

func TestLittleMemoryEndlessAnswers(t *testing.T) {
	const limit = 256 << 20
	footprinttest.Limited(t, limit, func(t *testing.T) {
		for name, a := range attacks() {
			var group errgroup.Group
			for range 8 {
				m := attackedModel(t, a)
				group.Go(func() error {
					kept, err := read(t.Context(), m)
					if cut := err == nil && kept[len(kept)-1].Finish == llm.FinishLimit; cut != a.text {
						return fmt.Errorf("%s: cut after its text: %v, error %w", name, cut, err)
					}
					return nil
				})
			}
			if err := group.Wait(); err != nil {
				t.Error(err)
			}
		}
		t.Logf("%d MiB sufficed for eight at once; the row declares %d MiB", limit>>20, footprint.Model.Max>>20)
	})
}

func TestLittleMemoryEndlessVectors(t *testing.T) {
	footprinttest.Limited(t, 384<<20, func(t *testing.T) {
		for name, a := range map[string]attack{
			"vectors": {media: whole, first: `{"data":[`, again: "{},"},
			"numbers": {media: whole, first: `{"data":[{"embedding":[`, again: "0.1,"},
			"a word":  {media: whole, first: `{"data":"`, again: "a"},
			"depth":   {media: whole, first: `{"data":`, again: "["},
			"blanks":  {media: whole, again: " "},
			"refusal": {media: whole, status: 400, first: `{"error":"`, again: "a"},
		} {
			var group errgroup.Group
			for range 8 {
				e := attackedEmbedder(t, a)
				group.Go(func() error {
					if _, err := e.Embed(t.Context(), retrieve.ForQuery, []string{"a text"}); !errors.Is(err, llm.ErrBadRequest) {
						return fmt.Errorf("%s: %w", name, err)
					}
					return nil
				})
			}
			if err := group.Wait(); err != nil {
				t.Error(err)
			}
		}
	})
}
