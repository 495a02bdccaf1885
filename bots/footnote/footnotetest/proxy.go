package footnotetest

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"io"
	stdlog "log"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Outside simulates the internet for a test. Its hosts can be reached only through its proxy, and
// only CAFile verifies their certificates. It is safe for concurrent use.
type Outside struct {
	ProxyURL string // proxy address with credentials
	CAFile   string // the authority of the hosts' certificates

	front string              // address of all hosts
	hosts map[string]*url.URL // server behind each host

	mu    sync.Mutex
	asked map[string]int // connections by host
	plain []string       // requests that were not tunnelled
}

const proxyUser, proxyPassword = "footnote", "s3cret"

// StartOutside starts a proxy for the named hosts, each in front of the server at its URL. In JSON
// responses, it replaces the servers' addresses with the hosts' names. If a server has several
// hosts, the alphabetically first name is used for http, the last for ws.
func StartOutside(tb testing.TB, hosts map[string]string) *Outside {
	tb.Helper()
	o := &Outside{hosts: make(map[string]*url.URL), asked: make(map[string]int)}
	for name, address := range hosts {
		behind, err := url.Parse(address)
		if err != nil {
			tb.Fatal(err)
		}
		o.hosts[name] = &url.URL{Scheme: behind.Scheme, Host: behind.Host}
	}
	certificate := o.certify(tb)
	front := httptest.NewUnstartedServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(o.hosts[r.In.Host]) }, ModifyResponse: o.rename, ErrorLog: stdlog.New(io.Discard, "", 0),
	})
	front.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	front.Config.ErrorLog = stdlog.New(io.Discard, "", 0)
	front.StartTLS()
	tb.Cleanup(front.Close)
	o.front = front.Listener.Addr().String()
	proxy := httptest.NewServer(http.HandlerFunc(o.tunnel))
	tb.Cleanup(proxy.Close)
	address, err := url.Parse(proxy.URL)
	if err != nil {
		tb.Fatal(err)
	}
	address.User = url.UserPassword(proxyUser, proxyPassword)
	o.ProxyURL = address.String()
	return o
}

// Settings returns the environment variables with which a program reaches the hosts.
func (o *Outside) Settings() []string {
	return []string{"HTTPS_PROXY=" + o.ProxyURL, "HTTP_PROXY=" + o.ProxyURL, "CA_FILE=" + o.CAFile}
}

// Asked returns the number of connections requested for each host.
func (o *Outside) Asked() map[string]int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.asked)
}

// Plain returns the URLs of requests that were sent to the proxy without CONNECT.
func (o *Outside) Plain() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.plain)
}

func (o *Outside) tunnel(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Proxy-Authorization") != "Basic "+base64.StdEncoding.EncodeToString([]byte(proxyUser+":"+proxyPassword)) {
		w.Header().Set("Proxy-Authenticate", "Basic")
		http.Error(w, "who are you?", http.StatusProxyAuthRequired)
		return
	}
	host, port, err := net.SplitHostPort(r.Host)
	o.mu.Lock()
	if r.Method == http.MethodConnect {
		o.asked[host]++
	} else {
		o.plain = append(o.plain, r.URL.String())
	}
	o.mu.Unlock()
	if r.Method != http.MethodConnect || err != nil || port != "443" || o.hosts[host] == nil {
		http.Error(w, "there is no such host", http.StatusBadGateway)
		return
	}
	far, err := new(net.Dialer).DialContext(r.Context(), "tcp", o.front)
	if err != nil {
		http.Error(w, "the host is away", http.StatusBadGateway)
		return
	}
	near, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = far.Close()
		return
	}
	// an error here ends the copying
	_, _ = io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n")
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(far, buffered); _ = far.Close() })
	both.Go(func() { _, _ = io.Copy(near, far); _ = near.Close() })
	both.Wait()
}

func (o *Outside) rename(res *http.Response) error {
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		return nil
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if err := res.Body.Close(); err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(o.hosts))
	for _, name := range names { // the first name replaces every occurrence
		body = bytes.ReplaceAll(body, []byte("http://"+o.hosts[name].Host), []byte("https://"+name))
	}
	slices.Reverse(names)
	for _, name := range names {
		body = bytes.ReplaceAll(body, []byte("ws://"+o.hosts[name].Host), []byte("wss://"+name))
	}
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	res.Header.Del("Content-Length")
	return nil
}

func (o *Outside) certify(tb testing.TB) tls.Certificate {
	tb.Helper()
	must := func(err error) {
		if err != nil {
			tb.Helper()
			tb.Fatal(err)
		}
	}
	authority, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	root, err := x509.CreateCertificate(rand.Reader, ca, ca, authority.Public(), authority)
	must(err)
	o.CAFile = filepath.Join(tb.TempDir(), "ca.pem")
	must(os.WriteFile(o.CAFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root}), 0o600))
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(err)
	leaf, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: ca.NotBefore, NotAfter: ca.NotAfter, DNSNames: slices.Sorted(maps.Keys(o.hosts)),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, ca, key.Public(), authority)
	must(err)
	return tls.Certificate{Certificate: [][]byte{leaf}, PrivateKey: key}
}
