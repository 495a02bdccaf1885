package extract

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/knowledge"
)

// Document is a document whose passages the model has yet to read.
type Document struct {
	Shard    int16
	Row      int64 // identifies the document, together with Shard
	First    int64 // first chunk; identifies the version of a document
	Title    string
	Passages []Passage // without titles
}

// Outcome is the result of asking the model about a text. Exactly one of Read, Reason and Again is
// set.
type Outcome struct {
	Found   []Relation // relations in the text, if Read
	Read    bool
	Dropped int           // relations that failed validation, if Read
	Took    time.Duration // duration of the model's answer, if Read
	Reason  string        // sentence for the operator that says why the text is never retried
	Again   bool          // a later run must retry
	Counted bool          // if Again: this was one of MostAttempts
}

// Claim is the result of a replica's attempt to reserve a text, so that only one replica reads it.
type Claim int

// The values of [Claim].
const (
	Mine      Claim = iota // the caller asks the model, within Lease
	Elsewhere              // another process asks the model
	Settled                // the outcome is known
)

const (
	// Lease is the duration of a claim. The claims of a process that dies expire after this time.
	Lease = 2 * time.Minute
	// MostAttempts is the number of failed attempts after which a text is abandoned. An attempt
	// fails if the model gives no answer or the process dies.
	MostAttempts = 3
)

// Store keeps the model's results and writes them to the knowledge graph. An implementation must be
// safe for concurrent use by any number of processes.
type Store interface {
	// Due returns up to most stored documents that were not yet read with this digest of model and
	// instructions. It returns documents after the given one, ordered by Shard and Row. A zero
	// Document means from the beginning.
	Due(ctx context.Context, tenant access.TenantID, way Digest, after Document, most int) ([]Document, error)
	// Known returns the stored outcomes of texts. The outcome of an abandoned text has a Reason.
	Known(ctx context.Context, tenant access.TenantID, texts []Digest) (map[Digest]Outcome, error)
	// Claim claims a text for the caller. It claims nothing if the text has an outcome or another
	// process holds it. After MostAttempts attempts a text is abandoned, and the result is Settled.
	Claim(ctx context.Context, tenant access.TenantID, text Digest) (Claim, error)
	// Settle stores the outcome of a text that the caller has claimed.
	Settle(ctx context.Context, tenant access.TenantID, text Digest, o Outcome) error
	// Write stores a document's facts in the graph, next to facts found without a model. It
	// replaces earlier results and records that the document was read. It does nothing if the
	// document has changed since Due.
	Write(ctx context.Context, tenant access.TenantID, way Digest, d Document, texts []Digest, facts []knowledge.Fact) error
}
