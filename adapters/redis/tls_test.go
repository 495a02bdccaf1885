package redis_test

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/footnotehq/footnote/adapters/redis"
	"github.com/footnotehq/footnote/adapters/redis/redistest"
)

// A server behind TLS is trusted when CA_FILE vouches for it, and not without.
func TestPrivateAuthority(t *testing.T) {
	t.Parallel()
	server := redistest.Start(t)
	lender := httptest.NewTLSServer(nil) // has a certificate for 127.0.0.1
	t.Cleanup(lender.Close)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: lender.TLS.Certificates, MinVersion: tls.VersionTLS12})
	if err != nil {
		t.Fatal(err)
	}
	var conns sync.WaitGroup
	conns.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return // it was closed
			}
			conns.Go(func() { forward(near, strings.TrimPrefix(server.URL(), "unix://")) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		conns.Wait()
	})
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: lender.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	url := "rediss://" + listener.Addr().String()
	client, err := redis.Open(t.Context(), redis.Config{URL: url, CAFile: file})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if _, err := redis.Open(t.Context(), redis.Config{URL: url}); !errors.Is(err, redis.ErrUnreachable) {
		t.Errorf("without the authority: %v", err)
	}
	if _, err := redis.Open(t.Context(), redis.Config{URL: url, CAFile: file + "x"}); err == nil || errors.Is(err, redis.ErrUnreachable) {
		t.Errorf("with a file that is not there: %v", err)
	}
}

// forward copies between a connection and a socket until one of them ends.
func forward(near net.Conn, socket string) {
	far, err := new(net.Dialer).DialContext(context.Background(), "unix", socket)
	if err != nil {
		_ = near.Close()
		return
	}
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(far, near); _ = far.Close() })
	both.Go(func() { _, _ = io.Copy(near, far); _ = near.Close() })
	both.Wait()
}
