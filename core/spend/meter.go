package spend

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/llm"
)

const (
	// reservationTTL is how long a reservation is valid, unless it is renewed. renewInterval is the
	// time between two renewals.
	reservationTTL = time.Minute
	renewInterval  = 5 * time.Second
	// unrecordedTokens is the number of tokens that a fast model writes between two renewals. If
	// the process dies, they are booked too, because the provider may bill them.
	unrecordedTokens = 1_000
	bookingRetry     = time.Second
	// bookingTimeout is the time limit of one write to the ledger.
	bookingTimeout = 5 * time.Second
)

// Counting configures how a model's tokens are counted.
type Counting struct {
	budget.Counter
	// Exact says that the counter has the vocabulary of the model. If it is false, the reservation
	// assumes one token per byte.
	Exact bool
}

// Config configures a Meter.
type Config struct {
	Prices   func() Prices // called for each call; nil: no prices
	Caps     Caps
	Counting func(model string) Counting
	Observe  func(Account, Use) // called for every booked call; may be nil
	Logger   *slog.Logger       // nil: silent
}

// Meter wraps models. It refuses calls that could exceed a cap, and books the use of each call. It
// is safe for concurrent use.
type Meter struct {
	ledger Ledger
	config Config

	closing  chan struct{}
	close    func()
	unbooked sync.WaitGroup // goroutines that retry to book a call

	mu     sync.Mutex
	warned map[string]time.Time // by cap and message: time until which it is not logged again
}

// NewMeter returns a meter that books calls in ledger. config.Counting is required.
func NewMeter(ledger Ledger, config Config) (*Meter, error) {
	if ledger == nil || config.Counting == nil {
		return nil, errors.New("set up the cost accounting: it needs a ledger and a way to count tokens")
	}
	if config.Prices == nil {
		config.Prices = func() Prices { return Prices{} }
	}
	if config.Observe == nil {
		config.Observe = func(Account, Use) {}
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	m := &Meter{ledger: ledger, config: config, closing: make(chan struct{}), warned: make(map[string]time.Time)}
	m.close = sync.OnceFunc(func() { close(m.closing) })
	return m, nil
}

// Close waits until the calls that could not be booked were tried a last time. It must be called
// after all calls of models have ended.
func (m *Meter) Close() {
	m.close()
	m.unbooked.Wait()
}

type call struct {
	meter    *Meter
	account  Account
	cost     func(llm.Usage) Amount
	hold     Hold
	maxUsage llm.Usage // reserved usage
	maxCost  Amount
	input    func() int
	output   atomic.Int64 // tokens counted so far

	heldUntil atomic.Int64 // expiry of the reservation in Unix nanoseconds

	reported *llm.Usage // usage reported by the provider
	free     bool       // nothing is billed
	cancel   context.CancelFunc
	alive    sync.WaitGroup
}

// begin starts the accounting of a call. It reserves the cost of most, the maximum use of the call,
// if a cap is set. input returns the number of sent tokens. The error wraps a [CapError] if a cap
// leaves no room.
func (m *Meter) begin(ctx context.Context, model string, purpose Purpose, most llm.Usage, input func() int) (*call, error) {
	prices := m.config.Prices()
	price, priced := prices.Models[model]
	c := &call{
		meter: m, maxUsage: most, input: input,
		account: Account{Tenant: access.TenantOf(ctx), Model: model, Purpose: purpose, Currency: prices.Currency},
		cost:    price.Of,
	}
	c.maxCost = price.maxCost(most.Input, most.Output)
	if purpose == Embedding {
		c.cost = func(u llm.Usage) Amount { return price.OfEmbedding(u.Input) }
		c.maxCost = c.cost(most)
	}
	if !m.config.Caps.Any() {
		return c, nil
	}
	if !priced {
		return nil, fmt.Errorf("%w: there is a cost cap but no price for the model %s: write one under prices: in footnote.yaml", llm.ErrBadRequest, model)
	}
	var err error
	c.hold, err = m.ledger.Reserve(ctx, Reservation{Account: c.account, Amount: c.maxCost, Lost: c.lostUse(), Lasts: reservationTTL}, m.config.Caps)
	var full *CapError
	if errors.As(err, &full) {
		m.logOnce(full.Setting+" reached", full.Until, func() {
			m.config.Logger.WarnContext(ctx, "a cost cap is reached; refusing calls that exceed the rest", "setting", full.Setting,
				"cap", full.Cap.Exact(), "currency", full.Currency, "until", full.Until)
		})
	}
	if err != nil {
		return nil, fmt.Errorf("reserve the cost of a call of %s: %w", model, err)
	}
	c.setHeldUntil()
	renewed, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c.cancel = cancel
	c.alive.Go(func() { c.renew(renewed) })
	return c, nil
}

// lostUse returns the use that is booked if this process dies.
func (c *call) lostUse() Use {
	u := llm.Usage{Input: min(c.input(), c.maxUsage.Input), Output: min(int(c.output.Load())+unrecordedTokens, c.maxUsage.Output)}
	return Use{Usage: u, Estimated: true, Amount: c.cost(u)}
}

func (c *call) renew(ctx context.Context) {
	ticker := time.NewTicker(renewInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		limited, cancel := context.WithTimeout(ctx, bookingTimeout)
		err := c.meter.ledger.Extend(limited, c.hold, c.lostUse(), reservationTTL)
		cancel()
		switch {
		case err == nil && c.isBookable():
			c.setHeldUntil()
		case err != nil && ctx.Err() == nil:
			c.meter.config.Logger.WarnContext(ctx, "renewing a reservation failed; retrying", "model", c.account.Model, "error", err)
		}
	}
}

// setHeldUntil stores until when the call can be booked under its reservation. That is
// bookingTimeout before the reservation expires.
func (c *call) setHeldUntil() {
	c.heldUntil.Store(time.Now().Add(reservationTTL - bookingTimeout).UnixNano())
}

// isBookable reports whether the call may still be booked. After its reservation expires, the
// ledger books the call as lost.
func (c *call) isBookable() bool {
	return c.hold == (Hold{}) || time.Now().UnixNano() < c.heldUntil.Load()
}

// noteFailure stores whether the call is free, given the error that ended it. A call is free if the
// provider refused it before the model wrote anything.
func (c *call) noteFailure(err error) {
	var limited *llm.RateLimitError
	refused := errors.As(err, &limited)
	for _, one := range []error{llm.ErrAuth, llm.ErrNotFound, llm.ErrBadRequest, llm.ErrContextTooLong, llm.ErrUnavailable} {
		refused = refused || errors.Is(err, one)
	}
	c.free = refused && c.output.Load() == 0
}

func (c *call) actualUse() Use {
	switch {
	case c.reported != nil:
		return Use{Usage: *c.reported, Amount: c.cost(*c.reported)}
	case c.free:
		return Use{}
	}
	u := llm.Usage{Input: c.input(), Output: int(c.output.Load())}
	return Use{Usage: u, Estimated: true, Amount: c.cost(u)}
}

// finish books the call, even if ctx has ended. If the ledger fails, finish retries in the
// background, so that the answer does not wait.
func (c *call) finish(ctx context.Context) {
	if c.cancel != nil {
		c.cancel()
		c.alive.Wait()
	}
	u, m := c.actualUse(), c.meter
	if u == (Use{}) && c.hold == (Hold{}) {
		return
	}
	ctx = context.WithoutCancel(ctx)
	err := c.book(ctx, u)
	switch {
	case err == nil:
	case errors.Is(err, ErrUnbooked) && c.isBookable():
		m.config.Logger.WarnContext(ctx, "booking a call failed; retrying", "model", c.account.Model, "error", err)
		m.unbooked.Go(func() { c.bookLater(ctx, u) })
	default:
		c.logUnbooked(ctx, u, err)
	}
}

func (c *call) bookLater(ctx context.Context, u Use) {
	ticker := time.NewTicker(bookingRetry)
	defer ticker.Stop()
	for last := false; ; {
		select {
		case <-c.meter.closing:
			last = true
		case <-ticker.C:
		}
		err := c.book(ctx, u)
		if err == nil {
			return
		}
		if last || !errors.Is(err, ErrUnbooked) || !c.isBookable() {
			c.logUnbooked(ctx, u, err)
			return
		}
	}
}

// logUnbooked logs the actual use of a call. The ledger books only the estimated use, when the
// reservation expires.
func (c *call) logUnbooked(ctx context.Context, u Use, err error) {
	c.meter.config.Logger.ErrorContext(ctx, "a call was not booked", "model", c.account.Model, "purpose", c.account.Purpose,
		"input_tokens", u.Input, "output_tokens", u.Output, "error", err)
}

func (c *call) book(ctx context.Context, u Use) error {
	m := c.meter
	ctx, cancel := context.WithTimeout(ctx, bookingTimeout)
	defer cancel()
	standing, err := m.ledger.Settle(ctx, c.hold, c.account, u)
	if err != nil {
		return err
	}
	if u != (Use{}) {
		m.config.Observe(c.account, u)
	}
	if c.hold != (Hold{}) && u.Amount > c.maxCost {
		m.config.Logger.WarnContext(ctx, "a call cost more than its reservation: the endpoint counts tokens differently, or wrote more than requested",
			"model", c.account.Model, "cost", u.Amount.Exact(), "set_aside", c.maxCost.Exact())
	}
	m.warnNearCap(ctx, standing)
	return nil
}

func (m *Meter) warnNearCap(ctx context.Context, s Standing) {
	for _, l := range m.config.Caps.Lines(s) {
		if float64(l.Used) < warnShare*float64(l.Cap) {
			continue
		}
		m.logOnce(l.Setting+" near", l.Until, func() {
			m.config.Logger.WarnContext(ctx, "most of a cost cap is used up", "setting", l.Setting, "cap", l.Cap.Exact(), "used", l.Used.Exact(),
				"until", l.Until)
		})
	}
}

// logOnce calls tell, unless it has already called tell for the same what and until.
func (m *Meter) logOnce(what string, until time.Time, tell func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.warned[what].Equal(until) {
		return
	}
	m.warned[what] = until
	tell()
}
