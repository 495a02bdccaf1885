package web_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/web"
)

func anywhere(context.Context, string, bool) error { return nil }

func TestFetch(t *testing.T) {
	t.Parallel()
	w := newWebsite(t, map[string]string{
		"/page":  "<title>A page</title><nav>Menu</nav><main><h1 id=h>Heading</h1><p>Its text.</p></main><script>x()</script>",
		"/moved": "301 /page", "/empty": "<script>render()</script>", "/picture": "x", "/large": strings.Repeat("x", 20_000), "/inside": "301 http://127.0.0.2/",
	})
	w.kinds["/picture"] = "image/png"
	f, err := web.NewFetcher(web.FetcherOptions{AllowHosts: []string{"127.0.0.1"}, MaxBytes: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/page#h", "/moved"} {
		got, err := f.Fetch(t.Context(), w.URL+path, anywhere)
		if err != nil {
			t.Fatal(err)
		}
		if got.Title != "A page" || got.URL != w.URL+"/page" || !strings.Contains(got.Text, "Its text.") || strings.Contains(got.Text, "Menu") ||
			strings.Contains(got.Text, "x()") {
			t.Errorf("%s: %+v", path, got)
		}
	}
	for address, want := range map[string]string{
		w.URL + "/none": "404 Not Found", w.URL + "/empty": "holds no text", w.URL + "/picture": `"image/png"`, w.URL + "/large": "more than 10000 bytes",
		w.URL + "/inside": "may not be opened", "http://[::1]:1/": "may not be opened", "file:///etc/passwd": "not an address of the web", "": "not an address",
		"http://me:secret@example.org/": "leave it out", "http://169.254.169.254/latest": "metadata",
	} {
		if _, err := f.Fetch(t.Context(), address, anywhere); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: error %v, want one with %q", address, err, want)
		}
	}
}

// Nothing of the program's own goes out with a request.
func TestFetchSendsNothingOfItsOwn(t *testing.T) {
	t.Parallel()
	var header http.Header
	w := newWebsite(t, nil)
	w.Config.Handler = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		header = r.Header.Clone()
		http.NotFound(out, r)
	})
	f, err := web.NewFetcher(web.FetcherOptions{AllowHosts: []string{"127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Fetch(t.Context(), w.URL, anywhere); err == nil {
		t.Fatal("no error")
	}
	for _, name := range []string{"Cookie", "Authorization", "Referer"} {
		if header.Get(name) != "" {
			t.Errorf("%s: %s was sent", name, header.Get(name))
		}
	}
	if header.Get("User-Agent") != "footnote" {
		t.Errorf("the user agent is %q", header.Get("User-Agent"))
	}
}

// Every hop is asked about before anything is sent there, and nothing of the address before goes
// with it.
func TestFetchAsksAboutEveryHop(t *testing.T) {
	t.Parallel()
	var requested, referrers []string
	w := newWebsite(t, nil)
	w.Config.Handler = http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		requested, referrers = append(requested, r.URL.Path), append(referrers, r.Header.Get("Referer"))
		next := map[string]string{"/a": "/b#part", "/b": "/c"}[r.URL.Path]
		if next == "" {
			http.NotFound(out, r)
			return
		}
		http.Redirect(out, r, next, http.StatusFound)
	})
	for _, tt := range []struct {
		listed  string
		refused string
		want    []string
	}{{"127.0.0.1", "/c", []string{"/a", "/b"}}, {"127.0.0.0/8", "/b", []string{"/a"}}, {"127.0.0.1", "/a", nil}} {
		f, err := web.NewFetcher(web.FetcherOptions{AllowHosts: []string{tt.listed}})
		if err != nil {
			t.Fatal(err)
		}
		requested, referrers = nil, nil
		var asked []string
		_, err = f.Fetch(t.Context(), w.URL+"/a?secret", func(_ context.Context, address string, private bool) error {
			asked = append(asked, address)
			if !private {
				t.Errorf("%s is not called private", address)
			}
			if strings.HasPrefix(address, w.URL+tt.refused) {
				return errors.New("nobody wants that")
			}
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), "nobody wants that") || strings.Contains(err.Error(), "cannot be reached") {
			t.Errorf("without %s: %v", tt.refused, err)
		}
		if !slices.Equal(requested, tt.want) || len(asked) != len(tt.want)+1 || strings.Join(referrers, "") != "" {
			t.Errorf("without %s: asked about %v, requested %v, referrers %q", tt.refused, asked, requested, referrers)
		}
	}
	f, err := web.NewFetcher(web.FetcherOptions{AllowHosts: []string{"10.0.0.0/8", "wiki.corp"}})
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]bool{"8.8.8.8": false, "10.1.2.3": true, "wiki.corp": true, "WIKI.corp.": true, "127.0.0.1": true} {
		_, _ = f.Fetch(t.Context(), "http://"+host, func(_ context.Context, _ string, private bool) error {
			if private != want {
				t.Errorf("%s: private is %v", host, private)
			}
			return errors.New("it is not requested")
		})
	}
}
