package wire

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgknowledge"
	"github.com/footnotehq/footnote/core/extract"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/spend"
)

const (
	// extractShare is the share of each cost cap that extraction may use. The rest is reserved for
	// answers.
	extractShare = 0.5
	// extractPiece is how long a job starts new model calls. It is short, so that the last call can
	// end before the job's time limit.
	extractPiece = 15 * time.Second
)

// Extractor returns the reader that extracts statements from documents with KNOWLEDGE_MODEL, or nil
// if that is not set.
func (b *Base) Extractor() (*extract.Reader, error) {
	if b.Config.KnowledgeModel == "" {
		return nil, nil
	}
	model, err := b.endpointModel(b.Config.KnowledgeModel, 0, spend.Extracting)
	if err != nil {
		return nil, err
	}
	config := extract.Config{Schema: b.File().Knowledge, Room: b.extractRoom}
	if b.Meter != nil {
		config.Observe = b.Meter.Extracted
	}
	return extract.New(llm.NewChain(llm.Policy{Attempts: 2}, model), b.Index.Extraction(), config), nil
}

func (b *Base) extractedRelations() []knowledge.Relation {
	if b.Config.KnowledgeModel == "" {
		return nil
	}
	var all []knowledge.Relation
	for _, r := range b.File().Knowledge.Relations {
		all = append(all, knowledge.Relation(r.Name))
	}
	return all
}

// extractRoom returns an error if the share of a cost cap for extraction is used up.
func (b *Base) extractRoom(ctx context.Context) error {
	if !b.Config.Caps.Any() {
		return nil
	}
	currency := b.File().Prices.Currency
	standing, err := b.Books().Standing(ctx, b.Tenant, currency)
	if err != nil {
		return err
	}
	for _, l := range b.Config.Caps.Lines(standing) {
		if float64(l.Used) >= extractShare*float64(l.Cap) {
			return fmt.Errorf("%w for reading passages: half of the %s cost cap of %s %s is used, and the rest is kept for answers until %s; wait, or raise %s",
				llm.ErrBudget, l.Period, l.Cap, currency, l.Until.Format("2006-01-02 15:04 UTC"), l.Setting)
		}
	}
	return nil
}

// ExtractionDue reports whether KNOWLEDGE_MODEL has documents to read. If it is not set,
// ExtractionDue reports whether earlier extracted statements have to be deleted.
func (b *Base) ExtractionDue(ctx context.Context) (bool, error) {
	reader, err := b.Extractor()
	if err != nil {
		return false, err
	}
	if reader == nil {
		return b.Index.Extraction().IsDue(ctx, b.Tenant, nil)
	}
	way := reader.Way()
	return b.Index.Extraction().IsDue(ctx, b.Tenant, &way)
}

// Extract reads due documents with KNOWLEDGE_MODEL and stops at until (zero: no limit). The bool
// reports that some are left. If KNOWLEDGE_MODEL is not set, Extract deletes extracted statements.
func (b *Base) Extract(ctx context.Context, until time.Time, report func(extract.Progress)) (extract.Progress, bool, error) {
	reader, err := b.Extractor()
	if err != nil {
		return extract.Progress{}, false, err
	}
	if reader == nil {
		more, err := b.Index.Extraction().Withdraw(ctx, b.Tenant, until)
		return extract.Progress{}, more, err
	}
	return reader.Run(ctx, b.Tenant, until, report)
}

// extractPiece logs why extraction stopped, once for each reason.
func (w *background) extractPiece(ctx context.Context, b *Base) (bool, error) {
	p, more, err := b.Extract(ctx, time.Now().Add(extractPiece), nil)
	reason := ""
	if p.Stopped != nil {
		reason = p.Stopped.Error()
	}
	w.mu.Lock()
	said := w.stopped[b.Tenant] == reason
	w.stopped[b.Tenant] = reason
	w.mu.Unlock()
	if reason != "" && !said {
		b.Logger.WarnContext(ctx, "reading what passages state stopped, and goes on when it is next due", "tenant", string(b.Tenant), "passages", p.Read, "reason", reason)
	} else if p.Read+p.Failed > 0 {
		b.Logger.InfoContext(ctx, "read what passages state", "tenant", string(b.Tenant), "passages", p.Read, "failed", p.Failed, "statements", p.Stated, "not_believed", p.Dropped)
	}
	return more, err
}

// Extracted says what KNOWLEDGE_MODEL has read so far, and what that has cost.
type Extracted struct {
	pgknowledge.TextsSize
	Model  string // empty: no model is set
	Spent  map[string]spend.Amount
	Calls  int64
	Output int64 // output tokens of these calls
}

// Extracted returns what KNOWLEDGE_MODEL has read so far, and what that has cost.
func (b *Base) Extracted(ctx context.Context) (Extracted, error) {
	e := Extracted{Model: b.Config.KnowledgeModel, Spent: make(map[string]spend.Amount)}
	reader, err := b.Extractor()
	if err != nil {
		return e, err
	}
	var way extract.Digest
	if reader != nil {
		way = reader.Way()
	}
	if e.TextsSize, err = b.Index.Extraction().Size(ctx, b.Tenant, way); err != nil {
		return e, err
	}
	rows, err := b.Books().Report(ctx, time.Time{})
	if err != nil {
		return e, err
	}
	for _, r := range rows {
		if r.Purpose == spend.Extracting && r.Tenant == b.Tenant {
			e.Calls, e.Output = e.Calls+r.Calls, e.Output+r.Output
			if r.Currency != "" {
				e.Spent[r.Currency] += r.Amount
			}
		}
	}
	return e, nil
}

// Assumptions about a call until enoughCalls were measured. Hosted models write about 50 tokens a
// second.
const (
	guessedReply = 150 // tokens
	guessedTook  = 3 * time.Second
	enoughCalls  = 20
)

// ExtractEstimate estimates the tokens, cost and time of extracting statements from the due
// documents.
type ExtractEstimate struct {
	extract.Estimate
	Output   int // output tokens, at the average of earlier answers
	Measured bool
	// Cost is by the prices. Most assumes that every answer has the maximum length and is requested
	// twice.
	Cost     spend.Amount
	Most     spend.Amount
	Currency string        // empty: the model has no price
	Took     time.Duration // time with the usual number of concurrent calls
}

// EstimateExtraction estimates what [Base.Extract] would cost now. It calls no model.
func (b *Base) EstimateExtraction(ctx context.Context) (ExtractEstimate, error) {
	var e ExtractEstimate
	reader, err := b.Extractor()
	if err != nil || reader == nil {
		return e, err
	}
	if e.Estimate, err = reader.Estimate(ctx, b.Tenant, counter(b.Config.KnowledgeModel).Count); err != nil {
		return e, err
	}
	sofar, err := b.Extracted(ctx)
	if err != nil {
		return e, err
	}
	reply, took := guessedReply, guessedTook
	if e.Measured = sofar.Calls >= enoughCalls; e.Measured {
		reply, took = int(sofar.Output/sofar.Calls), sofar.Took
	}
	e.Output = e.Texts * reply
	e.Took = time.Duration((e.Texts+extract.Calls-1)/extract.Calls) * took
	prices := b.File().Prices
	if price, priced := prices.Models[b.Config.KnowledgeModel]; priced {
		e.Currency = prices.Currency
		e.Cost = price.Of(llm.Usage{Input: e.Input, Output: e.Output})
		e.Most = price.Of(llm.Usage{Input: 2 * e.Input, Output: 2 * e.Texts * extract.ReplyTokens})
	}
	return e, nil
}
