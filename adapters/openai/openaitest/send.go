package openaitest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

func (s *Server) send(w http.ResponseWriter, r *http.Request, rec *Record, req Request, reply Reply) {
	for name, values := range reply.Header {
		w.Header()[name] = values
	}
	if s.refused(w, r, req, reply) {
		s.update(func() { rec.Complete = true })
		return
	}
	if reply.Fault == Whole || !req.Stream {
		if reply.Gate != nil && !s.pass(r, reply.Gate) {
			return
		}
		writeJSON(w, http.StatusOK, wholeAnswer(req, reply))
		s.update(func() { rec.Complete = true })
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	out := &eventWriter{server: s, w: w, r: r, rec: rec, reply: reply}
	if reply.Delay == 0 && reply.Gate == nil && reply.Fault == NoFault {
		out.batch = true
	} else {
		w.WriteHeader(http.StatusOK)
		out.flush()
	}
	if out.play(events(req, reply)) {
		out.flush()
		s.update(func() { rec.Complete = true })
	}
}

func (s *Server) refused(w http.ResponseWriter, r *http.Request, req Request, reply Reply) bool {
	switch reply.Fault {
	case Unauthorized:
		refuse(w, http.StatusUnauthorized, "invalid_request_error", "invalid_api_key", "Incorrect API key provided: "+r.Header.Get("Authorization"))
	case Forbidden:
		refuse(w, http.StatusForbidden, "invalid_request_error", "", "You are not allowed to sample from this model")
	case NotFound:
		refuse(w, http.StatusNotFound, "invalid_request_error", "model_not_found", fmt.Sprintf("The model '%s' does not exist", req.Model))
	case RateLimited:
		if reply.RetryAfter != "" {
			w.Header().Set("Retry-After", reply.RetryAfter)
		}
		refuse(w, http.StatusTooManyRequests, "requests", "rate_limit_exceeded", "Rate limit reached for requests")
	case QuotaExhausted:
		refuse(w, http.StatusTooManyRequests, "insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan and billing details.")
	case ContextTooLong:
		refuse(w, http.StatusBadRequest, "invalid_request_error", "context_length_exceeded", "This model's maximum context length is 8192 tokens.")
	case BadRequest:
		last := ""
		if len(req.Messages) > 0 {
			last = req.Messages[len(req.Messages)-1].Text()
		}
		refuse(w, http.StatusBadRequest, "invalid_request_error", "", "Input should be a valid list, input was: "+last)
	case Filtered:
		refuse(w, http.StatusBadRequest, "", "content_filter", "The response was filtered due to the prompt triggering the content management policy.")
	case NoStreamOptions:
		if req.StreamOptions == nil {
			return false
		}
		refuse(w, http.StatusBadRequest, "invalid_request_error", "", "Unknown parameter: 'stream_options'.")
	case NoMaxTokens:
		if req.MaxTokens == 0 {
			return false
		}
		refuse(w, http.StatusBadRequest, "invalid_request_error", "unsupported_parameter",
			"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
	case NoTools:
		if len(req.Tools) == 0 {
			return false
		}
		reply.Refused.send(w)
	case Refuses:
		reply.Refused.send(w)
	case NoNone:
		if string(req.ToolChoice) != `"none"` {
			return false
		}
		reply.Refused.send(w)
	case NoChoice:
		if len(req.ToolChoice) == 0 {
			return false
		}
		reply.Refused.send(w)
	case ServerError:
		refuse(w, http.StatusInternalServerError, "server_error", "", "The server had an error while processing your request.")
	case Overloaded:
		if reply.RetryAfter != "" {
			w.Header().Set("Retry-After", reply.RetryAfter)
		}
		refuse(w, http.StatusServiceUnavailable, "server_error", "", "The engine is currently overloaded.")
	case HTMLError, HTMLPage:
		status := http.StatusOK
		if reply.Fault == HTMLError {
			status = http.StatusBadGateway
		}
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, "<!doctype html><title>gateway</title><h1>Not what you wanted</h1>")
	case Hangup:
		hangUp(w)
	default:
		return false
	}
	return true
}

func hangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // not HTTP/1.1: the server resets the stream
	}
	_ = conn.Close()
}

type event struct {
	chunk map[string]any
	text  string
}

func events(req Request, reply Reply) []event {
	split := reply.Split
	if split == nil {
		split = Words
	}
	var out []event
	add := func(delta map[string]any, finish any) {
		out = append(out, event{chunk: chunkOf(req, []any{map[string]any{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}})})
	}
	add(map[string]any{"role": "assistant", "content": ""}, nil)
	field := reply.ReasoningField
	if field == "" {
		field = "reasoning_content"
	}
	for _, piece := range split(reply.Reasoning) {
		add(map[string]any{field: piece}, nil)
	}
	for _, piece := range split(reply.Text) {
		add(map[string]any{"content": piece}, nil)
	}
	for _, piece := range split(reply.Refusal) {
		add(map[string]any{"refusal": piece}, nil)
	}
	for i, call := range reply.Calls {
		add(map[string]any{"tool_calls": []any{map[string]any{
			"index": i, "id": call.id(i), "type": "function", "function": map[string]any{"name": call.Name, "arguments": ""},
		}}}, nil)
		for _, piece := range split(call.Arguments) {
			add(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": piece}}}}, nil)
		}
	}
	add(map[string]any{}, reply.finish())
	if req.StreamOptions != nil && req.StreamOptions.IncludeUsage && reply.Fault != NoUsage {
		last := chunkOf(req, []any{})
		last["usage"] = reply.usage(req)
		if reply.CacheN > 0 {
			last["timings"] = map[string]any{"cache_n": reply.CacheN}
		}
		out = append(out, event{chunk: last})
	}
	return append(out, event{text: "data: [DONE]\n\n"})
}

func chunkOf(req Request, choices []any) map[string]any {
	return map[string]any{
		"id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": req.Model,
		"system_fingerprint": nil, "choices": choices,
	}
}

func (c Call) id(i int) string {
	if c.ID != "" {
		return c.ID
	}
	return fmt.Sprintf("call_%d", i+1)
}

func (r Reply) finish() string {
	switch {
	case r.Finish != "":
		return r.Finish
	case len(r.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func (r Reply) usage(req Request) Usage {
	if r.Usage != nil {
		return *r.Usage
	}
	var u Usage
	for _, m := range req.Messages {
		u.Prompt += len(strings.Fields(m.Text())) + 3
	}
	u.Completion = len(strings.Fields(r.Text + " " + r.Reasoning))
	u.Total = u.Prompt + u.Completion
	return u
}

func wholeAnswer(req Request, reply Reply) map[string]any {
	message := map[string]any{"role": "assistant", "content": reply.Text}
	if len(reply.Calls) > 0 {
		var calls []any
		for i, call := range reply.Calls {
			calls = append(calls, map[string]any{"id": call.id(i), "type": "function", "function": map[string]any{"name": call.Name, "arguments": call.Arguments}})
		}
		message["tool_calls"] = calls
	}
	return map[string]any{
		"id": "chatcmpl-scripted", "object": "chat.completion", "created": 1_700_000_000, "model": req.Model, "usage": reply.usage(req),
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": reply.finish()}},
	}
}

type eventWriter struct {
	server *Server
	w      http.ResponseWriter
	r      *http.Request
	rec    *Record
	reply  Reply
	batch  bool // flush once at the end; the reply has no delay, gate or fault
}

func (e *eventWriter) play(all []event) bool {
	for i, item := range all {
		if e.injectFault(i, len(all)) {
			return false
		}
		if e.reply.Fault == NoDone && item.text != "" {
			continue
		}
		if i >= e.reply.GateAfter && e.reply.Gate != nil && !e.server.pass(e.r, e.reply.Gate) {
			return false
		}
		if e.reply.Delay > 0 && !e.server.pause(e.r, e.reply.Delay) {
			return false
		}
		text := item.text
		if text == "" {
			data, err := json.Marshal(item.chunk)
			if err != nil {
				panic(err) // maps of plain values
			}
			text = "data: " + string(data) + "\n\n"
		}
		if e.reply.Noise {
			text = ": keep-alive\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\nid: 1\nretry: 100\n\n\r\n" + text
		}
		if !e.write(text) {
			return false
		}
	}
	return true
}

func (e *eventWriter) injectFault(i, total int) bool {
	// If FaultAfter exceeds the number of events, the fault comes before the finish reason.
	at := min(e.reply.FaultAfter, max(total-3, 0))
	if i != at {
		return false
	}
	switch e.reply.Fault {
	case Cut:
		e.write("data: {\"id\":\"chatcmpl-scr")
		hangUp(e.w)
	case CutDone:
		e.write("data: [DONE]\n\n")
	case Malformed:
		e.write("data: {\"choices\":[{\"delta\":{\"content\":\"half\n\n")
		e.write("data: [DONE]\n\n")
	case ErrorEvent:
		e.write("data: {\"error\":{\"message\":\"The server had an error while processing your request.\",\"type\":\"server_error\",\"param\":null,\"code\":null}}\n\n")
		e.write("data: [DONE]\n\n")
	case NamedErrorEvent:
		e.write("event: error\ndata: {\"error\":{\"message\":\"overloaded\",\"code\":529}}\n\n")
	case Stalled:
		if e.reply.Stall > 0 {
			return !e.server.pause(e.r, e.reply.Stall)
		}
		e.server.pass(e.r, nil)
	default:
		return false
	}
	return true
}

func (e *eventWriter) write(text string) bool {
	if _, err := io.WriteString(e.w, text); err != nil {
		return false
	}
	if !e.batch {
		e.flush()
	}
	e.server.update(func() {
		e.rec.Sent++
		if e.rec.FirstEvent.IsZero() {
			e.rec.FirstEvent = time.Now()
		}
	})
	return true
}

func (e *eventWriter) flush() {
	_ = http.NewResponseController(e.w).Flush() // a disconnected client is noticed by its context
}

func (s *Server) pass(r *http.Request, gate <-chan struct{}) bool {
	select {
	case <-gate:
		return true
	case <-r.Context().Done():
	case <-s.quit:
	}
	return false
}

func (s *Server) pause(r *http.Request, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
	case <-s.quit:
	}
	return false
}
