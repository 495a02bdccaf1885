package outhttp_test

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
)

func TestUserAgent(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.UserAgent())
	}))
	t.Cleanup(server.Close)
	tests := map[string]struct{ configured, own, want string }{
		"default":          {"", "", "footnote"},
		"configured":       {"footnote/1.2", "", "footnote/1.2"},
		"the request's":    {"footnote/1.2", "crawler", "crawler"},
		"the request's, 2": {"", "crawler", "crawler"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, err := outhttp.New(outhttp.Config{UserAgent: test.configured})
			if err != nil {
				t.Fatal(err)
			}
			defer client.CloseIdleConnections()
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			if test.own != "" {
				req.Header.Set("User-Agent", test.own)
			}
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			got, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("User-Agent is %q, want %q", got, test.want)
			}
		})
	}
}

func TestCustomCA(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Proto)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = nil
	server.StartTLS()
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "ca.pem")
	data := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}

	get := func(t *testing.T, config outhttp.Config) (string, error) {
		t.Helper()
		client, err := outhttp.New(config)
		if err != nil {
			t.Fatal(err)
		}
		defer client.CloseIdleConnections()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return string(body), err
	}

	if _, err := get(t, outhttp.Config{}); err == nil {
		t.Error("a server with an unknown certificate was trusted")
	}
	got, err := get(t, outhttp.Config{CAFile: file})
	if err != nil {
		t.Fatal(err)
	}
	if got != "HTTP/2.0" {
		t.Errorf("protocol is %s, want HTTP/2.0", got)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	junk := filepath.Join(t.TempDir(), "junk.pem")
	if err := os.WriteFile(junk, []byte("not a certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		config outhttp.Config
		want   []string
	}{
		"missing file":     {outhttp.Config{CAFile: junk + ".none"}, []string{"certificate authority"}},
		"not PEM":          {outhttp.Config{CAFile: junk}, []string{"holds no certificate"}},
		"all faults named": {outhttp.Config{DialTimeout: -1, IdlePerHost: -1}, []string{"dial timeout", "idle connections"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := outhttp.New(test.config)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not mention %q", err, want)
				}
			}
		})
	}
}

// A stream may outlast every timeout once its header has arrived; a header that never comes is
// given up.
func TestHeaderTimeout(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(release) })
	client, err := outhttp.New(outhttp.Config{HeaderTimeout: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if client.Timeout != 0 {
		t.Errorf("the client has a total timeout of %s, which would cut streams", client.Timeout)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err == nil {
		resp.Body.Close()
		t.Fatal("no error")
	}
	if !strings.Contains(err.Error(), "awaiting response headers") {
		t.Errorf("error is %q", err)
	}
}

func TestWrapOrder(t *testing.T) {
	t.Parallel()
	var got []string
	wrap := func(name string) func(http.RoundTripper) http.RoundTripper {
		return func(next http.RoundTripper) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				got = append(got, name)
				return next.RoundTrip(req)
			})
		}
	}
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	client, err := outhttp.New(outhttp.Config{Wrap: []func(http.RoundTripper) http.RoundTripper{wrap("inner"), wrap("outer")}})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if want := "outer inner"; strings.Join(got, " ") != want {
		t.Errorf("wrappers ran as %v, want %s", got, want)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
