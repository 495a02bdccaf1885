package extract

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/knowledge"
)

// Document is one that is to be read, with its passages in their order.
type Document struct {
	Shard    int16
	Row      int64 // these two name the document
	First    int64 // chunk; it tells versions of a document apart
	Title    string
	Passages []Passage // without titles
}

// Outcome is what became of a text. One of the three is set.
type Outcome struct {
	Found   []Relation // with Dropped and Took, where Read is set
	Read    bool
	Dropped int           // relations that were not believed
	Took    time.Duration // of the answer
	Reason  string        // why it is never asked again, in words for whoever runs the program
	Again   bool          // it is to be asked another time
	Counted bool          // with Again, this counts among the attempts
}

// Claim says whose a text is.
type Claim int

// The claims.
const (
	Mine      Claim = iota // the caller asks the model, within Lease
	Elsewhere              // another process does
	Settled                // what came of it is known
)

const (
	// Lease is for how long a text belongs to whoever asks about it; a process that dies leaves it
	// until then.
	Lease = 2 * time.Minute
	// MostAttempts is after how many attempts that came to nothing a text is given up: the model
	// was silent each time, or the process died.
	MostAttempts = 3
)

// Store keeps what was read from texts, and writes it into the graph. Implementations are safe for
// concurrent use by any number of processes.
type Store interface {
	// Due returns up to most documents that were not read in a way, as they are stored, in the
	// order of their places and behind one of them (the zero Document: from the first).
	Due(ctx context.Context, tenant access.TenantID, way Digest, after Document, most int) ([]Document, error)
	// Known returns what came of texts, of those that are settled. A text that is given up has a
	// Reason.
	Known(ctx context.Context, tenant access.TenantID, texts []Digest) (map[Digest]Outcome, error)
	// Claim takes a text for the caller, unless it is settled or another's. One that has had
	// MostAttempts is settled by that.
	Claim(ctx context.Context, tenant access.TenantID, text Digest) (Claim, error)
	// Settle keeps what came of a text that the caller has.
	Settle(ctx context.Context, tenant access.TenantID, text Digest, o Outcome) error
	// Write puts what a document states into the graph, together with what documents state without
	// a model, replaces what was read of it before, and notes that it was read. A document that has
	// changed since Due is left alone.
	Write(ctx context.Context, tenant access.TenantID, way Digest, d Document, texts []Digest, facts []knowledge.Fact) error
}
