package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/console"
	"github.com/footnotehq/footnote/bots/consolebot"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
)

type askCommand struct {
	Question []string `arg:"" sep:"none" help:"The question. Quote what means something to the shell, such as ? and *."`
	JSON     bool     `name:"json" xor:"form" help:"Print one JSON object when the answer is complete."`
	Packets  bool     `name:"packets" xor:"form" help:"Print every packet as a line of JSON while the answer is written."`
	File     []string `name:"file" sep:"none" type:"path" placeholder:"PATH" help:"Send a text or an image along; may be repeated."`
	Thread   string   `name:"thread" placeholder:"NAME" help:"Go on with the conversation of this name, or begin it."`
	Deep     bool     `name:"deep" help:"Take the question apart, search for each part, and report what was found."`
	Search   bool     `name:"search-only" xor:"written" help:"Search with the question and list the documents, without an answer."`
	Format   string   `name:"response-format" xor:"written" type:"path" placeholder:"FILE" help:"JSON Schema that the answer follows."`

	choiceFlags
}

// answerJSON is the output of ask --json. Its field names are stable. With several models, Answers
// has all of them, and the other fields are those of the first one.
type answerJSON struct {
	modelAnswerJSON
	Answers   []modelAnswerJSON  `json:"answers,omitempty"`
	SessionID session.ID         `json:"session_id"`
	TurnID    session.TurnID     `json:"turn_id"`
	TimingsMS map[string]float64 `json:"timings_ms"`
}

type modelAnswerJSON struct {
	Model     string            `json:"model,omitempty"`
	Answer    string            `json:"answer"`
	Citations []citationJSON    `json:"citations"`
	Documents []packet.Document `json:"documents"` // all found documents, cited or not
	Outcome   session.Outcome   `json:"outcome"`
	Message   string            `json:"message,omitempty"`
	Notices   []string          `json:"notices,omitempty"`
	Reference string            `json:"reference,omitempty"`
}

type citationJSON struct {
	Number     int           `json:"number"`
	DocumentID document.ID   `json:"document_id"`
	Title      string        `json:"title"`
	Section    string        `json:"section,omitempty"`
	URL        string        `json:"url"`
	Source     document.Kind `json:"source"`
}

// Run executes "footnote ask".
func (c *askCommand) Run(ctx context.Context, env *environment) (err error) {
	t := talk{thread: c.Thread, out: env.stdout, links: isTerminal(env.stdout), choice: c.choice()}
	var lines *packetLines
	switch {
	case c.Packets:
		lines = &packetLines{encoder: newEncoder(env.stdout)}
		t.out, t.packets = io.Discard, lines
	case c.JSON, c.Format != "": // a program reads the output when the answer is complete
		t.out, t.packets = io.Discard, &follower{env: env}
	case !t.links:
		t.packets = &follower{env: env}
	}
	t.choice.SearchOnly, t.choice.Unattended = c.Search, true
	if c.Format != "" {
		if t.choice.ResponseFormat, err = readSchema(c.Format); err != nil {
			return err
		}
	}
	attached := make([]message.File, len(c.File))
	for i, path := range c.File {
		if attached[i], err = wire.Attach(ctx, env.config, path); err != nil {
			return usageError(err.Error())
		}
	}
	if _, err := env.localModel(ctx, false); err != nil {
		return err
	}
	talk, err := openConversation(ctx, env, t)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, talk.Close(ctx)) }()
	start := time.Now()
	question := strings.Join(c.Question, " ")
	if c.Deep { // state it explicitly, so that a process that takes over knows
		question = policy.Deepen(question)
	}
	id, said, err := talk.Ask(ctx, question, attached...)
	if err != nil {
		return err
	}
	if id == "" {
		return usageError(cmp.Or(said, policy.NoQuestion))
	}
	result, err := talk.Wait(ctx, id)
	if err != nil {
		return err
	}
	if result.Err != nil {
		return result.Err
	}
	if lines != nil && lines.err != nil {
		return lines.err
	}
	if c.Format != "" && !c.JSON && !c.Packets {
		if err := printFormatted(env, result.Best()); err != nil {
			return err
		}
	}
	if c.JSON {
		if err := newEncoder(env.stdout).Encode(asJSON(result, time.Since(start))); err != nil {
			return err
		}
	}
	if ctx.Err() != nil { // the partial answer was shown
		return context.Cause(ctx)
	}
	if result.Final.Outcome == session.Failed || result.Final.Outcome == session.Limited {
		return errSilent
	}
	return nil
}

// printFormatted writes an answer that follows a schema to stdout, and everything else to stderr.
func printFormatted(env *environment, v *stream.View) error {
	if v.Len() > 0 {
		if _, err := fmt.Fprintln(env.out, v.Text()); err != nil {
			return err
		}
	}
	said := slices.Clone(v.Notices)
	if v.Problem != nil {
		said = append(said, v.Problem.Message)
	} else if v.Message != "" {
		said = append(said, v.Message)
	}
	for _, s := range said {
		if _, err := fmt.Fprintln(env.errs, s); err != nil {
			return err
		}
	}
	return nil
}

func asJSON(r consolebot.Result, took time.Duration) answerJSON {
	out := answerJSON{SessionID: r.Turn.Session.ID, TurnID: r.Turn.ID, TimingsMS: map[string]float64{"total": ms(took)}}
	for i := range r.Views {
		one := viewJSON(&r.Views[i])
		if i < len(r.Final.Saved.Runs) {
			one.Model = r.Final.Saved.Runs[i].Model
		}
		if &r.Views[i] == r.Best() {
			out.modelAnswerJSON = one
			out.Outcome = r.Final.Outcome
		}
		if len(r.Views) > 1 {
			out.Answers = append(out.Answers, one)
		}
	}
	for stage, d := range r.Final.Saved.Timings {
		out.TimingsMS[stage] = ms(d)
	}
	return out
}

func viewJSON(v *stream.View) modelAnswerJSON {
	out := modelAnswerJSON{Answer: v.Text(), Citations: []citationJSON{}, Documents: append([]packet.Document{}, v.Documents...), Outcome: v.Outcome, Message: v.Message, Notices: v.Notices}
	if v.Problem != nil {
		out.Message, out.Reference = v.Problem.Message, v.Problem.Reference
	}
	for _, c := range v.Sources() {
		out.Citations = append(out.Citations, citationJSON{Number: c.Number, DocumentID: c.Document, Title: c.Title, Section: c.Section, URL: c.URL, Source: c.Source})
	}
	return out
}

// maxSchema is in bytes and far above what providers accept.
const maxSchema = 256 << 10

// readSchema checks only that the file is a JSON object.
func readSchema(path string) (json.RawMessage, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, usageError(fmt.Sprintf("the response format cannot be read: %v", err))
	}
	var schema map[string]any
	if err := json.Unmarshal(data, &schema); err != nil || len(data) > maxSchema {
		return nil, usageError(path + " is not a JSON Schema: write an object such as {\"type\": \"object\", \"properties\": {…}}")
	}
	return data, nil
}

// packetLines prints packets as they arrive. Read err only after the last packet.
type packetLines struct {
	mu      sync.Mutex
	encoder *json.Encoder
	err     error
}

// Accept implements packet.Sink.
func (l *packetLines) Accept(p packet.Packet) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = l.encoder.Encode(p)
	}
}

// newEncoder escapes characters that are invisible or could drive a terminal.
func newEncoder(to io.Writer) *json.Encoder {
	encoder := json.NewEncoder(console.JSON(to))
	encoder.SetEscapeHTML(false)
	return encoder
}
