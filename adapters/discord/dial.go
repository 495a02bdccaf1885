package discord

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// dialer makes WebSocket connections and can cut the last one, which the SDK cannot while it waits for its first packets.
type dialer struct {
	tls *tls.Config

	mu   sync.Mutex
	conn net.Conn
}

func (d *dialer) clone() *dialer { return &dialer{tls: d.tls} }

// websocket returns a dialer for the SDK. It honours the proxy of the environment.
func (d *dialer) websocket() *websocket.Dialer {
	return &websocket.Dialer{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: d.tls, HandshakeTimeout: 20 * time.Second,
		NetDialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext(ctx, network, address)
			if err == nil {
				d.mu.Lock()
				d.conn = conn
				d.mu.Unlock()
			}
			return conn, err
		},
	}
}

// cut ends the last connection.
func (d *dialer) cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.conn != nil {
		_ = d.conn.Close() // that it ends is the point
	}
}
