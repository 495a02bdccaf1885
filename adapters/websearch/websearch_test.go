package websearch_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/adapters/websearch"
	core "github.com/footnotehq/footnote/core/tool/websearch"
	"github.com/google/go-cmp/cmp"
)

// fakes answer as the providers' documentation says, and refuse what it refuses.
var fakes = map[string]http.HandlerFunc{
	// "Search results ... format: json, csv, rss. Requires it to be activated, see search: formats."
	"searxng": func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/search" || r.URL.Query().Get("format") != "json" {
			http.Error(w, "forbidden", http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, `{"query":"q","number_of_results":0,"results":[{"url":"https://example.org/a","title":"A","content":"About a.","publishedDate":"2024-05-01T08:00:00","engine":"x","score":1.5},`+
			`{"url":"https://example.org/b","title":"B","content":"About b.","publishedDate":null}],"answers":[],"suggestions":[]}`)
	},
	// "X-Subscription-Token: The subscription token that was generated for the product."
	"brave": func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Subscription-Token") != "key" || r.URL.Query().Get("q") != "a & b" {
			http.Error(w, `{"type":"ErrorResponse","error":{"code":"SUBSCRIPTION_TOKEN_INVALID"}}`, http.StatusUnprocessableEntity)
			return
		}
		_, _ = io.WriteString(w, `{"type":"search","web":{"type":"search","results":[{"title":"A","url":"https://example.org/a","description":"About a.","page_age":"2024-05-01T08:00:00","age":"May 1, 2024"},`+
			`{"title":"B","url":"https://example.org/b","description":"About b."}]}}`)
	},
	"exa": func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Query      string
			NumResults int
			Contents   struct{ Text struct{ MaxCharacters int } }
		}
		if r.Header.Get("X-Api-Key") != "key" || r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&q) != nil || q.Query == "" || q.Contents.Text.MaxCharacters == 0 {
			http.Error(w, `{"error":"Invalid API key"}`, http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"requestId":"x","results":[{"id":"https://example.org/a","title":"A","url":"https://example.org/a","publishedDate":"2024-05-01T08:00:00.000Z","author":null,"text":"About a."},`+
			`{"id":"b","title":"B","url":"https://example.org/b","publishedDate":null,"text":"About b."}]}`)
	},
	"serper": func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Q   string
			Num int
		}
		if r.Header.Get("X-Api-Key") != "key" || r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&q) != nil || q.Q == "" {
			http.Error(w, `{"message":"Unauthorized.","statusCode":403}`, http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, `{"searchParameters":{"q":"q"},"organic":[{"title":"A","link":"https://example.org/a","snippet":"About a.","date":"May 1, 2024","position":1},`+
			`{"title":"B","link":"https://example.org/b","snippet":"About b.","position":2}]}`)
	},
	"google": func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if r.Header.Get("X-Goog-Api-Key") != "key" || q.Get("cx") != "engine" || q.Get("q") == "" || len(q.Get("num")) > 2 {
			http.Error(w, `{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}`, http.StatusBadRequest)
			return
		}
		_, _ = io.WriteString(w, `{"kind":"customsearch#search","items":[{"kind":"customsearch#result","title":"A","link":"https://example.org/a","snippet":"About a."},{"title":"B","link":"https://example.org/b","snippet":"About b."}]}`)
	},
}

func client(t *testing.T, provider string, handler http.HandlerFunc) *websearch.Client {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	c, err := websearch.New(websearch.Config{Provider: provider, URL: server.URL, Key: "key", Engine: "engine", HTTP: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEveryProviderIsAskedAsItsDocumentationSays(t *testing.T) {
	t.Parallel()
	for _, name := range websearch.Providers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, err := client(t, name, fakes[name]).Search(t.Context(), "a & b", 5)
			if err != nil {
				t.Fatal(err)
			}
			want := []core.Result{{URL: "https://example.org/a", Title: "A", Text: "About a."}, {URL: "https://example.org/b", Title: "B", Text: "About b."}}
			if at := found[0].UpdatedAt; name != "google" && at.Format(time.DateOnly) != "2024-05-01" {
				t.Errorf("the date is %v", at)
			}
			found[0].UpdatedAt = time.Time{}
			if diff := cmp.Diff(want, found); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
			if one, err := client(t, name, fakes[name]).Search(t.Context(), "a & b", 1); err != nil || len(one) != 1 {
				t.Errorf("%d results where one was asked for, %v", len(one), err)
			}
		})
	}
}

// What goes wrong is said to the model in words that hold neither the query nor the key.
func TestFaults(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(elsewhere.Close)
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"HTML": {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>Sign in</html>") }, "something else than JSON"},
		"10 MB": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"results":[]`+strings.Repeat(" ", 10<<20)+"}")
		}, "cannot be read"},
		"many": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"results":[`+strings.Repeat("{},", 100_000)+"{}]}")
		}, "cannot be read"},
		"429":        {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }, "no more requests"},
		"an old key": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, "refuses the key"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere.URL, http.StatusFound) }, "HTTP 302"},
		"500":        {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, "HTTP 500"},
		"hangs up":   {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "cannot be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := client(t, "searxng", test.handler).Search(t.Context(), "quarterly numbers", 5)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "quarterly") || strings.Contains(err.Error(), "key=") {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestAKeyThatIsNotTakenIsSaid(t *testing.T) {
	t.Parallel()
	for _, name := range websearch.Providers() {
		if name == "searxng" { // it has none
			continue
		}
		server := httptest.NewServer(fakes[name])
		t.Cleanup(server.Close)
		c, err := websearch.New(websearch.Config{Provider: name, URL: server.URL, Key: "expired", Engine: "engine", HTTP: server.Client()})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Search(t.Context(), "a & b", 5); err == nil || !strings.Contains(err.Error(), "the key or") {
			t.Errorf("%s: error %v", name, err)
		} else if strings.Contains(err.Error(), "expired") {
			t.Errorf("%s: the error shows the key: %v", name, err)
		}
	}
}

// hanging is a transport that never answers.
type hanging struct{}

func (hanging) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestAProviderThatHangsIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, err := websearch.New(websearch.Config{Provider: "brave", Key: "key", HTTP: &http.Client{Transport: hanging{}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Search(t.Context(), "x", 5); err == nil || !strings.Contains(err.Error(), "did not answer within 8s") {
			t.Errorf("error %v", err)
		}
	})
}

func TestAStopEndsASearch(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	c := client(t, "searxng", func(_ http.ResponseWriter, r *http.Request) { close(begun); <-r.Context().Done() })
	ctx, stop := context.WithCancel(t.Context())
	go func() { <-begun; stop() }()
	if _, err := c.Search(ctx, "x", 5); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("error %v", err)
	}
}

func TestSettingsThatLackSomethingSayWhat(t *testing.T) {
	t.Parallel()
	for want, config := range map[string]websearch.Config{
		"WEB_SEARCH_URL":                {Provider: "searxng"},
		"WEB_SEARCH_KEY":                {Provider: "brave"},
		"WEB_SEARCH_ENGINE":             {Provider: "google", Key: "k"},
		"brave, exa, google, searxng,":  {Provider: "bing"},
		"begins with http:// or https:": {Provider: "searxng", URL: "search.example"},
	} {
		config.HTTP = http.DefaultClient
		if _, err := websearch.New(config); err == nil || !strings.Contains(err.Error(), strings.Fields(want)[0]) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
