package spend

import (
	"context"
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/llm"
)

// Purpose is the reason for a call of a model.
type Purpose string

// Values of [Purpose].
const (
	Answering  Purpose = "answer"
	Rewriting  Purpose = "fast"       // rewrites of follow-up questions into queries
	Enriching  Purpose = "enrichment" // context that is added to passages for search
	Extracting Purpose = "knowledge"  // relations stated in passages
	Embedding  Purpose = "embedding"
	Reranking  Purpose = "rerank"
	Searching  Purpose = "web_search" // web searches; each counts as one token of input
	Checking   Purpose = "check"      // checks by footnote doctor
)

// Account is the tenant, model, purpose and currency under which a call is booked.
type Account struct {
	Tenant   access.TenantID
	Model    string
	Purpose  Purpose
	Currency string // empty without prices
}

// Use holds the tokens and the cost of a call. For an embedding model, all tokens count as Input.
type Use struct {
	llm.Usage
	Estimated bool // the provider reported no usage, so the tokens were counted here
	Amount    Amount
}

// ErrUnbooked reports that [Ledger.Settle] booked nothing. The caller may book the call again.
var ErrUnbooked = errors.New("nothing was booked")

// Reservation is an amount to reserve before a call.
type Reservation struct {
	Account
	Amount Amount        // maximum cost of the call
	Lost   Use           // estimated use that is booked if the process dies
	Lasts  time.Duration // how long the reservation is valid; Extend renews it
}

// Hold identifies a reservation. The zero Hold identifies none.
type Hold struct {
	ID      int64
	Account Account
}

// Ledger stores the spending of all processes. Days are UTC days of its clock. A call counts for
// the day on which its cost was reserved. If a reservation expires, because its process died, the
// ledger books the Lost use of the reservation at the next call of any process.
//
// A Ledger is safe for concurrent use by any number of processes. spendtest.Suite defines its
// behaviour.
type Ledger interface {
	// Reserve reserves an amount. If a cap has no room for the amount, Reserve reserves nothing and
	// returns a *CapError. Booked and reserved amounts together never exceed a cap, however many
	// processes call Reserve concurrently.
	Reserve(ctx context.Context, r Reservation, caps Caps) (Hold, error)
	// Extend extends a reservation. It also replaces the use that is booked if the process dies. It
	// does not change an expired reservation.
	Extend(ctx context.Context, h Hold, lost Use, lasts time.Duration) error
	// Settle books a call, releases its reservation and returns the new Standing. It also books a
	// call whose reservation is missing or expired. The error is ErrUnbooked if it is certain that
	// nothing was booked.
	Settle(ctx context.Context, h Hold, a Account, u Use) (Standing, error)
}

// Row is the use of one Account on one day.
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

// Books reports the spending that a [Ledger] stores. It is safe for concurrent use.
type Books interface {
	// Standing returns the amounts spent so far in a currency, by all tenants together and by one
	// tenant.
	Standing(ctx context.Context, tenant access.TenantID, currency string) (Standing, error)
	// Report lists the use since a day, grouped by day, tenant, model and purpose.
	Report(ctx context.Context, since time.Time) ([]Row, error)
}
