package mcp

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/turn"
)

const (
	// AskTimeout is the time limit for one call of the tool ask.
	AskTimeout = 5 * time.Minute
	// maxQuestion is the maximum length of a question in characters.
	maxQuestion = 100_000
)

// Loop answers questions for the tool ask. It must be safe for concurrent use.
type Loop interface {
	// Alone answers a question as in a conversation with one person. Only the person who asked
	// sees the result, and nothing is stored. Alone calls still before each step. If still fails,
	// or when ctx ends, it ends the turn.
	Alone(ctx context.Context, t session.Turn, still func(context.Context) error, sink packet.Sink) (turn.Report, error)
	// Readable returns the documents that exist and that the audience may read at the time of the
	// call.
	Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
}

const (
	rightsChanged = "What you may read changed while the question was answered, so the answer is not shown. Ask again."
	answerCut     = "The answer was cut because it is longer than a result can be. Ask for less."
)

// Asked is the result of the tool ask. Its JSON names are stable.
type Asked struct {
	Answer  string          `json:"answer"` // Markdown with numbered links
	Outcome session.Outcome `json:"outcome"`
	Sources []AskedSource   `json:"sources,omitempty"`
	Closest []AskedSource   `json:"closest,omitempty"` // if nothing was found
	Notes   []string        `json:"notes,omitempty"`
}

// AskedSource is a document that an answer cites, or a document that is close to the question.
type AskedSource struct {
	Number  int    `json:"number,omitempty"`
	Page    string `json:"page_id,omitempty"`
	Title   string `json:"title"`
	Section string `json:"section,omitempty"`
	URL     string `json:"url,omitempty"`
	Source  string `json:"source,omitempty"`
	Updated string `json:"updated,omitempty"`
}

// Ask calls the tool ask like [Service.Call], and returns its result as data.
func (s *Service) Ask(ctx context.Context, c Caller, question string) (Asked, error) {
	arguments, err := json.Marshal(map[string]string{"question": question})
	if err != nil {
		return Asked{}, fmt.Errorf("encode a question: %w", err)
	}
	text, err := s.Call(ctx, c, AskName, arguments)
	if err != nil {
		return Asked{}, err
	}
	var asked Asked
	if err := json.Unmarshal([]byte(strings.TrimPrefix(text, fence+"\n")), &asked); err != nil {
		return Asked{}, fmt.Errorf("decode an answer: %w", err)
	}
	return asked, nil
}

func (s *Service) ask(ctx context.Context, r reader, arguments json.RawMessage) (output, error) {
	var asked struct {
		Question string `json:"question"`
	}
	if err := parseArguments(arguments, &asked); err != nil {
		return output{}, err
	}
	asked.Question = strings.TrimSpace(asked.Question)
	switch n := utf8.RuneCountInString(asked.Question); {
	case n == 0:
		return output{}, Refusal(`There is no question: write {"question": "…"}.`)
	case n > maxQuestion:
		return output{}, Refusal(fmt.Sprintf("The question has %d characters. At most %d can be read.", n, maxQuestion))
	}
	filters, err := s.Filter()
	if err != nil {
		return output{}, err
	}
	if said := filters.Refuse(asked.Question); said != "" {
		return output{}, Refusal(said)
	}
	sink, end := progress(ctx, r.caller.Progress)
	report, err := s.Loop.Alone(ctx, session.Turn{
		ID: session.TurnID("mcp-" + strings.ToLower(rand.Text()[:10])), Audience: r.audience, Direct: true, Asker: thread.Person{ID: r.caller.Who.ID},
		Session:  session.Session{Tenant: s.Tenant, Ref: thread.Ref{Platform: r.caller.At.Platform, Workspace: r.caller.At.Workspace, Channel: r.caller.At.Channel}},
		Question: message.Message{Role: message.User, Text: asked.Question, At: s.Now()},
	}, func(ctx context.Context) error { return s.checkUnchanged(ctx, r) }, sink)
	end()
	if err := errors.Join(err, ctx.Err()); err != nil {
		return output{}, err
	}
	return s.askedResult(ctx, r, report.Best())
}

func (s *Service) checkUnchanged(ctx context.Context, r reader) error {
	if r.caller.valid != nil {
		if err := r.caller.valid(ctx); err != nil {
			return err
		}
	}
	now, err := s.audience(ctx, r.caller)
	if err == nil && now.Key() != r.audience.Key() {
		err = Refusal(rightsChanged)
	}
	return err
}

// askedResult converts an answer to the result of the tool ask. It returns a Refusal if the turn
// failed, or if the person may no longer read a document that the answer is based on.
func (s *Service) askedResult(ctx context.Context, r reader, a turn.Answer) (output, error) {
	if err := s.checkUnchanged(ctx, r); err != nil {
		return output{}, err
	}
	var refusal Refusal
	if errors.As(a.Cause, &refusal) {
		return output{}, refusal
	}
	var read []document.Ref // without duplicates
	var ids []document.ID
	for _, d := range append(turn.Documents(slices.Concat(a.References, a.Inherited)), a.Ending.Closest...) {
		if d.ID != "" && !slices.Contains(ids, d.ID) {
			read, ids = append(read, d), append(ids, d.ID)
		}
	}
	readable, err := s.Loop.Readable(ctx, r.audience, ids)
	if err != nil {
		return output{}, err
	}
	if slices.ContainsFunc(ids, func(id document.ID) bool { return !readable[id] }) {
		return output{}, Refusal(rightsChanged)
	}
	result := Asked{Answer: a.Shown, Outcome: a.Ending.Outcome, Notes: slices.Clone(a.Notices)}
	said := string(a.Ending.Sentence)
	switch {
	case a.Ending.Outcome != session.Answered && a.Ending.Outcome != session.NoEvidence:
		return output{}, Refusal(strings.TrimSpace(cmp.Or(said, string(failedCall)) + referenceCode(a.Ending.Reference)))
	case result.Answer == "":
		result.Answer = said
	case said != "":
		result.Notes = append(result.Notes, said)
	}
	for _, c := range a.Citations {
		result.Sources = append(result.Sources, AskedSource{
			Number: c.Number, Page: string(c.Document.ID), Title: c.Document.Title, Section: c.Section, URL: c.Link, Source: string(c.Document.Kind), Updated: formatDate(c.Document.UpdatedAt),
		})
	}
	for _, d := range a.Ending.Closest {
		result.Closest = append(result.Closest, AskedSource{Page: string(d.ID), Title: d.Title, URL: d.Link(""), Source: string(d.Kind), Updated: formatDate(d.UpdatedAt)})
	}
	render := func(text string) string { return s.Render(text, a.Citations) }
	if r.caller.Door == Page { // the page shows Markdown as text
		render = func(text string) string { return text }
	}
	text, err := s.fitResult(ctx, result, render)
	if err != nil {
		return output{}, err
	}
	out := output{text: text}
	for _, d := range read { // the answer may repeat any of them
		as := session.Read
		if slices.ContainsFunc(a.Citations, func(c message.Citation) bool { return c.Document.ID == d.ID }) {
			as = session.Cited
		}
		out.shown = append(out.shown, session.Shown{Document: d.ID, Source: d.Source, URL: d.URL, As: as})
	}
	return out, nil
}

func referenceCode(reference string) string {
	if reference == "" {
		return ""
	}
	return " (code " + reference + ")"
}

func formatDate(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format("2006-01-02")
}

// fitResult encodes a result as text, with filtered titles and notes, and cuts it to maxText
// tokens. It does not filter the answer, which has already passed the filters. It renders the
// answer after each cut, because a cut can end a code span in which an address is no link.
func (s *Service) fitResult(ctx context.Context, result Asked, render func(string) string) (string, error) {
	filters, err := s.Filter()
	if err != nil {
		return "", err
	}
	var titles []*string
	for _, list := range [][]AskedSource{result.Sources, result.Closest} {
		for i := range list {
			titles = append(titles, &list[i].Title, &list[i].Section)
		}
	}
	if filters.Screens() {
		texts := titles
		for i := range result.Notes {
			texts = append(texts, &result.Notes[i])
		}
		if err := filterTexts(ctx, filters, texts...); err != nil {
			return "", err
		}
	}
	for _, title := range titles {
		if *title != "" {
			*title = cite.SafeTitle(*title)
		}
	}
	whole := result.Answer
	for {
		result.Answer = render(whole)
		data, err := json.Marshal(result)
		if err != nil {
			return "", fmt.Errorf("encode an answer: %w", err)
		}
		text := fence + "\n" + string(data)
		if s.Counter.Count(text) <= maxText {
			return text, nil
		}
		shorter := shorten(whole)
		if shorter == whole && len(result.Sources)+len(result.Closest) == 0 {
			return "", Refusal(answerCut)
		}
		whole = shorter
		result.Sources = slices.DeleteFunc(result.Sources, func(c AskedSource) bool { return !strings.Contains(shorter, fmt.Sprintf("[[%d]]", c.Number)) })
		result.Closest = result.Closest[:len(result.Closest)/2]
		if !slices.Contains(result.Notes, answerCut) {
			result.Notes = append(result.Notes, answerCut)
		}
	}
}

// shorten returns at most the first three quarters of a text. It cuts at the end of a line. If
// there is only one line, it does not cut inside a link.
func shorten(text string) string {
	runes := []rune(text)
	part := string(runes[:len(runes)*3/4])
	if at := strings.LastIndex(part, "\n"); at > 0 {
		return strings.TrimSpace(part[:at])
	}
	if open := strings.LastIndex(part, "[["); open >= 0 && !strings.Contains(part[open:], ")") {
		part = part[:open]
	}
	return strings.TrimSpace(part)
}

// progress returns a sink that passes descriptions of a turn's progress to tell, and a function
// that stops it. A slow client does not block the turn, because it receives only the latest
// description.
func progress(ctx context.Context, tell func(context.Context, string)) (sink packet.Sink, end func()) {
	if tell == nil {
		return packet.SinkFunc(func(packet.Packet) {}), func() {}
	}
	news := make(chan string, 1)
	var telling sync.WaitGroup
	telling.Go(func() {
		for text := range news {
			tell(ctx, text)
		}
	})
	last := ""
	return packet.SinkFunc(func(p packet.Packet) {
			if said := describePacket(p.Payload); said != "" {
				last = said
			} else if _, quiet := p.Payload.(packet.Heartbeat); !quiet || last == "" {
				return
			}
			select {
			case <-news: // the client has not received it yet
			default:
			}
			news <- last
		}), func() {
			close(news)
			telling.Wait()
		}
}

func describePacket(p packet.Payload) string {
	switch p := p.(type) {
	case packet.SearchQueries:
		return "Searching: " + strings.Join(p.Queries, "; ")
	case packet.SearchDocuments:
		return "Found " + plural.Count(len(p.Documents), "document") + "."
	case packet.OpenURLAddresses:
		return "Reading " + plural.Count(len(p.URLs), "page") + "."
	case packet.ReasoningStart:
		return "Thinking."
	case packet.MessageStart:
		return "Writing the answer."
	}
	return ""
}
