package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/evaluate"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/session"
)

const (
	exportedUp      = "up"
	exportedDown    = "down"
	exportedRetried = "retried"
	exportedBefore  = "before" // precedes one of the others in its thread
)

// export prints questions for eval --questions. It omits private questions, which only their askers
// may see.
func (c *feedbackCommand) export(ctx context.Context, env *environment, base *wire.Base, since time.Time) error {
	sessions := base.Sessions()
	votes, err := sessions.Feedback(ctx, session.FeedbackQuery{Tenant: base.Tenant, Since: since, Down: c.Down, Limit: c.Limit})
	if err != nil {
		return err
	}
	retried, err := sessions.Retried(ctx, base.Tenant, since, c.Limit)
	if err != nil {
		return err
	}
	kinds := make(map[session.TurnID]string) // a down vote takes precedence
	for _, id := range retried {
		kinds[id] = exportedRetried
	}
	for _, v := range votes {
		switch {
		case v.Private:
		case !v.Up:
			kinds[v.Turn] = exportedDown
		case kinds[v.Turn] == "":
			kinds[v.Turn] = exportedUp
		}
	}
	e := exporter{sessions: sessions, base: base, kinds: kinds, written: make(map[session.TurnID]bool), out: env.out}
	if _, err := fmt.Fprintln(e.out, "id\tkind\tquestion\tpages_regex\tafter\tanswer"); err != nil {
		return err
	}
	for _, v := range votes {
		if !v.Private {
			err = errors.Join(err, e.thread(ctx, v.Turn))
		}
	}
	for _, id := range retried {
		err = errors.Join(err, e.thread(ctx, id))
	}
	if err == nil && e.empty > 0 {
		_, err = fmt.Fprintf(env.errs, "%s for their pages: write into pages_regex what matches the paths of the pages that answer, or %s where the documents have no answer.\n",
			plural.Count(e.empty, "question")+" "+plural.Does(e.empty, "wait"), evaluate.NoPages)
	}
	return err
}

type exporter struct {
	sessions *pgsession.Store
	base     *wire.Base
	kinds    map[session.TurnID]string
	written  map[session.TurnID]bool
	out      io.Writer
	empty    int
}

// thread writes the questions of a thread up to the given turn, each once.
func (e *exporter) thread(ctx context.Context, id session.TurnID) error {
	turn, err := e.sessions.Turn(ctx, e.base.Tenant, id)
	if err != nil {
		return err
	}
	if turn.Session.Owner != "" {
		return nil
	}
	turns, err := e.sessions.TurnsOf(ctx, e.base.Tenant, turn.Session.ID)
	if err != nil {
		return err
	}
	before := session.TurnID("")
	for _, t := range turns {
		if t.Origin.Turn != "" || t.Number > turn.Number || strings.TrimSpace(t.Question.Text) == "" {
			continue
		}
		if !e.written[t.ID] {
			e.written[t.ID] = true
			if err := e.question(ctx, t, before); err != nil {
				return err
			}
		}
		before = t.ID
	}
	return nil
}

func (e *exporter) question(ctx context.Context, t session.Turn, before session.TurnID) error {
	kind := e.kinds[t.ID]
	if kind == "" {
		kind = exportedBefore
	}
	var pages []string
	if kind == exportedUp || kind == exportedBefore { // its cited pages count as right
		saved, err := e.sessions.Saved(ctx, t)
		if err != nil {
			return err
		}
		pages = citedPages(saved)
	}
	expression := ""
	if len(pages) > 0 {
		expression = "^(" + strings.Join(pages, "|") + ")$"
	} else if kind == exportedBefore {
		expression = evaluate.NoPages
	} else {
		e.empty++
	}
	_, err := fmt.Fprintf(e.out, "%s\t%s\t%s\t%s\t%s\t\n", t.ID, kind, strings.Join(strings.Fields(plain(t.Question.Text)), " "), expression, before)
	return err
}

func citedPages(saved session.Saved) []string {
	best, ran := saved.Best()
	answer, answered := best.Answer()
	if !ran || !answered {
		return nil
	}
	var pages []string
	for _, c := range answer.Citations {
		if page := regexp.QuoteMeta(evaluate.Page(c.Document.ID)); page != "" && !slices.Contains(pages, page) {
			pages = append(pages, page)
		}
	}
	return pages
}
