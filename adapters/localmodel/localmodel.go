// Package localmodel finds model servers on this machine and lists their loaded models. It connects
// only to loopback addresses, follows no redirects and uses no proxy.
package localmodel

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/localmodel"
)

const (
	// Patience is the time limit for [Find] while a person waits.
	Patience = 300 * time.Millisecond
	// KnownPatience is the time limit for [Find] if it looks only for a server that was chosen
	// earlier.
	KnownPatience = 2 * time.Second
	// maxAnswer is the maximum size of a response in bytes. The model list of any known server is
	// smaller.
	maxAnswer = 1 << 20
	// described is the maximum number of a server's models for which details are requested.
	described = 3
	// rereading is the timeout for the requests after a model was loaded.
	rereading = 5 * time.Second
)

var client = &http.Client{
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// answer is a response. The zero value means that the server did not respond.
type answer struct {
	status int
	server string // the Server header
	body   []byte
}

func (a answer) decode(to any) bool {
	return a.status == http.StatusOK && json.Unmarshal(a.body, to) == nil
}

// refused reports whether a server requires a key.
func (a answer) refused() bool {
	return a.status == http.StatusUnauthorized || a.status == http.StatusForbidden
}

// sendRequest sends a GET request, or a POST request if there is a body. It returns an error if
// address is not a loopback address.
func sendRequest(ctx context.Context, address, path string, body any) (answer, error) {
	if !localmodel.Loopback(address) {
		return answer{}, fmt.Errorf("%s is no loopback address", address)
	}
	method, content := http.MethodGet, io.Reader(nil)
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return answer{}, fmt.Errorf("encode the request: %w", err)
		}
		method, content = http.MethodPost, bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, (&url.URL{Scheme: "http", Host: address, Path: path}).String(), content)
	if err != nil {
		return answer{}, fmt.Errorf("ask %s: %w", address, err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := client.Do(req)
	if err != nil {
		return answer{}, fmt.Errorf("ask %s: %w", address, err)
	}
	defer res.Body.Close() // the rest of the body is not needed
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return answer{}, fmt.Errorf("read the answer of %s: %w", address, err)
	}
	if len(text) > maxAnswer {
		return answer{}, fmt.Errorf("%s answers with more than %d bytes", address, maxAnswer)
	}
	return answer{res.StatusCode, res.Header.Get("Server"), text}, nil
}

// Find returns the model servers at the addresses, in the same order. It ignores other programs
// that listen there, and servers that do not respond in time. patience limits the total time.
func Find(ctx context.Context, addresses []string, patience time.Duration) []localmodel.Server {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found := make([]*localmodel.Server, len(addresses))
	var looking sync.WaitGroup
	for i, address := range addresses {
		looking.Go(func() { found[i] = identify(ctx, address) })
	}
	looking.Wait()
	var servers []localmodel.Server
	for _, s := range found {
		if s != nil {
			servers = append(servers, *s)
		}
	}
	return servers
}

// kinds lists the known servers. The first kind that recognises a server's response is used.
// Several servers imitate Ollama or the OpenAI protocol, so kinds with a distinct response come
// first.
var kinds = []struct {
	kind  localmodel.Kind
	paths []string
	read  func(ctx context.Context, address string, said map[string]answer) (models []localmodel.Model, fault string, ok bool)
}{
	{localmodel.LMStudio, []string{lmStudioModels}, readLMStudio},
	{localmodel.Docker, []string{dockerModels}, readDocker},
	{localmodel.Jan, []string{janDescription, janModels}, readJan},
	{localmodel.LlamaCpp, []string{llamaProps, openAIModels}, readLlama},
	{localmodel.VLLM, []string{openAIModels}, readVLLM},
	{localmodel.Ollama, []string{ollamaVersion, ollamaModels, ollamaLoaded}, readOllama},
}

// identify returns the model server at an address, or nil if it does not respond or its kind is
// unknown.
func identify(ctx context.Context, address string) *localmodel.Server {
	said := make(map[string]answer)
	var mu sync.Mutex
	var asking sync.WaitGroup
	for _, k := range kinds {
		for _, path := range k.paths {
			mu.Lock()
			_, asked := said[path]
			said[path] = answer{}
			mu.Unlock()
			if asked {
				continue
			}
			asking.Go(func() {
				a, err := sendRequest(ctx, address, path, nil)
				if err != nil { // nothing listens there, or an unknown kind of server
					return
				}
				mu.Lock()
				defer mu.Unlock()
				said[path] = a
			})
		}
	}
	asking.Wait()
	for _, k := range kinds {
		models, fault, ok := k.read(ctx, address, said)
		if !ok {
			continue
		}
		s := &localmodel.Server{Kind: k.kind, Address: address, Fault: fault}
		if fault == "" {
			s.Models, s.Fault = usable(models)
		}
		return s
	}
	return nil
}

// maxName is the maximum length of a model's name in bytes. A name may be the path of a model file.
const maxName = 1024

// usable returns the models that can write answers, or the reason why there are none.
func usable(models []localmodel.Model) ([]localmodel.Model, string) {
	listed := len(models)
	models = slices.DeleteFunc(models, func(m localmodel.Model) bool {
		return m.Name == "" || len(m.Name) > maxName || !localmodel.Writes(m.Name)
	})
	narrow := 0
	models = slices.DeleteFunc(models, func(m localmodel.Model) bool {
		tooNarrow := m.Window > 0 && m.Window < localmodel.LeastWindow
		if tooNarrow {
			narrow = m.Window
		}
		return tooNarrow
	})
	switch {
	case len(models) > 0:
		for i := range models {
			models[i] = localmodel.Complete(models[i])
		}
		return models, ""
	case narrow > 0:
		return nil, fmt.Sprintf("it has loaded a window of %d tokens, and at least %d are needed", narrow, localmodel.LeastWindow)
	case listed > 0:
		return nil, "none of its models writes answers on this machine"
	}
	return nil, "it has no model"
}

// ErrGone means that a server no longer answers.
var ErrGone = errors.New("it does not answer")

// Load makes a server load a model and waits until it is loaded. It returns the model with the
// context window that the server now uses.
func Load(ctx context.Context, o localmodel.Offer) (localmodel.Model, error) {
	var a answer
	var err error
	switch {
	case o.Server.Kind == localmodel.Ollama:
		// Ollama's own window applies, because requests of the OpenAI protocol cannot set a window.
		// A model that another program loaded with a different window is loaded again.
		a, err = sendRequest(ctx, o.Server.Address, ollamaGenerate, map[string]any{"model": o.Model.Name, "stream": false})
	case o.Model.Window == 0:
		path := "/v1/chat/completions"
		if o.Server.Kind == localmodel.Docker {
			path = "/engines" + path
		}
		a, err = sendRequest(ctx, o.Server.Address, path, map[string]any{
			"model": o.Model.Name, "max_tokens": 1, "messages": []map[string]string{{"role": "user", "content": "Hi"}},
		})
	default:
		return o.Model, nil
	}
	if err != nil {
		return o.Model, fmt.Errorf("%w: %w", ErrGone, err)
	}
	if a.status != http.StatusOK {
		return o.Model, fmt.Errorf("it did not load the model: %s", refusal(a))
	}
	ctx, cancel := context.WithTimeout(ctx, rereading)
	defer cancel()
	if s := identify(ctx, o.Server.Address); s != nil && s.Kind == o.Server.Kind {
		if at := slices.IndexFunc(s.Models, func(m localmodel.Model) bool { return m.Name == o.Model.Name }); at >= 0 {
			return s.Models[at], nil
		}
		if s.Fault != "" {
			return o.Model, errors.New(s.Fault)
		}
	}
	return o.Model, ErrGone
}

func refusal(a answer) string {
	var said struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(a.body, &said) == nil {
		var text string
		var object struct {
			Message string `json:"message"`
		}
		if json.Unmarshal(said.Error, &text) == nil && text != "" {
			return text
		}
		if json.Unmarshal(said.Error, &object) == nil && object.Message != "" {
			return object.Message
		}
	}
	return fmt.Sprintf("status %d", a.status)
}
