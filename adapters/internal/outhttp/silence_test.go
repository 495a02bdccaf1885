package outhttp_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
)

// pipeTransport answers each request with a body that ends properly when the client leaves, as
// the body of a chunked answer may.
type pipeTransport func(w *io.PipeWriter)

func (write pipeTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	r, w := io.Pipe()
	go func() {
		<-req.Context().Done()
		_ = w.Close()
	}()
	go write(w)
	return &http.Response{StatusCode: http.StatusOK, Body: r, Request: req}, nil
}

func TestLimitSilence(t *testing.T) {
	t.Parallel()
	const limit = time.Minute
	stalled := errors.New("stalled")
	for name, test := range map[string]struct {
		parts  int
		silent bool
		want   error
	}{
		"slow and long":      {100, false, nil},
		"silent at once":     {0, true, stalled},
		"silent after parts": {3, true, stalled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				next := pipeTransport(func(w *io.PipeWriter) {
					for range test.parts {
						time.Sleep(limit - 1) // the clock of synctest
						if _, err := io.WriteString(w, "x"); err != nil {
							return
						}
					}
					if !test.silent {
						_ = w.Close()
					}
				})
				req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://git.example", nil)
				if err != nil {
					t.Fatal(err)
				}
				resp, err := outhttp.LimitSilence(next, limit, stalled).RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(10 * limit) // what the reader does meanwhile is no silence of the server
				got, err := io.ReadAll(resp.Body)
				if !errors.Is(err, test.want) || len(got) != test.parts {
					t.Errorf("got %d bytes and %v, want %d and %v", len(got), err, test.parts, test.want)
				}
				if err := resp.Body.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

func TestGuardedClientLimitsSilence(t *testing.T) {
	t.Parallel()
	server := newSilentServer(t)
	guard, err := outhttp.NewGuard("ALLOW_PRIVATE_HOSTS", []string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	client, err := outhttp.New(outhttp.Config{Guard: guard, HeaderTimeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got, err := io.ReadAll(resp.Body); !errors.Is(err, outhttp.ErrSilent) || string(got) != "x" {
		t.Errorf("got %q and %v", got, err)
	}
}

// newSilentServer starts a server that sends one byte of each answer.
func newSilentServer(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "x")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	return server.URL
}
