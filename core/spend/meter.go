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
	// lasts is for how long a reservation outlives its process, and renewing how often a process
	// says that it is alive.
	lasts    = time.Minute
	renewing = 5 * time.Second
	// unseen is how many tokens a fast model writes between two renewals: what may have been
	// written, and billed, without a record of it.
	unseen = 1_000
	// owing is the time between two tries to book a call while the ledger takes nothing.
	owing = time.Second
	// booking bounds one write to the ledger, which outlives a stopped call.
	booking = 5 * time.Second
)

// Counting configures how a model's tokens are counted.
type Counting struct {
	budget.Counter
	// Exact says that the vocabulary is the model's own. If it is false, the reservation assumes
	// one token per byte.
	Exact bool
}

// Config configures a Meter.
type Config struct {
	Prices   func() Prices // asked for each call; nil: there are none
	Caps     Caps
	Counting func(model string) Counting
	Observe  func(Account, Use) // told of every call that was booked; may be nil
	Logger   *slog.Logger       // nil: silent
}

// Meter enforces the caps on models and books their use. It is safe for concurrent use.
type Meter struct {
	ledger Ledger
	config Config

	closing chan struct{}
	close   func()
	owed    sync.WaitGroup // calls that are still to be booked

	mu     sync.Mutex
	warned map[string]time.Time // by cap and what was said: until when it is not said again
}

// NewMeter returns a meter over a ledger. Counting is required.
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

// Close retries once to book each call that could not be booked. No call may be running.
func (m *Meter) Close() {
	m.close()
	m.owed.Wait()
}

// call is one call of a model, from before it is made until it is booked.
type call struct {
	meter   *Meter
	account Account
	cost    func(llm.Usage) Amount
	hold    Hold
	most    llm.Usage // what was set aside, and what it costs
	worst   Amount
	input   func() int
	output  atomic.Int64 // counted so far

	held atomic.Int64 // until when the reservation holds, in Unix nanoseconds

	told   *llm.Usage // by the provider
	free   bool       // nothing is billed
	cancel context.CancelFunc
	alive  sync.WaitGroup
}

// begin sets aside what a call can cost. input counts the tokens that are sent, once they have to
// be known.
func (m *Meter) begin(ctx context.Context, model string, purpose Purpose, most llm.Usage, input func() int) (*call, error) {
	prices := m.config.Prices()
	price, priced := prices.Models[model]
	c := &call{
		meter: m, most: most, input: input,
		account: Account{Tenant: access.TenantOf(ctx), Model: model, Purpose: purpose, Currency: prices.Currency},
		cost:    price.Of,
	}
	c.worst = price.most(most.Input, most.Output)
	if purpose == Embedding {
		c.cost = func(u llm.Usage) Amount { return price.OfEmbedding(u.Input) }
		c.worst = c.cost(most)
	}
	if !m.config.Caps.Any() {
		return c, nil
	}
	if !priced {
		return nil, fmt.Errorf("%w: there is a cost cap but no price for the model %s: write one under prices: in footnote.yaml", llm.ErrBadRequest, model)
	}
	var err error
	c.hold, err = m.ledger.Reserve(ctx, Reservation{Account: c.account, Amount: c.worst, Lost: c.lost(), Lasts: lasts}, m.config.Caps)
	var full *CapError
	if errors.As(err, &full) {
		m.say(full.Setting+" reached", full.Until, func() {
			m.config.Logger.WarnContext(ctx, "a cost cap is reached; calls that need more than it leaves are not made", "setting", full.Setting,
				"cap", full.Cap.Exact(), "currency", full.Currency, "until", full.Until)
		})
	}
	if err != nil {
		return nil, fmt.Errorf("set aside the cost of a call of %s: %w", model, err)
	}
	c.holds()
	renewed, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c.cancel = cancel
	c.alive.Go(func() { c.renew(renewed) })
	return c, nil
}

// lost is what is booked when this process is not heard of any more.
func (c *call) lost() Use {
	u := llm.Usage{Input: min(c.input(), c.most.Input), Output: min(int(c.output.Load())+unseen, c.most.Output)}
	return Use{Usage: u, Estimated: true, Amount: c.cost(u)}
}

// renew keeps the reservation while the call runs, however long that takes.
func (c *call) renew(ctx context.Context) {
	ticker := time.NewTicker(renewing)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		limited, cancel := context.WithTimeout(ctx, booking)
		err := c.meter.ledger.Extend(limited, c.hold, c.lost(), lasts)
		cancel()
		switch {
		case err == nil && c.bookable():
			c.holds()
		case err != nil && ctx.Err() == nil:
			c.meter.config.Logger.WarnContext(ctx, "a reservation was not prolonged; it is tried again", "model", c.account.Model, "error", err)
		}
	}
}

// holds notes that the reservation was made or prolonged just now.
func (c *call) holds() { c.held.Store(time.Now().Add(lasts - booking).UnixNano()) }

// bookable reports whether a call may still be booked: once its reservation has run out, that is
// booked as lost.
func (c *call) bookable() bool {
	return c.hold == (Hold{}) || time.Now().UnixNano() < c.held.Load()
}

// failed notes how a call failed. What a provider refuses before it has read the prompt it does not
// bill.
func (c *call) failed(err error) {
	var limited *llm.RateLimitError
	refused := errors.As(err, &limited)
	for _, one := range []error{llm.ErrAuth, llm.ErrNotFound, llm.ErrBadRequest, llm.ErrContextTooLong, llm.ErrUnavailable} {
		refused = refused || errors.Is(err, one)
	}
	c.free = refused && c.output.Load() == 0
}

// used is what the call took, as the provider says, else as it was counted here.
func (c *call) used() Use {
	switch {
	case c.told != nil:
		return Use{Usage: *c.told, Amount: c.cost(*c.told)}
	case c.free:
		return Use{}
	}
	u := llm.Usage{Input: c.input(), Output: int(c.output.Load())}
	return Use{Usage: u, Estimated: true, Amount: c.cost(u)}
}

// end books the call. It outlives a stop. While the ledger takes nothing, booking is tried again;
// the answer does not wait for that.
func (c *call) end(ctx context.Context) {
	if c.cancel != nil {
		c.cancel()
		c.alive.Wait()
	}
	u, m := c.used(), c.meter
	if u == (Use{}) && c.hold == (Hold{}) {
		return
	}
	ctx = context.WithoutCancel(ctx)
	err := c.settle(ctx, u)
	switch {
	case err == nil:
	case errors.Is(err, ErrUnbooked) && c.bookable():
		m.config.Logger.WarnContext(ctx, "what a call cost is not booked yet; it is tried again", "model", c.account.Model, "error", err)
		m.owed.Go(func() { c.settleLater(ctx, u) })
	default:
		c.unbooked(ctx, u, err)
	}
}

// settleLater books the call as soon as the ledger takes it.
func (c *call) settleLater(ctx context.Context, u Use) {
	ticker := time.NewTicker(owing)
	defer ticker.Stop()
	for last := false; ; {
		select {
		case <-c.meter.closing:
			last = true
		case <-ticker.C:
		}
		err := c.settle(ctx, u)
		if err == nil {
			return
		}
		if last || !errors.Is(err, ErrUnbooked) || !c.bookable() {
			c.unbooked(ctx, u, err)
			return
		}
	}
}

// unbooked logs a call that is missing in the books, but for what its reservation is booked with.
func (c *call) unbooked(ctx context.Context, u Use, err error) {
	c.meter.config.Logger.ErrorContext(ctx, "what a call cost was not booked", "model", c.account.Model, "purpose", c.account.Purpose,
		"input_tokens", u.Input, "output_tokens", u.Output, "error", err)
}

func (c *call) settle(ctx context.Context, u Use) error {
	m := c.meter
	ctx, cancel := context.WithTimeout(ctx, booking)
	defer cancel()
	standing, err := m.ledger.Settle(ctx, c.hold, c.account, u)
	if err != nil {
		return err
	}
	if u != (Use{}) {
		m.config.Observe(c.account, u)
	}
	if c.hold != (Hold{}) && u.Amount > c.worst {
		m.config.Logger.WarnContext(ctx, "a call cost more than was set aside for it: the endpoint counts other tokens, or more than were asked for",
			"model", c.account.Model, "cost", u.Amount.Exact(), "set_aside", c.worst.Exact())
	}
	m.warn(ctx, standing)
	return nil
}

// warn says once for each period that a cap is near.
func (m *Meter) warn(ctx context.Context, s Standing) {
	for _, l := range m.config.Caps.Lines(s) {
		if float64(l.Used) < warnShare*float64(l.Cap) {
			continue
		}
		m.say(l.Setting+" near", l.Until, func() {
			m.config.Logger.WarnContext(ctx, "most of a cost cap is used up", "setting", l.Setting, "cap", l.Cap.Exact(), "used", l.Used.Exact(),
				"until", l.Until)
		})
	}
}

// say calls tell unless the same was said for the same period.
func (m *Meter) say(what string, until time.Time, tell func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.warned[what].Equal(until) {
		return
	}
	m.warned[what] = until
	tell()
}
