package review

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/spend"
)

// Store provides stored conversations to a Reader. It is safe for concurrent use.
type Store interface {
	command.Explained
	Turn(ctx context.Context, tenant access.TenantID, id session.TurnID) (session.Turn, error)
	// Questions returns the questions that a scope allows, newest first.
	Questions(ctx context.Context, tenant access.TenantID, s Scope, q Query) ([]Question, error)
	// Conversation returns all questions of a turn's session, oldest first. It does not check
	// permissions.
	Conversation(ctx context.Context, tenant access.TenantID, id session.TurnID) ([]Question, error)
}

// Library checks which documents may be read now. It is safe for concurrent use.
type Library interface {
	// Readable returns the documents that exist and that everyone in the audience may read.
	Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
	// Chunks returns the chunks that exist and that the audience may read.
	Chunks(ctx context.Context, audience access.Audience, ids []document.ChunkID) ([]retrieve.Passage, error)
	session.Quotes
}

// Reader returns the questions and answers that viewers open. It is safe for concurrent use.
type Reader struct {
	Tenant  access.TenantID
	Store   Store
	Library Library
	Prices  func() spend.Prices
}

// Detail is one question with everything about it that the viewer may see.
type Detail struct {
	Question
	Session session.ID
	// Answer is the answer in Markdown, in the form that readers saw. It is empty if Withheld is
	// set.
	Answer      string
	CorrectedBy string // author of the correction that Answer holds; empty: not corrected
	// Withheld says that the answer is hidden. The answer uses a document that the viewer may not
	// read, or text that was taken back. Searches are hidden too, because their words may come from
	// that document.
	Withheld  bool
	Reference string
	Citations []Cited        // only those that the viewer may read
	Closest   []document.Ref // only those that the viewer may read
	Why       []string       // sentences about the decision, each search and the outcome
	Models    []Used
	Thread    []Question // questions of the conversation that the viewer may see
}

// Cited is a citation with its passages.
type Cited struct {
	message.Citation
	Passages []string // current text in the index; empty if the passages changed
}

// Used is the number of tokens that one model used, and their cost at current prices.
type Used struct {
	Model         string
	Input, Output int
	Cost          spend.Amount
	Currency      string // empty: the model has no price
}

// Open returns a question and those parts of its answer that the viewer may see. The error is
// session.ErrUnknownTurn if the question does not exist or the viewer may not see it.
func (r Reader) Open(ctx context.Context, v Viewer, id session.TurnID) (Detail, error) {
	all, err := r.Store.Conversation(ctx, r.Tenant, id)
	if err != nil {
		return Detail{}, fmt.Errorf("open question %s: %w", id, err)
	}
	scope := v.Scope()
	all = slices.DeleteFunc(all, func(q Question) bool { return !scope.May(q) })
	at := slices.IndexFunc(all, func(q Question) bool { return q.Turn == id })
	if at < 0 {
		return Detail{}, fmt.Errorf("open question %s: %w", id, session.ErrUnknownTurn)
	}
	d := Detail{Question: all[at], Thread: all}
	turn, err := r.Store.Turn(ctx, r.Tenant, id)
	if err != nil {
		return Detail{}, err
	}
	d.Session = turn.Session.ID
	e, err := command.Inspector{Store: r.Store}.Turn(ctx, turn)
	if err != nil {
		return Detail{}, fmt.Errorf("open question %s: %w", id, err)
	}
	return d, r.fill(ctx, v.Audience, e, &d)
}

func (r Reader) fill(ctx context.Context, audience access.Audience, e command.Explanation, d *Detail) error {
	saved := e.Saved
	readable, err := r.readable(ctx, audience, saved)
	if err != nil {
		return err
	}
	may := func(id document.ID) bool { return readable[id] }
	whole, err := r.mayReadAll(ctx, saved, may)
	if err != nil {
		return err
	}
	d.Withheld, d.Reference = !whole, saved.Reference
	prices := r.Prices()
	for _, run := range saved.Runs {
		u := Used{Model: run.Model, Input: run.Usage.Input, Output: run.Usage.Output}
		if price, known := prices.Models[run.Model]; known {
			u.Cost, u.Currency = price.Of(run.Usage), prices.Currency
		}
		d.Models = append(d.Models, u)
	}
	best, _ := saved.Best()
	answer, _ := best.Answer()
	cited := answer.Citations
	if saved.Removed == nil {
		d.Answer = best.Shown
		if saved.Correction != nil {
			d.Answer, cited = saved.Correction.Shown(answer)
			d.CorrectedBy = saved.Correction.By.Called()
		}
	}
	if d.Withheld {
		d.Answer = ""
		e.Saved.Plan, e.Saved.Runs = nil, withoutSearches(saved.Runs)
	}
	d.Why = e.Sentences(may)
	for _, ref := range best.Ending.Closest {
		if may(ref.ID) {
			d.Closest = append(d.Closest, ref)
		}
	}
	cited = slices.DeleteFunc(slices.Clone(cited), func(c message.Citation) bool { return !may(c.Document.ID) })
	d.Citations, err = r.cited(ctx, audience, cited, answer.Documents)
	return err
}

func withoutSearches(runs []session.Run) []session.Run {
	bare := slices.Clone(runs)
	for i := range bare {
		bare[i].Searches = nil
	}
	return bare
}

func (r Reader) readable(ctx context.Context, audience access.Audience, saved session.Saved) (map[document.ID]bool, error) {
	ids := saved.RestsOn()
	for _, row := range saved.Plan {
		for _, c := range row.Citations {
			ids = append(ids, c.Document.ID)
		}
	}
	for _, run := range saved.Runs {
		for _, a := range run.Searches {
			for _, f := range a.Found {
				ids = append(ids, f.Document)
			}
		}
	}
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) == 0 {
		return nil, nil
	}
	readable, err := r.Library.Readable(ctx, audience, ids)
	if err != nil {
		return nil, fmt.Errorf("find out what the viewer may read: %w", err)
	}
	return readable, nil
}

// mayReadAll reports whether the viewer may read every document that an answer uses. It is false if
// text that the answer uses no longer exists.
func (r Reader) mayReadAll(ctx context.Context, saved session.Saved, may func(document.ID) bool) (bool, error) {
	if slices.ContainsFunc(saved.RestsOn(), func(id document.ID) bool { return !may(id) }) {
		return false, nil
	}
	for _, row := range saved.Plan {
		if slices.ContainsFunc(row.Citations, func(c message.Citation) bool { return !may(c.Document.ID) }) {
			return false, nil
		}
	}
	var shown []message.Reference
	for _, run := range saved.Runs {
		shown = append(shown, message.Shown(run.Messages)...)
	}
	if len(shown) == 0 {
		return true, nil
	}
	stands, err := r.Library.Standing(ctx, r.Tenant, shown)
	if err != nil {
		return false, fmt.Errorf("find out what of the answer was taken back: %w", err)
	}
	return !slices.Contains(stands, false), nil
}

// cited adds the passages to each citation. It reads them from the index instead of the stored
// answer, so text that was removed from a document stays hidden.
func (r Reader) cited(ctx context.Context, audience access.Audience, citations []message.Citation, shown []message.Reference) ([]Cited, error) {
	of := make(map[int][]document.ChunkID)
	var ids []document.ChunkID
	for _, c := range citations {
		for _, ref := range shown {
			if ref.Number == c.ModelSees && ref.Chunk != nil && ref.Document.ID == c.Document.ID && !slices.Contains(of[c.ModelSees], *ref.Chunk) {
				of[c.ModelSees] = append(of[c.ModelSees], *ref.Chunk)
				ids = append(ids, *ref.Chunk)
			}
		}
	}
	texts := make(map[document.ChunkID]string, len(ids))
	if len(ids) > 0 {
		passages, err := r.Library.Chunks(ctx, audience, ids)
		if err != nil {
			return nil, fmt.Errorf("fetch cited passages: %w", err)
		}
		for _, p := range passages {
			texts[p.ID] = p.Chunk.Shown()
		}
	}
	all := make([]Cited, len(citations))
	for i, c := range citations {
		c.Quote = "" // it may contain text that the document no longer has
		all[i].Citation = c
		for _, id := range of[c.ModelSees] {
			if text := texts[id]; text != "" {
				all[i].Passages = append(all[i].Passages, text)
			}
		}
	}
	return all, nil
}

// Piece is a part of an answer: either text or the number of a citation.
type Piece struct {
	Text string
	Note int
}

// note matches a citation in an answer, such as "[[2]](address)" or "[[2]]".
var note = regexp.MustCompile(`\[\[(\d{1,4})\]\]\([^()\s]*\)|\[\[(\d{1,4})\]\]`)

// Pieces splits an answer into text and citations. Pages use it to link citations to their sources.
func Pieces(answer string) []Piece {
	var all []Piece
	at := 0
	for _, m := range note.FindAllStringSubmatchIndex(answer, -1) {
		group := 2
		if m[2] < 0 {
			group = 4
		}
		n, err := strconv.Atoi(answer[m[group]:m[group+1]])
		if err != nil || n == 0 {
			continue
		}
		if m[0] > at {
			all = append(all, Piece{Text: answer[at:m[0]]})
		}
		all, at = append(all, Piece{Note: n}), m[1]
	}
	if at < len(answer) {
		all = append(all, Piece{Text: answer[at:]})
	}
	return all
}
