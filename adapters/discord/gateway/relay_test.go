package gateway

import (
	"encoding/json"
	"net"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// Who leaves, or gives a connection up, while a gateway that does not answer is dialled waits for
// nothing: no goroutine is left with its end of the pipe.
func TestLeavingEndsTheDialling(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*relay){"it leaves": (*relay).leave, "it gives up": func(r *relay) { r.fail(errSilent) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			leftWhileDialling(t, end)
		})
	}
}

func leftWhileDialling(t *testing.T, end func(*relay)) {
	t.Helper()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }() // nothing was written
	accepted := make(chan net.Conn, 1)
	go func() {
		if conn, err := silent.Accept(); err == nil {
			accepted <- conn
		}
	}()
	r := &relay{dialer: &websocket.Dialer{}, gateway: "ws://" + silent.Addr().String(), limit: time.Hour, identified: func() {}}
	near, err := r.websocket().NetDialContext(t.Context(), "tcp", "gateway.discord:80")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = near.Close() }() // nothing was written
	conn := <-accepted                  // it is dialled, and waits for an answer
	defer func() { _ = conn.Close() }() // nothing was written
	end(r)
	r.wait()
	if _, err := near.Read(make([]byte, 1)); err == nil {
		t.Error("the SDK's side is still open")
	}
}

// A packet that does not go out, because the network takes nothing, holds up nothing that arrives.
func TestWhatArrivesDoesNotWaitForWhatGoesOut(t *testing.T) {
	t.Parallel()
	x := &exchange{out: make(chan struct{}, 1)}
	x.out <- struct{}{} // a packet is on its way
	sequence := int64(7)
	for _, p := range []frame{{Op: opHello, Data: json.RawMessage(`{"heartbeat_interval":1000}`)}, {Op: opDispatch, Seq: &sequence}, {Op: opAck}, {Op: opHeartbeat}} {
		if forward, beat, err := x.received(p); !forward || beat || err != nil {
			t.Errorf("packet %d: forwarded %v, answered %v, %v", p.Op, forward, beat, err)
		}
	}
	if !x.isOpen() || !x.acked || !x.requested || x.interval != time.Second || *x.seq != sequence {
		t.Errorf("what arrived was not noted: %+v", x)
	}
}
