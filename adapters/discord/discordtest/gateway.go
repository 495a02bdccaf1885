package discordtest

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

type gateway struct {
	sessions   map[string]*session
	intents    int // of the newest session
	identifies int
	resumes    int

	began   map[int][]time.Time // recent session starts, by rate-limit key
	hasty   int                 // sessions that began too soon after another
	misled  int                 // resumes or identifies at the wrong address
	goodbye int                 // live sessions that the client gave up
	beats   int                 // heartbeats received
	shards  map[int]bool        // identified shards

	away     bool // the address for resumes answers with 503
	silent   bool // the next connection gets no hello
	ping     bool // the next connection gets a heartbeat request before READY or RESUMED
	op7      bool // the next connection gets a reconnect before READY or RESUMED
	withheld bool // sessions get their READY late
	refuse   int  // close code for the next identify
	invalid  bool // the next resume is refused
	only     int  // the session that events are delivered to; 0: all
}

type session struct {
	unready bool // its READY was withheld
	id      string
	shard   [2]int
	intents int
	seq     int
	sent    []frame
	conn    *connection
	dead    bool
	left    time.Time // when its connection was lost
}

// resumable is how long a session can be resumed after its connection was lost. Discord does not
// document this time, which is a few minutes.
const resumable = 2 * time.Minute

type frame struct {
	Op   int    `json:"op"`
	Data any    `json:"d"`
	Seq  *int   `json:"s"`
	Type string `json:"t,omitempty"`
}

// connection is one WebSocket. Only one goroutine writes to it.
type connection struct {
	ws     *websocket.Conn
	out    chan frame
	closed chan struct{}
	deaf   bool // heartbeats are not acknowledged
	resume bool // opened at the address for resumes
}

func (g *session) disconnect() {
	if g.conn != nil {
		_ = g.conn.ws.Close() // it ends even if Close fails
		g.conn = nil
	}
}

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

func (s *Server) serveGateway(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	away := s.gateway.away && strings.HasPrefix(r.URL.Path, "/resume")
	s.mu.Unlock()
	if away {
		http.Error(w, "away", http.StatusServiceUnavailable)
		return
	}
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	c := &connection{ws: ws, resume: strings.HasPrefix(r.URL.Path, "/resume"), out: make(chan frame, 4096), closed: make(chan struct{})}
	s.mu.Lock()
	silent := s.gateway.silent
	s.gateway.silent = false
	s.mu.Unlock()
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.write()
	}()
	if !silent {
		c.send(frame{Op: opHello, Data: map[string]any{"heartbeat_interval": s.config.Heartbeat.Milliseconds()}})
	}
	s.read(c)
	close(c.closed)
	_ = ws.Close() // fails if the client closed it first
	<-written
}

func (c *connection) write() {
	for {
		select {
		case f := <-c.out:
			if c.ws.WriteJSON(f) != nil {
				return
			}
		case <-c.closed:
			return
		}
	}
}

// send queues a frame for the client. If the queue is full, it closes the connection.
func (c *connection) send(f frame) {
	select {
	case c.out <- f:
	default:
		_ = c.ws.Close()
	}
}

func (c *connection) close(code int, reason string) {
	_ = c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason), time.Now().Add(time.Second))
	_ = c.ws.Close()
}

func (s *Server) read(c *connection) {
	for {
		_, data, err := c.ws.ReadMessage()
		if err != nil {
			s.lost(c, err)
			return
		}
		var f struct {
			Op   int             `json:"op"`
			Data json.RawMessage `json:"d"`
		}
		if json.Unmarshal(data, &f) != nil {
			c.close(4002, "Error while decoding payload.")
			return
		}
		s.mu.Lock()
		switch f.Op {
		case opHeartbeat:
			s.gateway.beats++
			if !c.deaf {
				c.send(frame{Op: opAck})
			}
		case opIdentify:
			s.identify(c, f.Data)
		case opResume:
			s.resume(c, f.Data)
		default: // presence and member requests, which the bot has no use for
		}
		s.notify()
		s.mu.Unlock()
	}
}

// lost records the end of a connection. If the client closed it with 1000 or 1001, the session
// ends.
func (s *Server) lost(c *connection, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.gateway.sessions {
		if g.conn != c {
			continue
		}
		g.conn, g.left = nil, time.Now()
		var closed *websocket.CloseError
		if errors.As(err, &closed) && (closed.Code == websocket.CloseNormalClosure || closed.Code == websocket.CloseGoingAway) {
			g.dead = true
			s.gateway.goodbye++
		}
	}
	s.notify()
}

func (s *Server) identify(c *connection, data json.RawMessage) {
	s.gateway.identifies++
	var d struct {
		Token      string  `json:"token"`
		Intents    int     `json:"intents"`
		Shard      *[2]int `json:"shard"`
		Properties *struct {
			OS      string `json:"os"`
			Browser string `json:"browser"`
		} `json:"properties"`
	}
	if json.Unmarshal(data, &d) != nil || strings.TrimPrefix(d.Token, "Bot ") != s.config.Token {
		c.close(4004, "Authentication failed.")
		return
	}
	shard := [2]int{0, 1}
	if d.Shard != nil {
		shard = *d.Shard
	}
	switch {
	case d.Properties == nil:
		c.close(4002, "Error while decoding payload.")
		return
	case shard[0] < 0 || shard[0] >= shard[1]:
		c.close(4010, "Invalid shard.")
		return
	case shard[1] < s.config.Shards:
		c.close(4011, "Sharding required.")
		return
	}
	missing := d.Intents&IntentMessageContent != 0 && s.config.NoContent || d.Intents&IntentGuildMembers != 0 && !s.config.Members ||
		d.Intents&IntentPresences != 0
	if missing {
		c.close(4014, "Disallowed intent(s).")
		return
	}
	if code := s.gateway.refuse; code != 0 {
		s.gateway.refuse = 0
		c.close(code, "Refused by the test.")
		return
	}
	if s.first(c) {
		return
	}
	if s.tooSoon(shard[0]) {
		s.gateway.hasty++
		c.send(frame{Op: opInvalid, Data: false})
		return
	}
	if c.resume {
		s.gateway.misled++
	}
	s.gateway.shards[shard[0]] = true
	g := &session{id: "session-" + s.id(), shard: shard, intents: d.Intents, conn: c}
	s.gateway.sessions[g.id], s.gateway.intents = g, d.Intents
	if g.unready = s.gateway.withheld; !g.unready {
		s.welcome(g)
	}
}

func (s *Server) tooSoon(shard int) bool {
	key := shard % s.config.Concurrency
	recent := slices.DeleteFunc(s.gateway.began[key], func(at time.Time) bool { return time.Since(at) >= s.config.IdentifyEvery })
	s.gateway.began[key] = append(recent, time.Now())
	return len(recent) > 0
}

// has reports whether a session receives the events of a guild. The first shard receives events
// without a guild.
func (g *session) has(guild string) bool {
	id, _ := strconv.ParseInt(guild, 10, 64) // direct conversations have none
	return int(id>>22%int64(g.shard[1])) == g.shard[0]
}

// first sends the frames that Ping and Reconnect requested for the next connection. If it returns
// true, it has sent op 7, and the server must send nothing else.
func (s *Server) first(c *connection) bool {
	if s.gateway.ping {
		s.gateway.ping = false
		c.send(frame{Op: opHeartbeat})
		c.send(frame{Op: opAck})
	}
	first := s.gateway.op7
	s.gateway.op7 = false
	if first {
		c.send(frame{Op: opReconnect})
	}
	return first
}

func (s *Server) resume(c *connection, data json.RawMessage) {
	s.gateway.resumes++
	var d struct {
		SessionID string `json:"session_id"`
		Seq       int    `json:"seq"`
	}
	if s.first(c) {
		return
	}
	if !c.resume && !s.gateway.away && !s.config.Lean {
		s.gateway.misled++
	}
	if json.Unmarshal(data, &d) != nil {
		c.close(4002, "Error while decoding payload.")
		return
	}
	g := s.gateway.sessions[d.SessionID]
	if g == nil || g.dead || s.gateway.invalid {
		s.gateway.invalid = false
		c.send(frame{Op: opInvalid, Data: false})
		return
	}
	g.disconnect()
	g.conn, g.left = c, time.Time{}
	for _, f := range g.sent {
		if *f.Seq > d.Seq {
			c.send(f)
		}
	}
	g.dispatch("RESUMED", map[string]any{})
}

// dispatch sends an event to every session that receives it. data returns the event for a session's
// intents. The caller must hold the lock.
func (s *Server) dispatch(guild, kind string, intent int, data func(intents int) any) {
	for id, g := range s.gateway.sessions {
		if g.conn == nil && !g.left.IsZero() && time.Since(g.left) > resumable {
			delete(s.gateway.sessions, id)
			continue
		}
		if !g.dead && s.hears(id) && g.has(guild) && (intent == 0 || g.intents&intent != 0) {
			g.dispatch(kind, data(g.intents))
		}
	}
}

func (g *session) dispatch(kind string, data any) {
	g.seq++
	seq := g.seq
	raw, err := json.Marshal(data) // at once, because data may change
	if err != nil {
		panic(err) // the server built the data itself
	}
	f := frame{Op: opDispatch, Data: json.RawMessage(raw), Seq: &seq, Type: kind}
	g.sent = append(g.sent, f)
	if g.conn != nil {
		g.conn.send(f)
	}
}

func (s *Server) connections(do func(*session, *connection)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.gateway.sessions {
		if g.conn != nil {
			do(g, g.conn)
		}
	}
}

// Reconnect sends op 7, which tells the bot to reconnect. If first is true, it sends op 7 on the
// next connection, before READY or RESUMED.
func (s *Server) Reconnect(first bool) {
	if first {
		s.mu.Lock()
		s.gateway.op7 = true
		s.mu.Unlock()
		return
	}
	s.connections(func(_ *session, c *connection) { c.send(frame{Op: opReconnect}) })
}

// Invalidate sends op 9, which tells the bot that its session is over.
func (s *Server) Invalidate() {
	s.connections(func(g *session, c *connection) {
		g.dead, g.conn = true, nil
		c.send(frame{Op: opInvalid, Data: false})
	})
}

// Unsettle sends op 9 with true, which tells the bot that its session can be resumed after a while.
func (s *Server) Unsettle() {
	s.connections(func(_ *session, c *connection) { c.send(frame{Op: opInvalid, Data: true}) })
}

// Hang closes the bot's connections with a close code. After codes 4007 and 4009, the sessions
// cannot be resumed.
func (s *Server) Hang(code int) {
	s.connections(func(g *session, c *connection) {
		g.dead = g.dead || code == 4007 || code == 4009
		g.conn = nil
		c.close(code, "")
	})
}

// Ping makes the next connection receive a heartbeat request and an acknowledgement before READY or
// RESUMED.
func (s *Server) Ping() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gateway.ping = true
}

// Demand asks the bot for a heartbeat on every connection.
func (s *Server) Demand() {
	s.connections(func(_ *session, c *connection) { c.send(frame{Op: opHeartbeat}) })
}

// Beats returns the number of heartbeats received.
func (s *Server) Beats() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gateway.beats
}

// Manners returns how often the bot violated Discord's gateway rules. It counts sessions begun too
// soon (hasty), resumes or identifies at a wrong address (misled), and live sessions ended
// (givenUp).
func (s *Server) Manners() (hasty, misled, givenUp int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gateway.hasty, s.gateway.misled, s.gateway.goodbye
}

// Recommend sets the number of shards that the gateway recommends.
func (s *Server) Recommend(shards int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.config.Shards = shards
}

// Shards lists the shards that identified.
func (s *Server) Shards() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.gateway.shards))
}

// Drop cuts the bot's connections without a close frame. If invalid is true, the next resume is
// refused.
func (s *Server) Drop(invalid bool) {
	s.mu.Lock()
	s.gateway.invalid = invalid
	s.mu.Unlock()
	s.connections(func(g *session, _ *connection) { g.disconnect() })
}

// Away makes the server refuse connections at the address for resuming sessions.
func (s *Server) Away() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gateway.away = true
}

// Freeze makes the bot's connections zombies. They stay open, but the server sends no
// acknowledgements and no events.
func (s *Server) Freeze() {
	s.connections(func(g *session, c *connection) {
		c.deaf = true
		g.conn = nil
	})
}

// Silence makes the next connection receive no hello.
func (s *Server) Silence() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gateway.silent = true
}

// Refuse makes the server close the connection of the next identify with a code.
func (s *Server) Refuse(code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gateway.refuse = code
}
