// Package slacktest is a fake Slack for tests. It is an HTTP and WebSocket server with those parts
// of the Web API, Socket Mode and the Events API that the adapter uses. slack-go works with it
// unmodified.
//
// The server enforces sizes, scopes and rate limits. It delivers events with deadlines and
// redelivery. Tests can make it fail. It records every version of every message with the time.
package slacktest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/servertest"
)

// Every [Server] has these tokens, ids and this signing secret.
const (
	BotToken      = "xoxb-test-token"
	AppToken      = "xapp-test-token"
	SigningSecret = "0123456789abcdef0123456789abcdef"
	TeamID        = "T0TEAM"
	BotUser       = "U0BOT"
	BotID         = "B0BOT"
	AppID         = "A0APP"
)

// AllScopes are the scopes that the server can grant to an app.
var AllScopes = []string{
	"app_mentions:read", "assistant:write", "channels:history", "channels:read", "chat:write", "commands", "files:read", "files:write", "groups:history", "groups:read",
	"im:history", "im:read", "im:write", "mpim:history", "mpim:read", "reactions:read", "reactions:write", "usergroups:read",
	"users:read", "users:read.email",
}

// Config configures a Server. Zero fields get the real values of Slack.
type Config struct {
	Scopes      []string        // scopes of the bot token; nil: AllScopes
	AckWithin   time.Duration   // time to acknowledge an event; default 3 s
	Redeliver   []time.Duration // delay after each missed ack; default 0, 1 min, 5 min
	PingEvery   time.Duration   // default 10 s
	StreamLife  time.Duration   // age at which a stream is closed; default 5 min
	Minute      time.Duration   // unit of the rate tiers; default 1 min
	NoTiers     bool            // no rate limits
	NoStreams   bool            // the workspace has no chat.startStream
	NoSessions  bool            // the workspace has no agent sessions
	NoParents   bool            // replies do not name their thread's author
	NoStopEvent bool            // the app does not subscribe to agent_session_stopped
	// behave as for an app distributed outside of the marketplace: one call for history a minute,
	// with at most 15 messages
	Distributed bool
	Enterprise  string // organisation of the workspace
	EventsURL   string // deliver signed requests there instead of over sockets
	CommandsURL string // empty: EventsURL
	// maximum number of people or channels on a page of a list. 0 means the requested number.
	ListPage    int
	HistoryPage int // same for messages of a channel or thread
}

// Server is one workspace with one installed app. It is safe for concurrent use.
type Server struct {
	config  Config
	methods map[string]method
	http    *httptest.Server

	changed  servertest.Signal
	versions servertest.Log[Version]
	calls    servertest.Log[Call]
	statuses servertest.Log[Status]
	done     servertest.Log[Delivery]
	faults   servertest.Faults[Fault]
	tiers    servertest.Limit

	mu        sync.Mutex
	closed    bool
	seq       int64
	people    map[string]*Person
	channels  map[string]*Channel
	groups    []*UserGroup
	messages  map[place]*Message
	order     []place
	titles    map[place]string
	prompts   []Prompted
	views     []*View
	homes     map[string]string // published home tabs, by person
	triggers  map[string]time.Time
	responses map[string]*response
	sessions  map[place]*Session
	files     map[string]*upload
	tickets   map[string]bool
	sockets   []*socket
	opened    int
	unheard   int
	pending   map[string]*delivery
	work      sync.WaitGroup
}

type place struct{ channel, ts string }

// Start starts a Server. Call Close to stop it.
func Start(config Config) *Server {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&config.AckWithin, 3 * time.Second}, {&config.PingEvery, 10 * time.Second}, {&config.StreamLife, 5 * time.Minute},
		{&config.Minute, time.Minute},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	if config.Scopes == nil {
		config.Scopes = AllScopes
	}
	if config.Redeliver == nil {
		config.Redeliver = []time.Duration{0, time.Minute, 5 * time.Minute}
	}
	s := &Server{
		config: config, methods: methods(), people: make(map[string]*Person), channels: make(map[string]*Channel),
		messages: make(map[place]*Message), tickets: make(map[string]bool),
		pending: make(map[string]*delivery), titles: make(map[place]string), triggers: make(map[string]time.Time), responses: make(map[string]*response), sessions: make(map[place]*Session), files: make(map[string]*upload),
	}
	s.people[BotUser] = &Person{server: s, ID: BotUser, Name: "footnote", Bot: true, Team: TeamID}
	mux := http.NewServeMux()
	mux.HandleFunc("/api/{method}", s.serve)
	mux.HandleFunc("/socket", s.serveSocket)
	mux.HandleFunc("POST /respond/{id}", s.serveRespond)
	mux.HandleFunc("GET /files/{id}", s.serveFile)
	mux.HandleFunc("POST /upload/v1/{id}", s.serveUpload)
	mux.HandleFunc("GET /signin", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>Sign in to Test</html>") })
	s.http = httptest.NewServer(mux)
	return s
}

// URL returns the address of the Web API, for SLACK_API_URL.
func (s *Server) URL() string { return s.http.URL + "/api/" }

// Close ends all sockets and deliveries.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	for _, d := range s.pending {
		d.timer.Stop()
	}
	sockets := slices.Clone(s.sockets)
	s.mu.Unlock()
	for _, c := range sockets {
		c.end()
	}
	s.http.CloseClientConnections()
	s.http.Close()
	s.work.Wait()
}

func (s *Server) notify() { s.changed.Notify() }

type failure struct {
	code   string
	needed string // the scope, for missing_scope
}

func (f failure) Error() string { return f.code }

func fail(code string) error { return failure{code: code} }

// reply holds the fields that a method adds to {"ok":true}.
type reply map[string]any

// method implements a method of the Web API. It is called with s.mu held.
type method struct {
	run   func(*Server, url.Values) (reply, error)
	scope string // needed, empty for none
	app   bool   // takes the app-level token
	tier  int    // calls in a minute; 0: not counted here
}

func methods() map[string]method {
	return map[string]method{
		"auth.test":                             {run: (*Server).authTest, tier: 600},
		"apps.connections.open":                 {run: (*Server).connectionsOpen, app: true, tier: 60},
		"chat.postMessage":                      {run: (*Server).postMessage, scope: "chat:write"},
		"chat.update":                           {run: (*Server).updateMessage, scope: "chat:write", tier: 50},
		"chat.delete":                           {run: (*Server).deleteMessage, scope: "chat:write", tier: 50},
		"chat.postEphemeral":                    {run: (*Server).postEphemeral, scope: "chat:write", tier: 100},
		"chat.startStream":                      {run: (*Server).startStream, scope: "chat:write", tier: 20},
		"chat.appendStream":                     {run: (*Server).appendStream, scope: "chat:write", tier: 100},
		"chat.stopStream":                       {run: (*Server).stopStream, scope: "chat:write", tier: 20},
		"assistant.threads.setStatus":           {run: (*Server).setStatus, scope: "chat:write", tier: 60},
		"assistant.threads.setTitle":            {run: (*Server).setTitle, scope: "assistant:write", tier: 50},
		"assistant.threads.setSuggestedPrompts": {run: (*Server).setPrompts, scope: "assistant:write", tier: 50},
		"agents.sessions.setStatus":             {run: (*Server).setSession, scope: "chat:write", tier: 50},
		"users.conversations":                   {run: (*Server).userConversations, tier: 50},
		"files.info":                            {run: (*Server).fileInfo, scope: "files:read", tier: 100},
		"files.getUploadURLExternal":            {run: (*Server).uploadURL, scope: "files:write", tier: 100},
		"files.completeUploadExternal":          {run: (*Server).completeUpload, scope: "files:write", tier: 100},
		"files.delete":                          {run: (*Server).deleteFile, scope: "files:write", tier: 50},
		"conversations.replies":                 {run: (*Server).replies, tier: 50},
		"conversations.history":                 {run: (*Server).history, tier: 50},
		"conversations.info":                    {run: (*Server).conversationInfo, tier: 50},
		"conversations.members":                 {run: (*Server).conversationMembers, tier: 100},
		"conversations.open":                    {run: (*Server).conversationOpen, scope: "im:write", tier: 50},
		"users.info":                            {run: (*Server).userInfo, scope: "users:read", tier: 100},
		"usergroups.list":                       {run: (*Server).userGroups, scope: "usergroups:read", tier: 20},
		"users.list":                            {run: (*Server).usersList, scope: "users:read", tier: 20},
		"reactions.add":                         {run: (*Server).addReaction, scope: "reactions:write", tier: 50},
		"reactions.remove":                      {run: (*Server).removeReaction, scope: "reactions:write", tier: 20},
		"views.publish":                         {run: (*Server).publishView, tier: 100},
		"views.open":                            {run: (*Server).openView, tier: 100},
	}
}

// Call is one request to the Web API.
type Call struct {
	Method string
	At     time.Time
	Form   url.Values // without the token
	Error  string     // returned error; for faults, for example "http 503"
	Status int
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("method")
	form, token, err := parameters(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	fault := s.fault(name, form)
	if fault != nil && fault.Delay > 0 {
		s.mu.Unlock()
		s.wait(r, fault.Delay)
		s.mu.Lock()
		fault = nil
	}
	call := Call{Method: name, At: time.Now(), Form: form, Status: http.StatusOK}
	body, limited := reply(nil), time.Duration(0)
	switch {
	case fault != nil && !fault.After:
	default:
		if limited = s.limited(name, form, call.At); limited == 0 {
			body, err = s.run(name, token, form)
		}
	}
	if err != nil {
		call.Error = err.Error()
	}
	if limited > 0 {
		call.Status, call.Error = http.StatusTooManyRequests, "ratelimited"
	}
	if fault != nil {
		call.Status, call.Error = fault.outcome()
	}
	s.calls.Add(call)
	s.notify()
	s.mu.Unlock()

	w.Header().Set("X-OAuth-Scopes", strings.Join(s.config.Scopes, ","))
	switch {
	case fault != nil:
		fault.answer(w, r)
	case limited > 0:
		tooMany(w, limited)
	default:
		answer(w, body, err, s.config.Scopes)
	}
}

func (s *Server) wait(r *http.Request, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
	}
}

func (s *Server) run(name, token string, form url.Values) (reply, error) {
	m, ok := s.methods[name]
	want := BotToken
	if m.app {
		want = AppToken
	}
	switch {
	case !ok:
		return nil, fail("unknown_method")
	case token == "":
		return nil, fail("not_authed")
	case token != want && (token == BotToken || token == AppToken):
		return nil, fail("not_allowed_token_type")
	case token != want:
		return nil, fail("invalid_auth")
	case m.scope != "" && !s.granted(m.scope):
		return nil, failure{code: "missing_scope", needed: m.scope}
	}
	return m.run(s, form)
}

func (s *Server) granted(scope string) bool { return slices.Contains(s.config.Scopes, scope) }

func parameters(r *http.Request) (form url.Values, token string, err error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil && r.Method == http.MethodPost {
		return nil, "", errors.New("the request has no content type")
	}
	form = url.Values{}
	if kind == "application/json" {
		var body map[string]json.RawMessage
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, "", fmt.Errorf("read the body: %w", err)
		}
		if err := json.Unmarshal(raw, &body); err != nil && len(raw) > 0 {
			return nil, "", fmt.Errorf("read the body: %w", err)
		}
		for key, value := range body {
			var text string
			if json.Unmarshal(value, &text) != nil {
				text = string(value)
			}
			form.Set(key, text)
		}
	} else {
		if err := r.ParseForm(); err != nil {
			return nil, "", err
		}
		form = r.Form
	}
	token = form.Get("token")
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		token = bearer
	}
	form.Del("token")
	return form, token, nil
}

func answer(w http.ResponseWriter, body reply, err error, scopes []string) {
	out := map[string]any{"ok": err == nil}
	var f failure
	if errors.As(err, &f) {
		out["error"] = f.code
		if f.needed != "" {
			out["needed"], out["provided"] = f.needed, strings.Join(scopes, ",")
		}
	}
	for key, value := range body {
		out[key] = value
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(out) // the client has gone when this fails
}
