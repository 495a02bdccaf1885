package extract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/llm"
	"golang.org/x/sync/errgroup"
)

const (
	// Calls is the maximum number of concurrent calls of the model. If a process dies, only these
	// calls are lost.
	Calls = 4
	// callTimeout is the time limit for one passage, including a retry. A run can last this much
	// longer than planned, because it waits for calls that have begun.
	callTimeout = 40 * time.Second
	// dueStep is the number of documents that are fetched at once.
	dueStep = 20
	// longestReply is the maximum length of a reply in bytes. It stops providers that ignore
	// ReplyTokens.
	longestReply = 1 << 20
	// settleTimeout is the time limit for storing an outcome after the run was cancelled.
	settleTimeout = 5 * time.Second
)

// Config configures a [Reader].
type Config struct {
	Schema Schema
	// Room is called before each text. It returns llm.ErrBudget if the budget is spent. A nil Room
	// allows everything.
	Room func(ctx context.Context) error
	// Observe receives each final outcome of a text that the model was asked about. It may be nil.
	Observe func(Outcome)
}

// Reader asks a model which relations documents state, and stores them. It is safe for concurrent
// use.
type Reader struct {
	model        llm.Model
	store        Store
	config       Config
	promptDigest Digest
}

// New returns a Reader. The model must retry transient failures itself, as [llm.Chain] does.
func New(model llm.Model, store Store, config Config) *Reader {
	config.Schema = config.Schema.withDefaults()
	if config.Room == nil {
		config.Room = func(context.Context) error { return nil }
	}
	if config.Observe == nil {
		config.Observe = func(Outcome) {}
	}
	return &Reader{model: model, store: store, config: config, promptDigest: config.Schema.digest(model.Info().Name)}
}

// Way returns a digest of the model's name and instructions. If it changes, documents must be read
// again.
func (r *Reader) Way() Digest { return r.promptDigest }

// Progress counts what a [Reader.Run] has done so far.
type Progress struct {
	Documents int // documents whose statements were stored
	Read      int // texts that the model was asked about and answered
	Failed    int // texts without a usable reply
	Stated    int // relations found
	Dropped   int // relations that failed validation
	Waiting   int // texts claimed by another process or deferred to a later run
	Stopped   error
}

type run struct {
	*Reader
	tenant access.TenantID
	report func(Progress)

	mu      sync.Mutex
	sum     Progress
	stopped error
}

// Run reads each document that was not yet read. It makes no call after until; a zero until means
// no limit. more reports whether work was left at that time.
//
// Run ends early, with Progress.Stopped, if the budget is spent or the model cannot be called. It
// stores the results up to then, and a later Run continues. Run calls report after each text, never
// concurrently.
func (r *Reader) Run(ctx context.Context, tenant access.TenantID, until time.Time, report func(Progress)) (p Progress, more bool, err error) {
	w := &run{Reader: r, tenant: tenant, report: report}
	ctx = access.WithTenant(ctx, tenant)
	var last Document
	for {
		docs, err := r.store.Due(ctx, tenant, r.promptDigest, last, dueStep)
		if err != nil || len(docs) == 0 {
			return w.progress(), false, err
		}
		if err := w.read(ctx, docs, until); err != nil {
			return w.progress(), false, err
		}
		if w.stop(nil) {
			return w.progress(), false, nil
		}
		if late(until) {
			return w.progress(), true, nil
		}
		last = docs[len(docs)-1]
	}
}

func late(until time.Time) bool { return !until.IsZero() && time.Now().After(until) }

func (w *run) progress() Progress {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sum.Stopped = w.stopped
	return w.sum
}

// count changes the progress with the given function and reports the result. It must be called
// without mu held.
func (w *run) count(change func(*Progress)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(&w.sum)
	if w.report != nil {
		w.report(w.sum)
	}
}

// stop ends the run for the reason why, unless why is nil or the run has already ended. It reports
// whether the run has ended, so that no further call may be made.
func (w *run) stop(why error) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped == nil {
		w.stopped = why
	}
	return w.stopped != nil
}

// texts returns the distinct passages of documents by digest. order lists their digests in reading
// order. of lists, for each document, the digests of its passages.
func (r *Reader) texts(docs []Document) (of [][]Digest, passages map[Digest]string, order []Digest) {
	passages = make(map[Digest]string)
	for _, d := range docs {
		var digests []Digest
		for _, p := range d.Passages {
			p.Title = d.Title
			text := p.fullText()
			digest := digestOf(string(r.promptDigest[:]), text)
			digests = append(digests, digest)
			if _, twice := passages[digest]; !twice {
				passages[digest] = text
				order = append(order, digest)
			}
		}
		of = append(of, digests)
	}
	return of, passages, order
}

// read asks the model about passages that have no stored result. It stores the facts of a document
// only if all its passages have a result.
func (w *run) read(ctx context.Context, docs []Document, until time.Time) error {
	of, passages, order := w.texts(docs)
	known, err := w.store.Known(ctx, w.tenant, order)
	if err != nil {
		return err
	}
	unread := slices.DeleteFunc(order, func(text Digest) bool {
		_, settled := known[text]
		return settled
	})
	var mu sync.Mutex // guards known
	group, calls := errgroup.WithContext(ctx)
	group.SetLimit(Calls)
	for _, digest := range unread {
		group.Go(func() error {
			if calls.Err() != nil || late(until) || w.stop(nil) {
				return nil
			}
			outcome, err := w.outcomeOf(calls, digest, passages[digest])
			if err != nil {
				return err
			}
			if !outcome.Again {
				mu.Lock()
				defer mu.Unlock()
				known[digest] = outcome
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for i, d := range docs {
		var facts []knowledge.Fact
		whole := true
		for chunk, digest := range of[i] {
			outcome, settled := known[digest]
			if whole = whole && settled; settled {
				facts = append(facts, Facts(outcome.Found, chunk)...)
			}
		}
		if !whole {
			continue
		}
		if err := w.store.Write(ctx, w.tenant, w.promptDigest, d, of[i], facts); err != nil {
			return err
		}
		w.count(func(p *Progress) { p.Documents++ })
	}
	return nil
}

func (w *run) outcomeOf(ctx context.Context, digest Digest, passage string) (Outcome, error) {
	again := Outcome{Again: true}
	claim, err := w.store.Claim(ctx, w.tenant, digest)
	switch {
	case err != nil:
		return again, err
	case claim == Elsewhere:
		w.count(func(p *Progress) { p.Waiting++ })
		return again, nil
	case claim == Settled:
		known, err := w.store.Known(ctx, w.tenant, []Digest{digest})
		if outcome, there := known[digest]; there || err != nil {
			return outcome, err
		}
		return again, nil
	}
	outcome := again
	if err := w.config.Room(ctx); err != nil {
		w.stop(err)
	} else {
		outcome = w.askModel(ctx, passage)
	}
	// Even after ctx ended, a paid outcome is stored and an unused claim is released.
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	if err := w.store.Settle(after, w.tenant, digest, outcome); err != nil {
		return again, err
	}
	if ctx.Err() != nil {
		return again, context.Cause(ctx)
	}
	w.count(func(p *Progress) {
		switch {
		case outcome.Read:
			p.Read, p.Stated, p.Dropped = p.Read+1, p.Stated+len(outcome.Found), p.Dropped+outcome.Dropped
		case outcome.Again:
			p.Waiting++
		default:
			p.Failed++
		}
	})
	if !outcome.Again {
		w.config.Observe(outcome)
	}
	return outcome, nil
}

func (w *run) askModel(parent context.Context, passage string) Outcome {
	ctx, cancel := context.WithTimeoutCause(parent, callTimeout, errSlow)
	defer cancel()
	began := time.Now()
	var err error
	for range 2 {
		var text string
		if text, err = w.stream(ctx, passage); err == nil {
			var r reply
			if r, err = readReply(text); err == nil {
				found, dropped := w.config.Schema.validate(passage, r)
				return Outcome{Read: true, Found: found, Dropped: dropped, Took: time.Since(began)}
			}
		}
		if !errors.Is(err, errReply) {
			break
		}
	}
	switch {
	case parent.Err() != nil:
		return Outcome{Again: true}
	case errors.Is(err, errReply), errors.Is(err, llm.ErrRefused), errors.Is(err, llm.ErrContextTooLong), errors.Is(err, llm.ErrEmpty):
		return Outcome{Reason: err.Error()}
	case errors.Is(context.Cause(ctx), errSlow):
		w.stop(errSlow)
		return Outcome{Again: true, Counted: true}
	}
	w.stop(err)
	return Outcome{Again: true, Counted: errors.Is(err, llm.ErrBadRequest)}
}

var errSlow = fmt.Errorf("the model did not read a passage within %s: use a faster one, or ask later", callTimeout)

func (w *run) stream(ctx context.Context, passage string) (string, error) {
	var b strings.Builder
	for d, err := range w.model.Stream(ctx, w.config.Schema.request(passage)) {
		if err != nil {
			return "", err
		}
		if d.Finish == llm.FinishRefusal {
			return "", llm.ErrRefused
		}
		b.WriteString(d.Text)
		if b.Len() > longestReply {
			break
		}
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	return b.String()[:min(b.Len(), longestReply)], nil
}
