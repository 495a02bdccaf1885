package outhttp_test

import (
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/outhttp"
	"pgregory.net/rapid"
)

// noProxy keeps the environment of the machine out of a test.
func noProxy(*http.Request) (*url.URL, error) { return nil, nil }

func guarded(t *testing.T, config outhttp.Config, allow ...string) *http.Client {
	t.Helper()
	guard, err := outhttp.NewGuard("ALLOW_PRIVATE_HOSTS", allow)
	if err != nil {
		t.Fatal(err)
	}
	config.Guard = guard
	if config.Proxy == nil {
		config.Proxy = noProxy
	}
	client, err := outhttp.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

func get(t *testing.T, client *http.Client, address string) (string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

// serve starts a server that counts its requests.
func serve(t *testing.T, handler http.HandlerFunc) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	var count atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		count.Add(1)
		handler(w, r)
	}))
	t.Cleanup(server.Close)
	return server, &count
}

func hello(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }

// hosts of every kind that is not public, as they may be written.
var inside = []string{
	"127.0.0.1", "127.8.9.10", "[::1]", "[::]", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.1.1",
	"169.254.169.254", "169.254.170.2", "168.63.129.16", "100.64.0.1", "100.100.100.200", "100.127.255.255", "192.0.0.192", "192.0.2.1",
	"198.18.0.1", "198.51.100.7", "203.0.113.7", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "192.88.99.1",
	"[fc00::1]", "[fd00:ec2::254]", "[fe80::1]", "[fe80::1%25eth0]", "[fec0::1]", "[ff02::1]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]",
	"[::ffff:169.254.169.254]", "[::127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b::10.0.0.1]", "[64:ff9b:1::1]",
	"[2002:7f00:1::]", "[2001::1]", "[2001:db8::1]", "[100::1]", "[3fff::1]", "2130706433", "0x7f.1", "0x7f000001", "127.1", "0177.0.0.1", "1.2.3.4.5.",
}

func TestWhatIsNotPublicIsRefused(t *testing.T) {
	t.Parallel()
	proxy, asked := serve(t, hello)
	through, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	clients := map[string]*http.Client{
		"direct":          guarded(t, outhttp.Config{}),
		"through a proxy": guarded(t, outhttp.Config{Proxy: http.ProxyURL(through)}),
	}
	for name, client := range clients {
		for _, host := range inside {
			if _, err := get(t, client, "http://"+host+"/"); !errors.Is(err, outhttp.ErrRefused) {
				t.Errorf("%s, %s: error %v", name, host, err)
			}
		}
	}
	if asked.Load() > 0 {
		t.Errorf("the proxy was asked %d times", asked.Load())
	}
}

func TestWhatIsPublicPasses(t *testing.T) {
	t.Parallel()
	proxy, _ := serve(t, hello)
	through, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := guarded(t, outhttp.Config{Proxy: http.ProxyURL(through)})
	for _, host := range []string{"1.1.1.1", "93.184.216.34", "100.128.0.1", "172.32.0.1", "[2606:4700::1111]", "[64:ff9b::1.1.1.1]", "[::ffff:1.1.1.1]"} {
		if got, err := get(t, client, "http://"+host+"/"); err != nil || got != "hello" {
			t.Errorf("%s: %q, %v", host, got, err)
		}
	}
}

// A name is judged by what it resolves to when the connection is made.
func TestNamesAreJudgedByTheirAddresses(t *testing.T) {
	t.Parallel()
	server, asked := serve(t, hello)
	local := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	if _, err := get(t, guarded(t, outhttp.Config{}), local); !errors.Is(err, outhttp.ErrRefused) || !strings.Contains(err.Error(), "ALLOW_PRIVATE_HOSTS") {
		t.Errorf("localhost: error %v", err)
	}
	if asked.Load() > 0 {
		t.Error("the server was reached")
	}
	for _, allow := range []string{"localhost", "LocalHost.", "127.0.0.0/8", "127.0.0.1"} {
		if got, err := get(t, guarded(t, outhttp.Config{}, allow), local); err != nil || got != "hello" {
			t.Errorf("with %s allowed: %q, %v", allow, got, err)
		}
	}
	if _, err := get(t, guarded(t, outhttp.Config{}, "*.localhost"), local); !errors.Is(err, outhttp.ErrRefused) {
		t.Errorf("names below localhost allowed: error %v", err)
	}
}

func TestMetadataServicesNeedTheirVeryAddress(t *testing.T) {
	t.Parallel()
	client := guarded(t, outhttp.Config{}, "169.254.0.0/16", "0.0.0.0/0")
	if _, err := get(t, client, "http://169.254.169.254/latest/meta-data/"); !errors.Is(err, outhttp.ErrRefused) {
		t.Errorf("error %v", err)
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	secret, reached := serve(t, hello)
	elsewhere := strings.Replace(secret.URL, "127.0.0.1", "localhost", 1)
	server, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		to := map[string]string{"/once": "/", "/inside": "http://10.0.0.1/", "/local": strings.Replace(elsewhere, "localhost", "127.0.0.2", 1),
			"/loop": "/loop", "/file": "file:///etc/passwd", "/mapped": "http://[::ffff:127.0.0.2]/"}[r.URL.Path]
		if to == "" {
			hello(w, r)
			return
		}
		http.Redirect(w, r, to, http.StatusFound)
	})
	client := guarded(t, outhttp.Config{}, "127.0.0.1")
	if got, err := get(t, client, server.URL+"/once"); err != nil || got != "hello" {
		t.Errorf("one redirect: %q, %v", got, err)
	}
	for _, path := range []string{"/inside", "/local", "/loop", "/file", "/mapped"} {
		if _, err := get(t, client, server.URL+path); !errors.Is(err, outhttp.ErrRefused) {
			t.Errorf("%s: error %v", path, err)
		}
	}
	if reached.Load() > 0 {
		t.Error("a redirect led inside")
	}
}

func TestNoRedirectFromSecureToInsecure(t *testing.T) {
	t.Parallel()
	plain, reached := serve(t, hello)
	server := httptest.NewTLSServer(http.RedirectHandler(plain.URL, http.StatusFound))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := get(t, guarded(t, outhttp.Config{CAFile: file}, "127.0.0.1"), server.URL); !errors.Is(err, outhttp.ErrRefused) || reached.Load() > 0 {
		t.Errorf("error %v, %d requests", err, reached.Load())
	}
}

// The proxy is the operator's choice and may be inside; it is no destination.
func TestTheProxyItselfIsNoDestination(t *testing.T) {
	t.Parallel()
	proxy, asked := serve(t, hello)
	through, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := guarded(t, outhttp.Config{Proxy: func(r *http.Request) (*url.URL, error) {
		if r.URL.Hostname() == "localhost" {
			return nil, nil
		}
		return through, nil
	}})
	if _, err := get(t, client, "http://1.1.1.1/"); err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{proxy.URL, strings.Replace(proxy.URL, "127.0.0.1", "localhost", 1)} {
		if _, err := get(t, client, address); !errors.Is(err, outhttp.ErrRefused) {
			t.Errorf("%s: error %v", address, err)
		}
	}
	if asked.Load() != 1 {
		t.Errorf("the proxy was asked %d times", asked.Load())
	}
}

func TestGuardNamesAllFaults(t *testing.T) {
	t.Parallel()
	_, err := outhttp.NewGuard("ALLOW_PRIVATE_HOSTS", []string{"ok.example", "http://wiki", "10.0.0.0/99", "", "a b"})
	if err == nil || strings.Count(err.Error(), "is neither a host") != 4 {
		t.Errorf("error = %v", err)
	}
}

// However an IPv4 address is wrapped in an IPv6 one, it passes only where the bare one does.
func TestWrappedAddressesPassOnlyWhereBareOnesDo(t *testing.T) {
	t.Parallel()
	proxy, _ := serve(t, hello)
	through, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	client := guarded(t, outhttp.Config{Proxy: http.ProxyURL(through)})
	rapid.Check(t, func(r *rapid.T) {
		first := rapid.SampledFrom([]byte{0, 1, 10, 100, 127, 169, 172, 192, 198, 203, 224, 255}).Draw(r, "first")
		b := [4]byte{first, rapid.Byte().Draw(r, "second"), rapid.Byte().Draw(r, "third"), rapid.Byte().Draw(r, "fourth")}
		bare := netip.AddrFrom4(b).String()
		_, bareErr := get(t, client, "http://"+bare+"/")
		for _, wrapped := range []string{"[::ffff:%s]", "[64:ff9b::%s]"} {
			if _, err := get(t, client, "http://"+fmt.Sprintf(wrapped, bare)+"/"); (err == nil) != (bareErr == nil) {
				r.Fatalf("%s: %v; bare: %v", fmt.Sprintf(wrapped, bare), err, bareErr)
			}
		}
	})
}

// What is said over plain http reaches no public address, whatever a name resolves to.
func TestInsideReachesNoPublicAddress(t *testing.T) {
	t.Parallel()
	guard, err := outhttp.NewGuard("ALLOW", []string{"127.0.0.0/8", "wiki.example"})
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string][2]bool{
		"wiki.example": {true, false}, "other.example": {true, true}, "10.0.0.1": {true, true}, "8.8.8.8": {false, true},
	} {
		if allowed, inside := guard.Plain(host); allowed != want[0] || inside != want[1] {
			t.Errorf("%s: allowed %v, inside %v", host, allowed, inside)
		}
	}
	client, err := outhttp.New(outhttp.Config{Guard: guard, Inside: true})
	if err != nil {
		t.Fatal(err)
	}
	if res, err := client.Get("http://8.8.8.8/"); !errors.Is(err, outhttp.ErrRefused) { //nolint:noctx // it ends at once
		if err == nil {
			_ = res.Body.Close()
		}
		t.Errorf("a public address: %v", err)
	}
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	res, err := client.Get(server.URL) //nolint:noctx // it is here
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
}
