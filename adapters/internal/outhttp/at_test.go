package outhttp_test

import (
	"net/url"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
)

func TestAtBelievesOnlyItsDomains(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://docs.google.com/document/d/1": true, "https://google.com/": true, "https://DRIVE.google.COM/x": true,
		"http://docs.google.com/": false, "https://google.com.evil.example/": false, "https://notgoogle.com/": false, "https://evil.example/google.com": false,
		"https://a@docs.google.com/": false, "https://docs.google.com:8443/": false, "https://google.com@evil.example/": false, "//docs.google.com/": false, "javascript:alert(1)": false, "": false,
	} {
		at, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := outhttp.At(at, "google.com"); got != want {
			t.Errorf("%q: %v, want %v", address, got, want)
		}
	}
}
