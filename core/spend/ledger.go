package spend

import (
	"context"
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/llm"
)

// Purpose is the reason for which a model is called.
type Purpose string

// The purposes.
const (
	Answering  Purpose = "answer"
	Rewriting  Purpose = "fast"       // follow-ups into queries
	Enriching  Purpose = "enrichment" // context that is added to passages for search
	Extracting Purpose = "knowledge"  // relations stated in passages
	Embedding  Purpose = "embedding"
	Reranking  Purpose = "rerank"
	Searching  Purpose = "web_search" // each counts as one token of input
	Checking   Purpose = "check"      // of footnote doctor
)

// Account identifies what a call is booked under.
type Account struct {
	Tenant   access.TenantID
	Model    string
	Purpose  Purpose
	Currency string // empty without prices
}

// Use is the tokens and cost of a call. A language model's tokens are as in llm.Usage. An embedding
// model's tokens are all Input.
type Use struct {
	llm.Usage
	Estimated bool // the provider reported no usage, so the tokens were counted here
	Amount    Amount
}

// ErrUnbooked reports that Settle booked nothing, so the call may be booked again.
var ErrUnbooked = errors.New("nothing was booked")

// Reservation is the amount to reserve for a call that is about to be made.
type Reservation struct {
	Account
	Amount Amount        // maximum cost of the call
	Lost   Use           // estimated use that is booked if the process dies
	Lasts  time.Duration // from now; Extend prolongs it
}

// Hold identifies a reservation. The zero Hold identifies none.
type Hold struct {
	ID      int64
	Account Account
}

// Ledger stores the spending of all processes. Days are UTC days of the ledger's clock. A call's
// cost belongs to the day of its reservation. When a reservation expires, the next process books
// its Lost use. A Ledger is safe for concurrent use by any number of processes. spendtest.Suite
// defines its behaviour.
type Ledger interface {
	// Reserve reserves an amount. If a cap has no room for it, it reserves nothing and returns a
	// *CapError. Booked and reserved amounts together never exceed a cap, however many processes
	// call Reserve concurrently.
	Reserve(ctx context.Context, r Reservation, caps Caps) (Hold, error)
	// Extend prolongs a reservation and replaces the use that is booked if the process dies. It
	// does not change an expired reservation.
	Extend(ctx context.Context, h Hold, lost Use, lasts time.Duration) error
	// Settle books a call and releases its reservation. It also books a call without a reservation
	// or with an expired one. It returns the new Standing. The error is ErrUnbooked if certainly
	// nothing was booked.
	Settle(ctx context.Context, h Hold, a Account, u Use) (Standing, error)
}

// Row is the use on one day.
type Row struct {
	Day time.Time
	Account
	Calls     int64
	Estimated int64 // calls without usage from the provider
	Input     int64
	Cached    int64 // of Input
	Output    int64
	Amount    Amount
}

// Books reads a Ledger. It is safe for concurrent use.
type Books interface {
	// Standing returns the amount spent so far in a currency, by all tenants and by one.
	Standing(ctx context.Context, tenant access.TenantID, currency string) (Standing, error)
	// Report lists the use since a day, by day, tenant, model and purpose.
	Report(ctx context.Context, since time.Time) ([]Row, error)
}
