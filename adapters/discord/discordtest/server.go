// Package discordtest simulates Discord for tests. It has the REST API over HTTP and the gateway
// over WebSocket. discordgo runs unmodified against it. It records every version of every message
// with its time, so that tests can check this log. Tests can scale down limits and clocks, and
// inject faults.
//
// Limits and formats follow Discord's public documentation. Undocumented rate limits have the
// values that bots observe.
package discordtest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/servertest"
)

// These are the gateway intents that the server distinguishes.
const (
	IntentGuilds          = 1 << 0
	IntentGuildMembers    = 1 << 1
	IntentPresences       = 1 << 8
	IntentGuildMessages   = 1 << 9
	IntentGuildReactions  = 1 << 10
	IntentDirectMessages  = 1 << 12
	IntentDirectReactions = 1 << 13
	IntentMessageContent  = 1 << 15
)

// Config sets the limits and clocks of the server. Zero fields have Discord's values.
type Config struct {
	Token          string        // of the bot; default "token"
	NoContent      bool          // the MESSAGE CONTENT intent is not enabled in the portal
	Members        bool          // the SERVER MEMBERS intent is enabled in the portal
	Heartbeat      time.Duration // 41.25 s
	AckLimit       time.Duration // for the first response to an interaction: 3 s
	TokenLife      time.Duration // of an interaction's token: 15 min
	BucketRequests int           // per route and channel: 5
	BucketWindow   time.Duration // 5 s
	GlobalRequests int           // per second, interactions aside: 50
	Shards         int           // recommended shards: 1
	Concurrency    int           // max_concurrency: 1
	IdentifyEvery  time.Duration // window of the limit on identifying: 5 s
	Sessions       int           // remaining sessions of the day: 999
	MaxFile        int           // bytes of an uploaded file; 0: any number
	ThreadPage     int           // maximum archived threads per page; 0 means as many as requested
	// Lean makes the server send only the data that Discord's documentation promises, or less.
	// Proxies and partial implementations behave like this. READY then has no shard, application or
	// address for resuming. Servers list no channels, threads or members. Messages and reactions
	// have no members. Replies do not contain the message that they answer. Edits contain only
	// changed fields. Responses have no rate limit headers. The response of the gateway request
	// contains only the address.
	Lean bool
}

// Server simulates Discord for one bot. It is safe for concurrent use.
type Server struct {
	config Config
	http   *http.Server
	addr   string
	done   chan error

	changed  servertest.Signal
	versions servertest.Log[Version]
	requests servertest.Log[Request]
	typing   servertest.Log[Typing]
	faults   servertest.Faults[Fault]
	global   servertest.Limit // of calls in any second

	mu       sync.Mutex
	lastID   int64
	bot      *User
	users    map[string]*User
	guilds   map[string]*guild
	channels map[string]*channel
	messages map[string]*message
	pending  map[string]*Interaction // by token
	commands map[string][]byte       // JSON by guild; "" for global commands
	puts     int
	buckets  map[string]*bucket

	globalUntil time.Time // everything is refused until then

	gateway gateway
	inbound endpoint
	uploads map[string]*attachment

	inboundBusy sync.WaitGroup
}

// User is the account of a person or a bot.
type User struct {
	ID       string `json:"id"`
	Username string `json:"username"`
	Bot      bool   `json:"bot,omitempty"`
}

type role struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Permissions string `json:"permissions"`
	Position    int    `json:"position"`
	Managed     bool   `json:"managed"` // by an integration
}

// overwrite changes the permissions of a role (type 0) or a member (type 1) in one channel.
type overwrite struct {
	ID    string `json:"id"`
	Type  int    `json:"type"`
	Allow string `json:"allow"`
	Deny  string `json:"deny"`
}

type guild struct {
	id, name, owner string
	system          string // channel for join messages; empty if none
	roles           []role
	members         map[string]string // user to role, empty for none
	joined          time.Time
}

type channel struct {
	id, guild, parent, name, owner string
	kind                           int
	recipients                     []string
	// ids of the channel's messages, in the order in which they were written
	said                      []string
	invited                   []string // to a private thread
	available                 []tag    // of a forum
	tags                      []string // ids, of a post
	archivedAt                time.Time
	archived, locked, deleted bool
	denied                    int64 // permissions that the bot lacks
	overwrites                []overwrite
	last                      string
	created                   time.Time
}

const (
	typeText    = 0
	typeDM      = 1
	typeThread  = 11
	typePrivate = 12
	typeForum   = 15
)

type tag struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// New starts a server on a free port of the loopback interface. The caller must call Close.
func New(config Config) (*Server, error) {
	config.fill()
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{
		commands: make(map[string][]byte),
		config:   config, addr: listener.Addr().String(), done: make(chan error, 1),
		users: make(map[string]*User), guilds: make(map[string]*guild), channels: make(map[string]*channel),
		messages: make(map[string]*message), pending: make(map[string]*Interaction), uploads: make(map[string]*attachment), buckets: make(map[string]*bucket),
	}
	s.gateway.sessions, s.gateway.began, s.gateway.shards = make(map[string]*session), make(map[int][]time.Time), make(map[int]bool)
	s.bot = s.addUser("Footnote", true)
	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second}
	go func() { s.done <- s.http.Serve(listener) }()
	return s, nil
}

func (c *Config) fill() {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&c.Heartbeat, 41250 * time.Millisecond}, {&c.AckLimit, 3 * time.Second}, {&c.TokenLife, 15 * time.Minute}, {&c.BucketWindow, 5 * time.Second},
		{&c.IdentifyEvery, 5 * time.Second},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if c.Token == "" {
		c.Token = "token"
	}
	if c.BucketRequests == 0 {
		c.BucketRequests = 5
	}
	if c.Shards == 0 {
		c.Shards = 1
	}
	if c.Concurrency == 0 {
		c.Concurrency = 1
	}
	if c.Sessions == 0 {
		c.Sessions = 999
	}
	if c.GlobalRequests == 0 {
		c.GlobalRequests = 50
	}
}

// Close stops the server and closes all connections.
func (s *Server) Close() error {
	s.inboundBusy.Wait()
	s.mu.Lock()
	for _, g := range s.gateway.sessions {
		g.disconnect()
	}
	s.mu.Unlock()
	err := s.http.Close()
	if served := <-s.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// URL returns the address of the API. It replaces https://discord.com/api.
func (s *Server) URL() string { return "http://" + s.addr + "/api" }

// Token returns the bot's token from the Config.
func (s *Server) Token() string { return s.config.Token }

// Bot returns the bot's account.
func (s *Server) Bot() User { return *s.bot }

// id returns a new snowflake. Snowflakes increase. Like Discord's, they contain their creation
// time.
func (s *Server) id() string {
	next := time.Now().UnixMilli() - 1420070400000
	s.lastID = max(s.lastID+1, next<<22)
	return strconv.FormatInt(s.lastID, 10)
}

func (s *Server) addUser(name string, bot bool) *User {
	u := &User{ID: s.id(), Username: name, Bot: bot}
	s.users[u.ID] = u
	return u
}

func (s *Server) notify() { s.changed.Notify() }

// Wake makes Until check its condition again. Call it after a change outside the server.
func (s *Server) Wake() { s.notify() }

// Until blocks until cond returns true. If ctx ends first, it returns ctx's error. It calls cond
// after every change, without holding the server's lock.
func (s *Server) Until(ctx context.Context, cond func() bool) error {
	return s.changed.Until(ctx, cond)
}
