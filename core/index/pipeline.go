package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/footprint"
	"github.com/footnotehq/footnote/core/retrieve"
	"golang.org/x/sync/errgroup"
)

// Config configures a [Pipeline] and [Fill]. Zero fields get their defaults.
type Config struct {
	Workers       int           // documents read and cut at once; one per processor
	Group         int           // documents stored in one transaction; 96
	EmbedBatch    int           // texts per embedding call; 64
	EmbedParallel int           // concurrent embedding calls; 4
	EmbedAttempts int           // per embedding call; 5
	EmbedPause    time.Duration // before the second attempt, doubled for each further one; 500 ms
	Now           func() time.Time
	// Reading is the time limit for reading a document, in addition to Item.Wait, and for cutting
	// the document. The default is the constant Reading.
	Reading time.Duration
	// Until is the time at which Fill pauses, after it has stored vectors. Zero means never.
	Until time.Time
	// StoreEvery is the interval at which Fill stores the vectors of a slow model. Fill then embeds
	// one text at a time. Zero means that Fill embeds whole batches.
	StoreEvery time.Duration
	// Again rebuilds every document from the beginning of its source, including unchanged
	// documents.
	Again bool
	// By is the account that requested the run, for the audit trail. It is empty for scheduled
	// runs.
	By string
	// Context describes documents and passages with a model. It may be nil.
	Context *Contextual
}

func (c Config) withDefaults() Config {
	for _, field := range []struct {
		value     *int
		otherwise int
	}{
		{&c.Workers, runtime.GOMAXPROCS(0)}, {&c.Group, 96}, {&c.EmbedBatch, 64}, {&c.EmbedParallel, 4}, {&c.EmbedAttempts, 5},
	} {
		if *field.value <= 0 {
			*field.value = field.otherwise
		}
	}
	if c.EmbedPause <= 0 {
		c.EmbedPause = 500 * time.Millisecond
	}
	if c.Reading <= 0 {
		c.Reading = Reading
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return c
}

// Pipeline indexes documents from connectors. It is safe for concurrent use by runs over different
// sources.
type Pipeline struct {
	store   Store
	chunker *Chunker
	embed   *embedder // nil without a model
	config  Config
}

// New returns a pipeline that stores documents in store. If model is nil, they get no embedding
// vectors.
func New(store Store, chunker *Chunker, model retrieve.Embedder, config Config) *Pipeline {
	config = config.withDefaults()
	p := &Pipeline{store: store, chunker: chunker, config: config}
	if model != nil {
		p.embed = newEmbedder(model, config)
	}
	return p
}

// settings returns a text that identifies how documents are cut and described. If it changes,
// unchanged documents are read again.
func (p *Pipeline) settings() string { return p.chunker.settings() + p.config.Context.settings() }

// Run synchronises one source with the index. It calls report, which may be nil, after every group
// of documents, never concurrently.
//
// The result counts and names the documents that cannot be read or stored. The error says why the
// run as a whole did not finish. Stored documents always stay, and the next run continues. If ctx
// is cancelled, the error wraps the cause. The cause [ErrPaused] is not recorded as a failure.
func (p *Pipeline) Run(ctx context.Context, tenant access.TenantID, source Connector, report func(Progress)) (Run, error) {
	if report == nil {
		report = func(Progress) {}
	}
	ctx = footprint.ForSources(access.WithTenant(ctx, tenant))
	r := &run{
		Pipeline: p, tenant: tenant, connector: source, report: report,
		seen: make(map[document.ID]struct{}),
		state: Run{
			Source:    source.Source(),
			Settings:  fmt.Sprintf("%s|%s", source.Settings(), p.settings()),
			StartedAt: p.config.Now(),
			Again:     p.config.Again,
			By:        p.config.By,
		},
	}
	r.waitedBefore = r.waited()
	if p.config.Context != nil {
		r.context = &contextRun{Contextual: p.config.Context, tenant: tenant}
	}
	last, err := p.store.Begin(ctx, tenant, r.state)
	if err != nil {
		return r.state, fmt.Errorf("begin to index %s: %w", r.state.Source.Name, err)
	}
	r.trustTimes = last.Settings == r.state.Settings
	r.last = last
	r.state.Checkpoint, r.state.PassStartedAt, r.state.Continues = last.Checkpoint, last.PassStartedAt, last.Continues
	r.state.Slow = maps.Clone(last.Slow)
	since := last.Checkpoint
	resumer, ok := source.(Resumer)
	r.resumer = ok
	switch {
	case last.Continues:
	case p.config.Again:
		since = nil
	case ok:
		since = resumer.Restart(since)
	}
	err = r.synchronise(WithListings(ctx, p.store.Listings(tenant, r.state.Source.ID)), since)
	if r.context != nil {
		if unpaid := r.context.budgetErr.Load(); unpaid != nil {
			r.state.Unpaid = (*unpaid).Error()
		}
	}
	if err != nil && ctx.Err() != nil { // the cancellation caused the error
		err = fmt.Errorf("indexing %s was stopped and continues with the next run: %w", r.state.Source.Name, context.Cause(ctx))
	}
	return r.state, errors.Join(err, r.finish(ctx, err))
}

// Refuse records that a source cannot be read at all, for example because its folder is gone. The
// text of why must be a sentence for the operator.
func (p *Pipeline) Refuse(ctx context.Context, tenant access.TenantID, source document.Source, why error) error {
	run := Run{Source: source, StartedAt: p.config.Now()}
	last, err := p.store.Begin(ctx, tenant, run)
	if err != nil {
		return fmt.Errorf("record that %s cannot be read: %w", source.Name, err)
	}
	run.Checkpoint, run.FinishedAt, run.Error = last.Checkpoint, p.config.Now(), why.Error()
	if err := p.store.Save(ctx, tenant, run); err != nil {
		return fmt.Errorf("record that %s cannot be read: %w", source.Name, err)
	}
	return nil
}

// saveTimeout limits the time to save the outcome of a run, which is saved even after cancellation.
const saveTimeout = 10 * time.Second

// outlastPause returns a context that ends with ctx. If ctx is paused, it ends saveTimeout later,
// so that documents that were read before the pause are stored.
func outlastPause(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	lasting, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	context.AfterFunc(ctx, func() {
		why := context.Cause(ctx)
		if !errors.Is(why, ErrPaused) {
			cancel(why)
			return
		}
		late := time.AfterFunc(saveTimeout, func() { cancel(why) })
		context.AfterFunc(lasting, func() { late.Stop() })
	})
	return lasting, cancel
}

// run is the state of one synchronisation. readBatches and storeStep run concurrently. readBatches
// owns seen, complete, missing and resumed. storeStep owns state, advanced, continued and refusals.
// Each accesses the other's fields only after both have ended.
type run struct {
	*Pipeline
	tenant       access.TenantID
	connector    Connector
	report       func(Progress)
	trustTimes   bool
	resumer      bool
	context      *contextRun // nil without a model that describes
	last         Run         // from Store.Begin
	seen         map[document.ID]struct{}
	complete     bool
	missing      func(map[document.ID]Stamp, []document.ID) (map[document.ID]Verdict, []Notice)
	resumed      bool
	state        Run
	advanced     bool          // a later run of the pass has less to read
	continued    bool          // state includes the findings of the earlier runs of the pass
	saved        findings      // findings when the checkpoint was last saved
	waitedBefore time.Duration // the connector's waiting time before the run
	refusals     int           // consecutive documents that the store or the embedder refused
	// stamps of the source's stored documents; a review loads them, and they are kept current
	// afterwards
	stored map[document.ID]Stamp

	ended func(storing context.Context) error // why nothing more may be stored, or nil
}

type findings struct {
	counts            Counts
	failures, skipped []Notice
}

func (r *run) synchronise(ctx context.Context, since Checkpoint) error {
	both, running := errgroup.WithContext(ctx)
	storing, stop := outlastPause(running)
	defer stop(nil)
	r.ended = func(ctx context.Context) error {
		// outlastPause hears of the end of running a moment later
		if why := context.Cause(running); why != nil && !errors.Is(why, ErrPaused) {
			return why
		}
		return context.Cause(ctx)
	}
	// unbuffered: one group is read while one is stored, which limits memory
	steps := make(chan step)
	both.Go(func() error {
		defer close(steps)
		return r.readBatches(running, storing, since, steps)
	})
	both.Go(func() error {
		for s := range steps {
			err := r.storeStep(storing, s)
			s.memory.free()
			if err != nil {
				stop(err)
				return err
			}
		}
		return nil
	})
	if err := both.Wait(); err != nil {
		return err
	}
	return r.removeUnseen(ctx)
}

// removeUnseen removes the documents that a complete pass did not yield. It keeps documents that
// another process has stored since this run began.
func (r *run) removeUnseen(ctx context.Context) error {
	if !r.complete {
		return nil
	}
	known, err := r.store.Known(ctx, r.tenant, r.state.Source.ID, nil)
	if err != nil {
		return fmt.Errorf("look for documents that are gone: %w", err)
	}
	since := r.last.StartedAt
	if r.resumed {
		since = r.last.PassStartedAt
	}
	var gone []document.ID
	for id, stamp := range known {
		if _, ok := r.seen[id]; !ok && stamp.CheckedAt.Before(since) {
			gone = append(gone, id)
		}
	}
	if r.missing == nil {
		return r.remove(ctx, gone)
	}
	verdicts, notices := r.missing(known, gone)
	for _, n := range storableNotices(notices) {
		r.addFailure(n)
	}
	return r.apply(ctx, known, func(id document.ID) Verdict { return verdicts[id] })
}

func (r *run) remove(ctx context.Context, ids []document.ID) error {
	if len(ids) == 0 {
		return nil
	}
	if err := r.store.Remove(ctx, r.tenant, r.state.Source.ID, ids); err != nil {
		return fmt.Errorf("remove %d documents: %w", len(ids), err)
	}
	for _, id := range ids {
		delete(r.stored, id)
	}
	r.state.Counts.Removed += len(ids)
	return nil
}

func (r *run) recordTimes() {
	r.state.Worked, r.state.Waited = r.config.Now().Sub(r.state.StartedAt), r.waited()-r.waitedBefore
	if r.continued {
		r.state.Worked, r.state.Waited = r.state.Worked+r.last.Worked, r.state.Waited+r.last.Waited
	}
}

func (r *run) waited() time.Duration {
	if w, ok := r.connector.(Waiter); ok {
		return w.Waited()
	}
	return 0
}

func (r *run) finish(ctx context.Context, err error) error {
	r.recordTimes()
	var later *Later
	if errors.As(err, &later) {
		r.state.ResumesAt, r.state.Waiting = later.At, later.Why
	}
	if errors.Is(err, ErrPaused) && r.resumer { // the resumed run finds the rest again
		r.state.Counts, r.state.Failures, r.state.Skipped = r.saved.counts, r.saved.failures, r.saved.skipped
	}
	switch {
	case errors.Is(err, ErrPaused): // the run has not ended
	case err != nil:
		r.state.FinishedAt, r.state.Error = r.config.Now(), err.Error()
	default:
		r.state.FinishedAt, r.state.Succeeded, r.state.Slow = r.config.Now(), true, nil
		r.state.LastSuccess = r.state.FinishedAt
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	if err := r.store.Save(ctx, r.tenant, r.state); err != nil {
		return fmt.Errorf("save the outcome of indexing %s: %w", r.state.Source.Name, err)
	}
	return nil
}
