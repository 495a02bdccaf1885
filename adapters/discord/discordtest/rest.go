package discordtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"
)

type apiError struct {
	status int
	code   int
	text   string
	fields map[string]any
}

// These are the server's error responses, with the codes from Discord's documentation.
var (
	errUnauthorised      = &apiError{status: 401, text: "401: Unauthorized"}
	errUnknownChannel    = &apiError{status: 404, code: 10003, text: "Unknown Channel"}
	errUnknownGuild      = &apiError{status: 404, code: 10004, text: "Unknown Guild"}
	errUnknownMember     = &apiError{status: 404, code: 10007, text: "Unknown Member"}
	errUnknownMessage    = &apiError{status: 404, code: 10008, text: "Unknown Message"}
	errUnknownWebhook    = &apiError{status: 404, code: 10015, text: "Unknown Webhook"}
	errUnknownInteract   = &apiError{status: 404, code: 10062, text: "Unknown interaction"}
	errOldEdits          = &apiError{status: 429, code: 30046, text: "Maximum number of edits to messages older than 1 hour reached. Try again later."}
	errAcknowledged      = &apiError{status: 400, code: 40060, text: "Interaction has already been acknowledged."}
	errInvalidForm       = &apiError{status: 400, code: 50035, text: "Invalid Form Body"}
	errMissingAccess     = &apiError{status: 403, code: 50001, text: "Missing Access"}
	errOtherAuthor       = &apiError{status: 403, code: 50005, text: "Cannot edit a message authored by another user"}
	errEmpty             = &apiError{status: 400, code: 50006, text: "Cannot send an empty message"}
	errMissingPermission = &apiError{status: 403, code: 50013, text: "Missing Permissions"}
	errWebhookToken      = &apiError{status: 401, code: 50027, text: "Invalid Webhook Token"}
	errArchived          = &apiError{status: 400, code: 50083, text: "Thread is archived"}
	errNoReply           = &apiError{status: 403, code: 160002, text: "Cannot reply without permission to read message history"}
	errThreadExists      = &apiError{status: 400, code: 160004, text: "A thread has already been created for this message"}
	errTooLarge          = &apiError{status: 413, code: 40005, text: "Request entity too large"}
	errLocked            = &apiError{status: 400, code: 160005, text: "Thread is locked"}
)

func tooLong(field string, most int) *apiError {
	text := "Must be " + itoa(most) + " or fewer in length."
	return &apiError{status: 400, code: 50035, text: "Invalid Form Body", fields: map[string]any{
		field: map[string]any{"_errors": []map[string]string{{"code": "BASE_TYPE_MAX_LENGTH", "message": text}}},
	}}
}

func badURL() *apiError {
	return &apiError{status: 400, code: 50035, text: "Invalid Form Body", fields: map[string]any{
		"components": map[string]any{"_errors": []map[string]string{{"code": "URL_TYPE_INVALID_URL", "message": "Not a well formed URL."}}},
	}}
}

type call struct {
	http.ResponseWriter
	*http.Request
	body []byte
	file string // content of the uploaded file
}

func (c *call) decode(into any) *apiError {
	body := c.body
	if kind, params, err := mime.ParseMediaType(c.Request.Header.Get("Content-Type")); err == nil && kind == "multipart/form-data" {
		form, err := multipart.NewReader(bytes.NewReader(c.body), params["boundary"]).ReadForm(25 << 20)
		if err != nil || len(form.Value["payload_json"]) != 1 {
			return &apiError{status: 400, code: 50035, text: "Invalid Form Body"}
		}
		body = []byte(form.Value["payload_json"][0])
		c.file = ""
		for _, headers := range form.File {
			f, err := headers[0].Open()
			if err != nil {
				return &apiError{status: 400, code: 50035, text: "Invalid Form Body"}
			}
			content, err := io.ReadAll(f)
			if err := errors.Join(err, f.Close()); err != nil {
				return &apiError{status: 400, code: 50035, text: "Invalid Form Body"}
			}
			c.file = string(content)
		}
	}
	if err := json.Unmarshal(body, into); err != nil {
		return &apiError{status: 400, code: 50109, text: "The request body contains invalid JSON."}
	}
	return nil
}

// handler handles a call. A nil response without an error means status 204. The caller must hold
// the server's lock.
type handler func(c *call) (any, *apiError)

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /gw/", s.serveGateway)
	mux.HandleFunc("GET /files/{id}/{name}", s.getFile)
	mux.HandleFunc("GET /resume/", s.serveGateway)
	for pattern, h := range map[string]handler{
		"GET /gateway":                                                     s.getGateway,
		"GET /gateway/bot":                                                 s.getGateway,
		"GET /users/@me":                                                   func(*call) (any, *apiError) { return s.bot, nil },
		"GET /applications/@me":                                            s.getApplication,
		"GET /oauth2/applications/@me":                                     s.getApplication,
		"POST /users/@me/channels":                                         s.postDM,
		"GET /guilds/{guild}/members/{user}":                               s.getMember,
		"GET /guilds/{guild}":                                              s.getGuild,
		"GET /guilds/{guild}/channels":                                     s.getGuildChannels,
		"GET /guilds/{guild}/threads/active":                               s.getActiveThreads,
		"GET /channels/{channel}/threads/archived/public":                  s.getArchivedThreads,
		"GET /users/@me/guilds":                                            s.getGuilds,
		"GET /applications/{app}/guilds/{guild}/commands":                  s.getCommands,
		"PUT /applications/{app}/guilds/{guild}/commands":                  s.putCommands,
		"GET /channels/{channel}":                                          s.getChannel,
		"PATCH /channels/{channel}":                                        s.patchChannel,
		"POST /channels/{channel}/typing":                                  s.postTyping,
		"GET /channels/{channel}/messages":                                 s.listMessages,
		"POST /channels/{channel}/messages":                                s.postMessage,
		"GET /channels/{channel}/messages/{message}":                       s.getMessage,
		"PATCH /channels/{channel}/messages/{message}":                     s.patchMessage,
		"DELETE /channels/{channel}/messages/{message}":                    s.deleteMessage,
		"POST /channels/{channel}/messages/{message}/threads":              s.postThreadFrom,
		"POST /channels/{channel}/threads":                                 s.postThread,
		"PUT /channels/{channel}/messages/{message}/reactions/{emoji}/@me": s.putReaction,
		"GET /channels/{channel}/messages/{message}/reactions/{emoji}":     s.getReactions,
		"GET /applications/{app}/commands":                                 s.getCommands,
		"PUT /applications/{app}/commands":                                 s.putCommands,
		"POST /interactions/{interaction}/{token}/callback":                s.postCallback,
		"POST /webhooks/{app}/{token}":                                     s.postFollowUp,
		"GET /webhooks/{app}/{token}/messages/{message}":                   s.getReply,
		"PATCH /webhooks/{app}/{token}/messages/{message}":                 s.patchReply,
		"DELETE /webhooks/{app}/{token}/messages/{message}":                s.deleteReply,
	} {
		method, path, _ := strings.Cut(pattern, " ")
		mux.HandleFunc(method+" /api/v9"+path, s.endpoint(h))
	}
	return mux
}

func (s *Server) endpoint(h handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 25<<20))
		if err != nil {
			return // the client is gone
		}
		path := strings.TrimPrefix(r.URL.Path, "/api")
		note := &status{ResponseWriter: w, code: http.StatusOK}
		done := Request{Method: r.Method, Path: path, Query: r.URL.RawQuery, Body: string(body)}
		s.mu.Lock()
		defer s.mu.Unlock()
		defer func() {
			done.Status, done.Code, done.At = note.code, note.failure(), time.Now()
			s.requests.Add(done)
			s.notify()
		}()
		if f := s.fault(r.Method, path, string(body)); f != nil {
			if f.Done {
				_, _ = h(&call{ResponseWriter: w, Request: r, body: body})
			}
			if !s.serve(note, f, r.Method, path) {
				return
			}
			note.code = 0
			cut(w)
			return
		}
		// For interactions, the token in the path identifies the caller. All other calls need the
		// bot's token.
		if !strings.Contains(path, "/interactions/") && !strings.Contains(path, "/webhooks/") && r.Header.Get("Authorization") != "Bot "+s.config.Token {
			fail(note, errUnauthorised)
			return
		}
		if !s.admit(note, r.Method, path) {
			return
		}
		answer, problem := h(&call{ResponseWriter: w, Request: r, body: body})
		switch {
		case problem != nil:
			fail(note, problem)
		case answer == nil:
			note.WriteHeader(http.StatusNoContent)
		default:
			reply(note, http.StatusOK, answer)
		}
	}
}

func fail(w http.ResponseWriter, e *apiError) {
	body := map[string]any{"message": e.text, "code": e.code}
	if e.fields != nil {
		body["errors"] = e.fields
	}
	if e.status == http.StatusTooManyRequests {
		body["retry_after"], body["global"] = 5.0, false
		w.Header().Set("X-RateLimit-Reset-After", "5")
	}
	reply(w, e.status, body)
}

func cut(w http.ResponseWriter) {
	if h, ok := w.(http.Hijacker); ok {
		if conn, _, err := h.Hijack(); err == nil {
			_ = conn.Close() // it ends even if Close fails
		}
	}
}

type status struct {
	http.ResponseWriter
	code int
	body bytes.Buffer
}

func (s *status) WriteHeader(code int) {
	s.code = code
	s.ResponseWriter.WriteHeader(code)
}

func (s *status) Write(b []byte) (int, error) {
	if s.code >= 400 {
		s.body.Write(b)
	}
	return s.ResponseWriter.Write(b)
}

func (s *status) failure() int {
	var e struct{ Code int }
	if json.Unmarshal(s.body.Bytes(), &e) != nil {
		return 0
	}
	return e.Code
}

func (s *Server) getGateway(c *call) (any, *apiError) {
	if s.config.Lean {
		if strings.HasSuffix(c.URL.Path, "/bot") {
			return nil, &apiError{status: 404, text: "404: Not Found"}
		}
		return map[string]any{"url": "ws://" + s.addr + "/gw"}, nil
	}
	return map[string]any{
		"url": "ws://" + s.addr + "/gw", "shards": s.config.Shards,
		"session_start_limit": map[string]any{
			"total": 1000, "remaining": s.config.Sessions - s.gateway.identifies, "reset_after": 14400000, "max_concurrency": s.config.Concurrency,
		},
	}, nil
}

func (s *Server) getApplication(*call) (any, *apiError) {
	return map[string]any{"id": s.bot.ID, "name": "Footnote", "bot_public": true, "verify_key": s.publicKey(), "interactions_endpoint_url": s.inbound.shown(), "flags": s.flags(), "bot": s.bot}, nil
}

func (s *Server) flags() int {
	flags := 0
	if !s.config.NoContent {
		flags |= 1 << 19
	}
	if s.config.Members {
		flags |= 1 << 15
	}
	return flags
}

func (s *Server) getMember(c *call) (any, *apiError) {
	g := s.guilds[c.PathValue("guild")]
	if g == nil {
		return nil, errUnknownGuild
	}
	user := c.PathValue("user")
	if _, in := g.members[user]; !in {
		return nil, errUnknownMember
	}
	return s.member(g, user), nil
}

func (s *Server) getGuild(c *call) (any, *apiError) {
	g := s.guilds[c.PathValue("guild")]
	if g == nil {
		return nil, errUnknownGuild
	}
	return map[string]any{"id": g.id, "name": g.name, "owner_id": g.owner, "roles": g.roles, "emojis": []any{}, "features": []any{}}, nil
}

func (s *Server) getGuildChannels(c *call) (any, *apiError) {
	g := s.guilds[c.PathValue("guild")]
	if g == nil {
		return nil, errUnknownGuild
	}
	list := []any{}
	for _, ch := range s.channels {
		if ch.guild == g.id && ch.parent == "" && !ch.deleted {
			list = append(list, s.channelJSON(ch))
		}
	}
	return list, nil
}

func (s *Server) getGuilds(*call) (any, *apiError) {
	list := []any{}
	for _, id := range s.guildIDs() {
		list = append(list, map[string]any{"id": id, "name": s.guilds[id].name, "owner": false, "permissions": "0"})
	}
	return list, nil
}

func (s *Server) getCommands(c *call) (any, *apiError) {
	if list := s.commands[c.PathValue("guild")]; list != nil {
		return json.RawMessage(list), nil
	}
	return []any{}, nil
}

func (s *Server) putCommands(c *call) (any, *apiError) {
	var commands []map[string]any
	if problem := c.decode(&commands); problem != nil {
		return nil, problem
	}
	if problem := checkCommands(commands); problem != nil {
		return nil, problem
	}
	for _, command := range commands {
		command["id"], command["application_id"], command["version"] = s.id(), s.bot.ID, s.id()
		command["nsfw"], command["integration_types"] = false, []int{0}
		if _, given := command["default_member_permissions"]; !given {
			command["default_member_permissions"] = nil
		}
		if command["type"] == nil {
			command["type"] = 1
		}
		if command["description"] == nil {
			command["description"] = ""
		}
	}
	if c.PathValue("guild") != "" {
		for _, command := range commands {
			command["contexts"] = nil // only global commands have contexts
		}
	}
	s.puts++
	s.commands[c.PathValue("guild")], _ = json.Marshal(commands) // what was decoded can be encoded
	return commands, nil
}
