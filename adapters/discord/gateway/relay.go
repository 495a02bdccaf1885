package gateway

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"
)

const (
	opDispatch  = 0
	opHeartbeat = 1
	opIdentify  = 2
	opResume    = 6
	opReconnect = 7
	opInvalid   = 9
	opHello     = 10
	opAck       = 11
)

var (
	errReconnect = errors.New("Discord asked to reconnect")
	errInvalid   = errors.New("the session can be resumed after a while")
	errOver      = errors.New("the session is over")
	errZombie    = errors.New("heartbeats were no longer acknowledged")
	errSilent    = errors.New("Discord did not answer in time")
	errLeft      = errors.New("the bot disconnected")
)

// relay is a proxy inside the process between discordgo (the SDK) and Discord's gateway. It
// corrects faults of the SDK:
//   - It resumes a session at the address from READY, or else at the first address.
//   - It handles op 7 and op 9 itself, because the SDK would deadlock or identify again too soon.
//   - It handles heartbeat requests and acknowledgements before READY.
//   - It ends a connection if a heartbeat is not acknowledged before the next one is due.
//   - It delays the first heartbeat by a random part of the interval.
//   - It passes on the SDK's close frame, which ends the session, only when the process ends.
//
// A relay serves one session, and one connection at a time.
type relay struct {
	dialer     *websocket.Dialer           // to Discord
	gateway    string                      // where new sessions begin
	limit      time.Duration               // from dialling to READY or RESUMED
	identified func()                      // is called once an identify was sent
	skipped    func(kind string, size int) // is called for an event that is too large to be read

	mu      sync.Mutex
	resume  string // where the session is resumed; empty before READY
	cause   error  // why the last connection ended
	up      *websocket.Conn
	leaving bool
	giveUp  context.CancelFunc // ends the dialling of the last connection
	ended   chan struct{}      // of the last connection
}

// client returns an HTTP client that makes the SDK connect to the relay. The SDK's only request
// asks for the gateway's address.
func (r *relay) client() *http.Client {
	return &http.Client{Transport: answerer(`{"url":"ws://gateway.discord"}`)}
}

// websocket returns a dialer for the SDK. The dialer always connects to the relay.
func (r *relay) websocket() *websocket.Dialer {
	return &websocket.Dialer{NetDialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		near, far := net.Pipe()
		ended := make(chan struct{})
		// the connection outlives its handshake
		lasting, giveUp := context.WithCancel(context.WithoutCancel(ctx))
		r.mu.Lock()
		r.cause, r.ended, r.giveUp = nil, ended, giveUp
		if r.leaving {
			giveUp()
		}
		r.mu.Unlock()
		go func() {
			defer close(ended)
			defer giveUp()
			r.fail(r.serve(lasting, far))
			_ = far.Close() // it ends either way
		}()
		return near, nil
	}}
}

// why returns the error with which the last connection ended, or nil while it lasts.
func (r *relay) why() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.cause
}

// fail closes the connection with a code that keeps the session. Only the first reason is recorded.
func (r *relay) fail(cause error) { r.hangUp(cause, websocket.CloseServiceRestart, false) }

// leave closes the connection with a code that ends the session.
func (r *relay) leave() { r.hangUp(errLeft, websocket.CloseNormalClosure, true) }

// hangUp closes the connection to Discord with a close code. It records cause if it is the first
// one. If leaving is true, the relay opens no further connection.
func (r *relay) hangUp(cause error, code int, leaving bool) {
	r.mu.Lock()
	r.leaving = r.leaving || leaving
	if r.cause == nil {
		r.cause = cause
	}
	giveUp, up := r.giveUp, r.up
	r.up = nil
	r.mu.Unlock()
	if giveUp != nil {
		giveUp() // stops waiting for a gateway that does not answer
	}
	if up == nil {
		return
	}
	// the connection is closed below in any case
	_ = up.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, ""), time.Now().Add(time.Second))
	_ = up.Close()
}

func (r *relay) wait() {
	r.mu.Lock()
	ended := r.ended
	r.mu.Unlock()
	if ended != nil {
		<-ended
	}
}

func (r *relay) serve(ctx context.Context, sdk net.Conn) error {
	up, err := r.connect(ctx)
	if err != nil {
		return err
	}
	near, err := acceptHandshake(sdk)
	if err != nil {
		return fmt.Errorf("join the client to the gateway: %w", err)
	}
	l := &exchange{relay: r, near: near, up: up, out: make(chan struct{}, 1)}
	late := time.AfterFunc(r.limit, func() {
		if !l.isOpen() {
			r.fail(errSilent)
		}
	})
	defer late.Stop()
	var upward sync.WaitGroup
	upward.Go(func() { r.fail(l.send()) })
	err = l.receive()
	r.fail(err)
	_ = near.Close() // so that the other direction ends as well
	upward.Wait()
	l.ended()
	return err
}

// connect connects to Discord's gateway. It tries the address for resuming, if there is one, before
// the address for new sessions.
func (r *relay) connect(ctx context.Context) (*websocket.Conn, error) {
	r.mu.Lock()
	addresses := []string{r.gateway}
	if r.resume != "" && r.resume != r.gateway {
		addresses = []string{r.resume, r.gateway} // the first address also accepts resumes
	}
	r.mu.Unlock()
	var up *websocket.Conn
	var faults error
	for _, address := range addresses {
		conn, err := r.dial(ctx, address, r.limit/time.Duration(len(addresses)))
		if err == nil {
			up = conn
			break
		}
		faults = errors.Join(faults, err)
	}
	if up == nil {
		return nil, fmt.Errorf("connect to the gateway: %w", faults)
	}
	if !r.setConnection(up) {
		return nil, errors.Join(errLeft, up.Close())
	}
	return up, nil
}

// setConnection stores the connection to Discord. It returns false instead if the relay is shutting
// down.
func (r *relay) setConnection(up *websocket.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.leaving {
		return false
	}
	r.up = up
	return true
}

func (r *relay) dial(ctx context.Context, address string, limit time.Duration) (*websocket.Conn, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%q is no address", address)
	}
	query := u.Query()
	query.Set("v", discordgo.APIVersion)
	query.Set("encoding", "json")
	u.RawQuery = query.Encode()
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	// The library waits for the handshake's response even if ctx ends. Closing the connection ends
	// that wait.
	dialer, ended := *r.dialer, func() bool { return true }
	dialer.NetDialContext = func(dialling context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(dialling, network, address)
		if err == nil {
			ended = context.AfterFunc(ctx, func() { _ = conn.Close() }) // this ends the reader, too
		}
		return conn, err
	}
	conn, res, err := dialer.DialContext(ctx, u.String(), nil)
	ended()
	if err == nil {
		conn.SetReadLimit(maxFrame)
	}
	if res != nil && res.Body != nil {
		_ = res.Body.Close() // the library has read what there is
	}
	return conn, err
}

func acceptHandshake(conn net.Conn) (*websocket.Conn, error) {
	buffered := bufio.NewReader(conn)
	req, err := http.ReadRequest(buffered)
	if err != nil {
		return nil, err
	}
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	return upgrader.Upgrade(&hijacked{conn: conn, rw: bufio.NewReadWriter(buffered, bufio.NewWriter(conn))}, req, nil)
}

type hijacked struct {
	conn net.Conn
	rw   *bufio.ReadWriter
}

func (h *hijacked) Header() http.Header         { return http.Header{} }
func (h *hijacked) Write(b []byte) (int, error) { return h.conn.Write(b) }
func (h *hijacked) WriteHeader(int)             {}

// Hijack implements http.Hijacker.
func (h *hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) { return h.conn, h.rw, nil }
