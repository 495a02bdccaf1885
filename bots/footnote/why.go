package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

type whyCommand struct {
	Ref  string `arg:"" help:"A reference that an answer shows, a turn's or session's id (footnote audit lists them), a link to a message, or CHANNEL/MESSAGE with the ids that the platform gives them. With --for, the address of a document."`
	For  string `name:"for" placeholder:"ACCOUNT" help:"Say whether an account may read the document, and by what: slack:ID, slack:ADDRESS or discord:ID."`
	JSON bool   `name:"json" help:"Print a JSON array."`
}

// explanationJSON is an item in the output of why --json. Its field names are stable.
type explanationJSON struct {
	Turn      session.TurnID     `json:"turn,omitempty"`
	Session   session.ID         `json:"session,omitempty"`
	Platform  thread.Platform    `json:"platform"`
	Workspace string             `json:"workspace"`
	Channel   string             `json:"channel"`
	Thread    string             `json:"thread"`
	Message   thread.MessageID   `json:"message"`
	Asker     string             `json:"asker,omitempty"`
	Intake    *time.Time         `json:"intake,omitempty"`
	Reason    policy.Reason      `json:"reason"`
	Words     string             `json:"words"`
	Audience  []string           `json:"audience,omitempty"`
	Ambient   bool               `json:"ambient"`
	State     session.State      `json:"state,omitempty"`
	Outcome   session.Outcome    `json:"outcome,omitempty"`
	Sentence  string             `json:"sentence,omitempty"`
	Reference string             `json:"reference,omitempty"`
	Model     string             `json:"model,omitempty"`
	Grounding string             `json:"grounding,omitempty"`
	TotalMS   int64              `json:"total_ms,omitempty"`
	Searches  []retrieve.Account `json:"searches"`
}

// Run executes "footnote why".
func (c *whyCommand) Run(ctx context.Context, env *environment) error {
	return env.withBase(ctx, func(base *wire.Base) error {
		if c.For != "" {
			return c.document(ctx, env, base)
		}
		found, err := explain(ctx, base, c.Ref)
		if err != nil {
			return err
		}
		if c.JSON {
			out := make([]explanationJSON, len(found))
			for i, e := range found {
				out[i] = explanationOf(e)
			}
			return newEncoder(env.stdout).Encode(out)
		}
		for i, e := range found {
			if err := printExplanation(env, i, e); err != nil {
				return err
			}
		}
		return nil
	})
}

var errUnexplained = errors.New("nothing is known of it: give the reference under the answer, a turn's or session's id, a link to the message, or CHANNEL/MESSAGE; " +
	"decisions about messages that were not answered are kept for a week")

// explain returns the decisions about a message. ref names a turn, a session, an answer, or the
// message itself.
func explain(ctx context.Context, base *wire.Base, ref string) ([]command.Explanation, error) {
	sessions := base.Sessions()
	inspect := command.Inspector{Store: sessions}
	t, err := sessions.Turn(ctx, base.Tenant, session.TurnID(ref))
	if err == nil {
		e, err := inspect.Turn(ctx, t)
		return []command.Explanation{e}, err
	}
	if !errors.Is(err, session.ErrUnknownTurn) {
		return nil, err
	}
	turns, err := sessions.TurnsOf(ctx, base.Tenant, session.ID(ref))
	if err == nil && len(turns) == 0 {
		turns, err = sessions.Referenced(ctx, base.Tenant, strings.ToLower(strings.TrimSpace(ref)))
	}
	if err != nil {
		return nil, err
	}
	var found []command.Explanation
	for _, t := range turns {
		e, err := inspect.Turn(ctx, t)
		if err != nil {
			return nil, err
		}
		found = append(found, e)
	}
	if len(found) > 0 {
		return found, nil
	}
	return explainMessage(ctx, base, sessions, inspect, ref)
}

func explainMessage(
	ctx context.Context, base *wire.Base, sessions *pgsession.Store, inspect command.Inspector, ref string,
) ([]command.Explanation, error) {
	channel, message := parseMessage(ref)
	places, err := sessions.Locate(ctx, base.Tenant, message)
	if err != nil {
		return nil, err
	}
	var found []command.Explanation
	for _, at := range places {
		// A Discord link names the thread, because Discord's threads are channels. Discord's ids are
		// globally unique.
		if channel != "" && at.Channel != channel && at.Platform != "discord" {
			continue
		}
		e, err := inspect.Message(ctx, base.Tenant, at, message)
		if err != nil {
			return nil, err
		}
		found = append(found, e)
	}
	if len(found) == 0 {
		return nil, errUnexplained
	}
	return found, nil
}

// slackPermalink matches the end of a link to a Slack message, such as "p1700000000123456". The
// digits are the message's timestamp without the point.
var slackPermalink = regexp.MustCompile(`^p(\d{10,})(\d{6})$`)

// parseMessage accepts a link copied from Slack or Discord, CHANNEL/MESSAGE, or a message id.
func parseMessage(ref string) (channel string, message thread.MessageID) {
	path := strings.TrimSpace(ref)
	if u, err := url.Parse(path); err == nil && u.Scheme != "" && u.Host != "" {
		path = u.Path
	}
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == ' ' })
	if len(parts) == 0 {
		return "", ""
	}
	last := parts[len(parts)-1]
	if m := slackPermalink.FindStringSubmatch(last); m != nil {
		last = m[1] + "." + m[2]
	}
	if len(parts) > 1 {
		channel = parts[len(parts)-2]
	}
	return channel, thread.MessageID(last)
}

func explanationOf(e command.Explanation) explanationJSON {
	v := e.Verdict
	out := explanationJSON{
		Platform: v.Ref.Platform, Workspace: v.Ref.Workspace, Channel: v.Ref.Channel, Thread: v.Ref.Thread, Message: v.Message,
		Reason: e.Reason(), Words: policy.Explain(e.Reason()), Searches: []retrieve.Account{},
	}
	t := e.Turn
	if t == nil {
		return out
	}
	ref := t.Session.Ref
	out.Turn, out.Session, out.Asker, out.Intake, out.Ambient, out.State, out.Outcome = t.ID, t.Session.ID, t.Asker.ID, &t.Intake, t.Ambient, t.State, t.Outcome
	out.Platform, out.Workspace, out.Channel, out.Thread, out.Message = ref.Platform, ref.Workspace, ref.Channel, ref.Thread, t.Message
	for _, p := range t.Audience.Principals() {
		out.Audience = append(out.Audience, string(p))
	}
	out.Sentence, out.Reference, out.TotalMS = e.Saved.Sentence, e.Saved.Reference, e.Saved.Timings["total"].Milliseconds()
	if best, ran := e.Saved.Best(); ran {
		out.Model, out.Grounding = best.Model, string(best.Ending.Grounding)
	}
	for _, run := range e.Saved.Runs {
		out.Searches = append(out.Searches, run.Searches...)
	}
	return out
}

func printExplanation(env *environment, n int, e command.Explanation) error {
	gap := ""
	if n > 0 {
		gap = "\n"
	}
	if t := e.Turn; t != nil {
		ref := t.Session.Ref
		if _, err := fmt.Fprintf(env.out, "%sTurn %s, number %d of session %s\nAsked by %s in %s, thread %s, on %s\n", gap, t.ID, t.Number, t.Session.ID,
			t.Asker.ID, session.PlaceOf(ref).Name(), ref.Thread, t.Intake.Format("2006-01-02 15:04:05 UTC")); err != nil {
			return err
		}
	} else if _, err := fmt.Fprintf(env.out, "%sMessage %s in %s\n", gap, e.Verdict.Message, session.PlaceOf(e.Verdict.Ref).Name()); err != nil {
		return err
	}
	for _, line := range e.Sentences(func(document.ID) bool { return true }) {
		if _, err := fmt.Fprintln(env.out, line); err != nil {
			return err
		}
	}
	return nil
}
