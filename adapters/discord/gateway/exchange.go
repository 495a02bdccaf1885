package gateway

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

const writeLimit = 10 * time.Second

// exchange passes packets between the SDK and Discord over one connection. Only receive writes to
// near. A write to up requires a token in out.
type exchange struct {
	relay *relay
	near  *websocket.Conn // to the SDK
	up    *websocket.Conn // to Discord
	// holds a token while a packet is sent to Discord; receive does not wait for the token
	out chan struct{}

	mu        sync.Mutex
	open      bool          // the SDK got its first event, and can handle others from then
	interval  time.Duration // between heartbeats
	requested bool          // Discord requested a heartbeat, to be sent at once
	first     *time.Timer   // sends the first heartbeat; nil until the SDK tries to send it
	beat      time.Time     // of the last heartbeat; zero before the first
	acked     bool          // the last heartbeat was acknowledged
	seq       *int64        // of the last event
}

// receive passes packets from Discord to the SDK until a connection fails.
func (x *exchange) receive() error {
	for {
		_, data, err := x.up.ReadMessage()
		if err != nil {
			return fmt.Errorf("read from the gateway: %w", err)
		}
		p, err := readFrame(data)
		if err != nil {
			return fmt.Errorf("read from the gateway: %w", err)
		}
		if p.Op == opDispatch && !p.fits(data) {
			x.skip(p, len(data))
			continue
		}
		forward, beat, err := x.received(p)
		if err == nil && beat {
			err = x.answer()
		}
		if err != nil {
			return err
		}
		if !forward {
			continue
		}
		// Always as text: the SDK decompresses binary packets without a size limit.
		if err := x.near.WriteMessage(websocket.TextMessage, data); err != nil {
			return fmt.Errorf("hand a packet to the client: %w", err)
		}
	}
}

// skip drops an event that is too large to decode. It stores the event's sequence number, so that a
// resumed session does not receive the event again.
func (x *exchange) skip(p frame, size int) {
	x.mu.Lock()
	x.seq = p.Seq
	x.mu.Unlock()
	x.relay.skipped(p.Type, size)
}

// received handles a packet from Discord. forward reports whether to pass the packet to the SDK.
// beat reports whether to send Discord a heartbeat.
func (x *exchange) received(p frame) (forward, beat bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch p.Op {
	case opHello:
		var d struct {
			Interval int64 `json:"heartbeat_interval"`
		}
		if err := json.Unmarshal(p.Data, &d); err != nil || d.Interval <= 0 {
			return false, false, fmt.Errorf("read the gateway's hello: no heartbeat interval (%w)", err)
		}
		x.interval = time.Duration(d.Interval) * time.Millisecond
		return true, false, nil
	case opReconnect:
		return false, false, errReconnect
	case opInvalid:
		if string(p.Data) == "true" {
			return false, false, errInvalid
		}
		return false, false, errOver
	case opAck:
		x.acked = true
		return x.open, false, nil
	case opHeartbeat:
		if x.open {
			x.requested = true
		}
		return x.open, !x.open, nil
	case opDispatch:
		x.seq, x.open = p.Seq, true
		if p.Type == "READY" {
			x.relay.ready(p.Data)
		}
		return true, false, nil
	default:
		return x.open, false, nil
	}
}

// answer sends a heartbeat to Discord. It is used if Discord requests one before the SDK is ready
// to send one.
func (x *exchange) answer() error {
	x.out <- struct{}{}
	defer func() { <-x.out }()
	x.mu.Lock()
	seq := x.seq
	x.mu.Unlock()
	return x.write(map[string]any{"op": opHeartbeat, "d": seq})
}

// ready stores the address for resuming the session, from the data of the READY event.
func (r *relay) ready(data json.RawMessage) {
	var d struct {
		Resume string `json:"resume_gateway_url"`
	}
	if json.Unmarshal(data, &d) != nil || d.Resume == "" {
		return // the session is then resumed at the first address
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.resume = d.Resume
}

// send passes packets from the SDK to Discord until a connection fails.
func (x *exchange) send() error {
	for {
		_, data, err := x.near.ReadMessage()
		if err != nil {
			return fmt.Errorf("read from the client: %w", err)
		}
		var p frame
		if err := json.Unmarshal(data, &p); err != nil {
			return fmt.Errorf("read from the client: %w", err)
		}
		if err := x.forwardPacket(p, data); err != nil {
			return err
		}
	}
}

func (x *exchange) forwardPacket(p frame, data []byte) error {
	x.out <- struct{}{}
	defer func() { <-x.out }()
	now, err := x.beforeSend(p)
	if err != nil || !now {
		return err
	}
	if err := x.write(json.RawMessage(data)); err != nil {
		return err
	}
	if p.Op == opIdentify {
		x.relay.identified()
	}
	return nil
}

// beforeSend records a packet of the SDK. now is false if the packet must not be sent now.
func (x *exchange) beforeSend(p frame) (now bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch p.Op {
	case opHeartbeat:
		if x.first == nil && x.beat.IsZero() && !x.requested {
			x.first = time.AfterFunc(rand.N(x.interval), x.firstBeat)
			return false, nil
		}
		x.requested = false
		now := time.Now()
		// a requested heartbeat may come early, after less than half of the interval
		if !x.beat.IsZero() && !x.acked && now.Sub(x.beat) > x.interval/2 {
			return false, errZombie
		}
		x.beat, x.acked = now, false
	case opResume:
		var d struct {
			Seq int64 `json:"seq"`
		}
		if json.Unmarshal(p.Data, &d) == nil {
			x.seq = &d.Seq
		}
	}
	return true, nil
}

// firstBeat sends the first heartbeat of a connection. A timer calls it after a random part of the
// interval, as Discord requires.
func (x *exchange) firstBeat() {
	x.out <- struct{}{}
	defer func() { <-x.out }()
	x.mu.Lock()
	over, seq := x.first == nil, x.seq
	if !over {
		x.beat, x.acked = time.Now(), false
	}
	x.mu.Unlock()
	if over { // the connection has ended
		return
	}
	if err := x.write(map[string]any{"op": opHeartbeat, "d": seq}); err != nil {
		x.relay.fail(err)
	}
}

// ended stops the timer of the first heartbeat. If the heartbeat is being sent, ended waits until
// that is done.
func (x *exchange) ended() {
	x.mu.Lock()
	if x.first != nil {
		x.first.Stop()
		x.first = nil
	}
	x.mu.Unlock()
	x.out <- struct{}{}
	<-x.out
}

// write sends a packet to Discord. The caller must hold a token in x.out.
func (x *exchange) write(packet any) error {
	err := x.up.SetWriteDeadline(time.Now().Add(writeLimit))
	if err == nil {
		err = x.up.WriteJSON(packet)
	}
	if err != nil {
		return fmt.Errorf("write to the gateway: %w", err)
	}
	return nil
}

func (x *exchange) isOpen() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.open
}

type answerer string

// RoundTrip implements http.RoundTripper.
func (a answerer) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(string(a))),
		ContentLength: int64(len(a)), Request: req,
	}, nil
}
