package hook_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/hook"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// wiki is a source that signs its requests.
type wiki struct{}

func (wiki) Source() document.Source { return document.Source{ID: "wiki"} }
func (wiki) Settings() string        { return "" }
func (wiki) Sync(context.Context, index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(func(index.Batch, error) bool) {}
}

func (wiki) Hook(header func(string) string, body []byte) ([]string, error) {
	if !hmac.Equal([]byte(header("X-Signature")), []byte(sign(string(body)))) {
		return nil, fmt.Errorf("wiki: %w", index.ErrUnsigned)
	}
	switch text := string(body); text {
	case "ping":
		return nil, nil
	case "{":
		return nil, errors.New("that is no JSON")
	default:
		return strings.Fields(text), nil
	}
}

func sign(body string) string {
	mac := hmac.New(sha256.New, []byte("secret"))
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

// kept is what was heard.
type kept struct {
	mu       sync.Mutex
	subjects []string
	hear     func(ctx context.Context) error
}

func (k *kept) Hear(ctx context.Context, _ document.SourceID, subjects []string) error {
	if k.hear != nil {
		if err := k.hear(ctx); err != nil {
			return err
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.subjects = append(k.subjects, subjects...)
	return nil
}

func start(t *testing.T, k *kept) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(hook.Pattern, hook.New(func(tenant access.TenantID, source document.SourceID) (index.Hooked, bool) {
		return wiki{}, tenant == "acme" && source == "wiki"
	}, k.Hear, slog.New(slog.DiscardHandler)))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

func post(t *testing.T, server *httptest.Server, path, signature string, body io.Reader, header ...string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Signature", signature)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

// Only what a source has signed is heard, and nothing of it but what may have changed.
func TestHooksOfSources(t *testing.T) {
	t.Parallel()
	k := &kept{}
	server := start(t, k)
	for name, c := range map[string]struct {
		path, signature, body string
		want                  int
	}{
		"signed":               {"/hooks/acme/wiki", sign("page:1 page:2"), "page:1 page:2", 200},
		"about nothing":        {"/hooks/acme/wiki", sign("ping"), "ping", 200},
		"another body":         {"/hooks/acme/wiki", sign("page:1"), "page:3", 401},
		"no signature":         {"/hooks/acme/wiki", "", "page:3", 401},
		"another source":       {"/hooks/acme/other", sign("page:3"), "page:3", 404},
		"another tenant":       {"/hooks/evil/wiki", sign("page:3"), "page:3", 404},
		"not understood":       {"/hooks/acme/wiki", sign("{"), "{", 400},
		"too long":             {"/hooks/acme/wiki", "", strings.Repeat("x", 6<<20), 413},
		"a path that leads up": {"/hooks/acme/../wiki", sign("page:3"), "page:3", 404},
	} {
		if got := post(t, server, c.path, c.signature, strings.NewReader(c.body)); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	res, err := server.Client().Get(server.URL + "/hooks/acme/wiki") //nolint:noctx // a test
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", res.StatusCode)
	}
	if !slices.Equal(k.subjects, []string{"page:1", "page:2"}) {
		t.Errorf("heard %v", k.subjects)
	}
}

// begin starts a request whose body does not come, and returns once the server waits for that.
func begin(t *testing.T, server *httptest.Server) (answer chan int) {
	t.Helper()
	server.Client().Transport.(*http.Transport).ExpectContinueTimeout = time.Hour
	body, sent := io.Pipe()
	answer = make(chan int, 1)
	go func() { answer <- post(t, server, "/hooks/acme/wiki", sign("page:1"), body, "Expect", "100-continue") }()
	if _, err := sent.Write([]byte("page")); err != nil {
		t.Fatal(err)
	}
	return answer
}

// A database that does not answer holds no request up.
func TestHooksHoldNothingUp(t *testing.T) {
	t.Parallel()
	k := &kept{hear: func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}}
	if got := post(t, start(t, k), "/hooks/acme/wiki", sign("page:1"), strings.NewReader("page:1")); got != http.StatusServiceUnavailable {
		t.Errorf("a database that does not answer: %d", got)
	}
}

// Whoever sends slowly keeps nobody out: of more than there is room for, the oldest is turned away.
// Where all have been read, the next one is, unread.
func TestAFloodOfHooks(t *testing.T) {
	t.Parallel()
	storing, let := make(chan struct{}), make(chan struct{})
	k := &kept{hear: func(context.Context) error { // longer than a request waits for the database
		select {
		case storing <- struct{}{}:
		case <-let:
		}
		<-let
		return nil
	}}
	server := start(t, k)
	release := sync.OnceFunc(func() { close(let) })
	t.Cleanup(release) // the server waits for its handlers when it closes
	var slow, quick []chan int
	for range 8 {
		slow = append(slow, begin(t, server))
	}
	for i := range 8 {
		answer := make(chan int, 1)
		go func() { answer <- post(t, server, "/hooks/acme/wiki", sign("page:2"), strings.NewReader("page:2")) }()
		<-storing
		if got := <-slow[i]; got != http.StatusServiceUnavailable {
			t.Errorf("a slow request: %d", got)
		}
		quick = append(quick, answer)
	}
	if got := post(t, server, "/hooks/acme/wiki", sign("page:3"), strings.NewReader("page:3")); got != http.StatusServiceUnavailable {
		t.Errorf("the ninth that could be stored: %d", got)
	}
	release()
	for _, answer := range quick {
		if got := <-answer; got != http.StatusOK {
			t.Errorf("a quick request beside slow ones: %d", got)
		}
	}
}
