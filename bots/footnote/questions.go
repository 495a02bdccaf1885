package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/footnotehq/footnote/core/thread"
)

type questionsCommand struct {
	List questionsList `cmd:"" default:"withargs" help:"List questions, the newest first. Private questions are counted and not listed."`
	Show questionsShow `cmd:"" help:"Show a question with its answer, what it cites, each search and what it cost."`
}

type questionsList struct {
	Outcome string `name:"outcome" placeholder:"OUTCOME" enum:",answered,no_evidence,refused,not_permitted,stopped,limited,failed" default:"" help:"Only with this outcome: answered, no_evidence, refused, not_permitted, stopped, limited or failed."`
	Who     string `name:"who" placeholder:"PERSON" help:"Only what this person asked: an id of the platform, or a name."`
	Channel string `name:"channel" placeholder:"ID" help:"Only what was asked in this channel, by its id."`
	Since   string `name:"since" placeholder:"WHEN" help:"Only since this day (2026-01-31), moment (RFC 3339), or so long ago (7d, 36h)."`
	Until   string `name:"until" placeholder:"WHEN" help:"Only before this; written like --since."`
	Text    string `name:"text" placeholder:"WORDS" help:"Only questions with these words, each from its beginning."`
	Wanting bool   `name:"wanting" help:"Only where an answer was missing or wanting: nothing was found or cited, or a person voted it down, asked again or corrected it."`
	Limit   int    `name:"limit" default:"50" help:"At most so many, the newest."`
	JSON    bool   `name:"json" help:"Print one JSON object."`
}

// questionsJSON is the output of questions --json. Its field names are stable.
type questionsJSON struct {
	Counts    review.Counts  `json:"counts"` // counts of the period, without other filters
	Questions []questionJSON `json:"questions"`
}

type questionJSON struct {
	Turn         session.TurnID  `json:"turn"`
	At           time.Time       `json:"at"`
	Platform     thread.Platform `json:"platform"`
	Workspace    string          `json:"workspace"`
	Channel      string          `json:"channel"`
	Thread       string          `json:"thread"`
	Private      bool            `json:"private"`
	Person       string          `json:"person"`
	Name         string          `json:"name"`
	Question     string          `json:"question"`
	Outcome      session.Outcome `json:"outcome"` // empty: it is being answered
	FirstWordsMS int64           `json:"first_words_ms,omitempty"`
	TotalMS      int64           `json:"total_ms,omitempty"`
	Up           int             `json:"up"`
	Down         int             `json:"down"`
	Retried      bool            `json:"retried"`
	Corrected    bool            `json:"corrected"`
	Removed      bool            `json:"removed"`
	Uncited      bool            `json:"uncited"`
}

func questionOf(q review.Question) questionJSON {
	return questionJSON{
		Turn: q.Turn, At: q.At, Platform: q.Ref.Platform, Workspace: q.Ref.Workspace, Channel: q.Ref.Channel, Thread: q.Ref.Thread, Private: q.Private(),
		Person: q.Asker.ID, Name: q.Asker.Name, Question: q.Text, Outcome: q.Outcome, FirstWordsMS: q.FirstWords.Milliseconds(), TotalMS: q.Took.Milliseconds(),
		Up: q.Up, Down: q.Down, Retried: q.Retried, Corrected: q.Corrected, Removed: q.Removed, Uncited: q.Uncited,
	}
}

// Run executes "footnote questions list".
func (c *questionsList) Run(ctx context.Context, env *environment) error {
	if c.Limit < 1 {
		return usageError("--limit must be at least 1")
	}
	query := review.Query{Outcome: session.Outcome(c.Outcome), Person: c.Who, Channel: c.Channel, Text: c.Text, Unsatisfying: c.Wanting, Limit: c.Limit}
	now := time.Now()
	var bad [2]error
	query.Since, bad[0] = parseMoment("--since", c.Since, now)
	query.Until, bad[1] = parseMoment("--until", c.Until, now)
	if err := errors.Join(bad[:]...); err != nil {
		return usageError(err.Error())
	}
	return env.withBase(ctx, func(base *wire.Base) error {
		scope := base.TerminalViewer(operator()).Scope()
		found, err := base.Sessions().Questions(ctx, base.Tenant, scope, query)
		if err != nil {
			return err
		}
		counts, err := base.Sessions().QuestionCounts(ctx, base.Tenant, scope, query.Since, query.Until)
		if err != nil {
			return err
		}
		if c.JSON {
			out := questionsJSON{Counts: counts, Questions: make([]questionJSON, len(found))}
			for i, q := range found {
				out.Questions[i] = questionOf(q)
			}
			return newEncoder(env.stdout).Encode(out)
		}
		return printQuestions(env, found, counts)
	})
}

func printQuestions(env *environment, found []review.Question, counts review.Counts) error {
	if len(found) > 0 {
		table := tabwriter.NewWriter(env.out, 0, 4, 2, ' ', 0)
		fmt.Fprintln(table, "WHEN\tBY\tCHANNEL\tOUTCOME\tVOTES\tTURN\tQUESTION")
		for _, q := range found {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", q.At.Local().Format("2006-01-02 15:04"), plain(cmp.Or(q.Asker.Name, q.Asker.ID)), plain(q.Ref.Channel), outcomeOf(q),
				votesOf(q), q.Turn, shortQuestion(plain(q.Text)))
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	note := fmt.Sprintf("%s of %d.", plural.Count(len(found), "question"), counts.Seen)
	if counts.Private > 0 {
		note += fmt.Sprintf(" %s of other people not listed.", plural.Count(counts.Private, "private question"))
	}
	_, err := fmt.Fprintln(env.errs, note)
	return err
}

func outcomeOf(q review.Question) string {
	switch {
	case q.Removed:
		return "removed"
	case q.Corrected:
		return "corrected"
	case q.Outcome == "":
		return "waiting"
	}
	return string(q.Outcome)
}

func votesOf(q review.Question) string {
	if q.Up+q.Down == 0 {
		return "-"
	}
	return fmt.Sprintf("+%d -%d", q.Up, q.Down)
}

func shortQuestion(text string) string {
	if runes := []rune(text); len(runes) > maxFeedbackQuestion {
		return string(runes[:maxFeedbackQuestion-1]) + "…"
	}
	return text
}

type questionsShow struct {
	Ref  string `arg:"" help:"A turn's id as the list has it, a reference that an answer shows, or a link to a message."`
	JSON bool   `name:"json" help:"Print a JSON array."`
}

// questionDetailJSON is the output of questions show --json. Its field names are stable.
type questionDetailJSON struct {
	questionJSON
	Session     session.ID          `json:"session"`
	Answer      string              `json:"answer"`
	Withheld    bool                `json:"withheld"` // see review.Detail
	CorrectedBy string              `json:"corrected_by,omitempty"`
	Reference   string              `json:"reference,omitempty"`
	Citations   []citedPassagesJSON `json:"citations"`
	Closest     []closestJSON       `json:"closest"`
	Why         []string            `json:"why"`
	Models      []usedModelJSON     `json:"models"`
}

type citedPassagesJSON struct {
	citationJSON
	Passages []string `json:"passages"`
}

type closestJSON struct {
	DocumentID document.ID `json:"document_id"`
	Title      string      `json:"title"`
	URL        string      `json:"url"`
}

type usedModelJSON struct {
	Model    string        `json:"model"`
	Input    int           `json:"input_tokens"`
	Output   int           `json:"output_tokens"`
	Cost     *spend.Amount `json:"cost,omitempty"`
	Currency string        `json:"currency,omitempty"`
}

// Run executes "footnote questions show".
func (c *questionsShow) Run(ctx context.Context, env *environment) error {
	return env.withBase(ctx, func(base *wire.Base) error {
		meant, err := explain(ctx, base, c.Ref)
		if err != nil {
			return err
		}
		viewer := base.TerminalViewer(operator())
		var found []review.Detail
		for _, e := range meant {
			if e.Turn == nil {
				continue
			}
			d, err := base.Review().Open(ctx, viewer, e.Turn.ID)
			if errors.Is(err, session.ErrUnknownTurn) {
				continue
			}
			if err != nil {
				return err
			}
			found = append(found, d)
		}
		if len(found) == 0 {
			return errors.New("no question is shown: it was not taken in, was deleted, or is another person's private one; footnote why explains the decision")
		}
		if c.JSON {
			out := make([]questionDetailJSON, len(found))
			for i, d := range found {
				out[i] = detailOf(d)
			}
			return newEncoder(env.stdout).Encode(out)
		}
		for i, d := range found {
			if i > 0 {
				d.Text = "\n" + d.Text
			}
			if err := printDetail(env, d); err != nil {
				return err
			}
		}
		return nil
	})
}

func detailOf(d review.Detail) questionDetailJSON {
	out := questionDetailJSON{
		questionJSON: questionOf(d.Question), Session: d.Session, Answer: d.Answer, Withheld: d.Withheld, CorrectedBy: d.CorrectedBy, Reference: d.Reference,
		Citations: []citedPassagesJSON{}, Closest: []closestJSON{}, Why: d.Why, Models: []usedModelJSON{},
	}
	for _, c := range d.Citations {
		out.Citations = append(out.Citations, citedPassagesJSON{Passages: append([]string{}, c.Passages...), citationJSON: citationJSON{
			Number: c.Number, DocumentID: c.Document.ID, Title: c.Document.Title, Section: c.Section, URL: c.Link, Source: c.Document.Kind,
		}})
	}
	for _, r := range d.Closest {
		out.Closest = append(out.Closest, closestJSON{r.ID, r.Title, r.URL})
	}
	for _, m := range d.Models {
		row := usedModelJSON{Model: m.Model, Input: m.Input, Output: m.Output, Currency: m.Currency}
		if m.Currency != "" {
			row.Cost = &m.Cost
		}
		out.Models = append(out.Models, row)
	}
	return out
}

const withheldAnswer = "The answer is not shown: it rests on something that you may not read, or that was taken back."

func printDetail(env *environment, d review.Detail) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", d.Text)
	fmt.Fprintf(&b, "Asked by %s in %s on %s\n", cmp.Or(d.Asker.Name, d.Asker.ID), session.PlaceOf(d.Ref).Name(), d.At.Format("2006-01-02 15:04:05 UTC"))
	fmt.Fprintf(&b, "Turn %s of session %s: %s, votes %s\n", d.Turn, d.Session, outcomeOf(d.Question), votesOf(d.Question))
	switch {
	case d.Withheld:
		fmt.Fprintf(&b, "\n%s\n", withheldAnswer)
	case d.Answer != "":
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(d.Answer))
	}
	if d.CorrectedBy != "" && !d.Withheld {
		fmt.Fprintf(&b, "\nThis is a correction by %s.\n", d.CorrectedBy)
	}
	for _, c := range d.Citations {
		fmt.Fprintf(&b, "\n[%d] %s", c.Number, c.Document.Title)
		if c.Section != "" {
			fmt.Fprintf(&b, ", %s", c.Section)
		}
		if c.Link != "" {
			fmt.Fprintf(&b, "\n    %s", c.Link)
		}
		for _, p := range c.Passages {
			fmt.Fprintf(&b, "\n    | %s", strings.ReplaceAll(strings.TrimSpace(p), "\n", "\n    | "))
		}
		b.WriteByte('\n')
	}
	if len(d.Closest) > 0 {
		b.WriteString("\nClosest documents:\n")
		for _, r := range d.Closest {
			fmt.Fprintf(&b, "- %s\n", strings.TrimSpace(r.Title+" "+r.URL))
		}
	}
	fmt.Fprintf(&b, "\n%s\n", strings.Join(d.Why, "\n"))
	for _, m := range d.Models {
		fmt.Fprintf(&b, "Model %s: %d tokens in, %d out, cost %s\n", m.Model, m.Input, m.Output, costOf(m.Cost, m.Currency))
	}
	_, err := fmt.Fprint(env.out, b.String())
	return err
}
