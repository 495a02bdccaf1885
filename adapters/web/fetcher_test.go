package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/web"
)

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
		got, err := f.Fetch(t.Context(), w.URL+path)
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
		if _, err := f.Fetch(t.Context(), address); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
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
	if _, err := f.Fetch(t.Context(), w.URL); err == nil {
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
