package wire

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/spend"
)

type spending struct {
	ledger *admin.Ledger
	meter  *spend.Meter
	own    *postgres.DB // a connection for the ledger alone; nil where it is the Base's
}

func (b *Base) account(db *postgres.DB) error {
	ledger := admin.NewLedger(db)
	meter, err := spend.NewMeter(ledger, spend.Config{
		Prices:   func() spend.Prices { return b.File().Prices },
		Caps:     b.Config.Caps,
		Counting: counting,
		Observe: func(a spend.Account, u spend.Use) {
			if b.Meter != nil {
				b.Meter.Spent(a, u)
			}
		},
		Logger: b.Logger,
	})
	if err != nil {
		return err
	}
	b.spending = &spending{ledger: ledger, meter: meter}
	return nil
}

// accountBeside records the costs of a Base with a scratch schema in the real database, so that
// they count like all others.
func (b *Base) accountBeside(ctx context.Context, url, migrateURL string) error {
	if b.Config.EmbeddingModel == "" && !b.Config.Contextual && b.Config.RerankURL == "" {
		return nil
	}
	db, err := b.connect(ctx, url, migrateURL, true)
	if err != nil {
		return err
	}
	if err := b.account(db); err != nil {
		db.Close()
		return err
	}
	b.spending.own = db
	return nil
}

func (b *Base) paid(m llm.Model, purpose spend.Purpose) llm.Model {
	if b.spending == nil {
		return m
	}
	return b.spending.meter.Model(m, purpose)
}

func (b *Base) paidEmbedder(e retrieve.Embedder) retrieve.Embedder {
	if b.spending == nil {
		return e
	}
	return b.spending.meter.Embedder(e, b.Config.EmbeddingModel)
}

// Books returns the record of what models cost.
func (b *Base) Books() spend.Books { return b.spending.ledger }

// Spent returns the costs and their caps as text, such as "0.42 of 5.00 USD today". It returns ""
// without prices.
func (b *Base) Spent(ctx context.Context, tenant access.TenantID) (string, error) {
	currency := b.File().Prices.Currency
	if currency == "" {
		return "", nil
	}
	s, err := b.Books().Standing(ctx, tenant, currency)
	if err != nil {
		return "", err
	}
	caps := b.Config.Caps
	of := func(used, cap spend.Amount) string {
		if cap == 0 {
			return fmt.Sprintf("%s %s", used, currency)
		}
		return fmt.Sprintf("%s of %s %s", used, cap, currency)
	}
	said := []string{of(s.Today, caps.Daily) + " today", of(s.Month, caps.Monthly) + " this month"}
	if caps.TenantDaily > 0 {
		said = append(said, of(s.TenantToday, caps.TenantDaily)+" today for "+string(tenant))
	}
	if caps.TenantMonthly > 0 {
		said = append(said, of(s.TenantMonth, caps.TenantMonthly)+" this month for "+string(tenant))
	}
	return strings.Join(said, ", "), nil
}

// Left returns what remains of a tenant's budget under the tightest cap. capped is false if there
// is no cap.
func (b *Base) Left(ctx context.Context, tenant access.TenantID) (left spend.Amount, capped bool, err error) {
	currency := b.File().Prices.Currency
	if currency == "" || !b.Config.Caps.Any() {
		return 0, false, nil
	}
	s, err := b.Books().Standing(ctx, tenant, currency)
	if err != nil {
		return 0, false, err
	}
	for _, l := range b.Config.Caps.Lines(s) {
		if room := l.Cap - l.Used; !capped || room < left {
			left, capped = room, true
		}
	}
	return left, capped, nil
}

// CapsUsed returns the used share of each cost cap, by period. It leaves out caps of single
// tenants.
func (b *Base) CapsUsed(ctx context.Context) (map[string]float64, error) {
	all := spend.Caps{Daily: b.Config.Caps.Daily, Monthly: b.Config.Caps.Monthly}
	if !all.Any() {
		return nil, nil
	}
	s, err := b.Books().Standing(ctx, b.Tenant, b.File().Prices.Currency)
	if err != nil {
		return nil, err
	}
	used := make(map[string]float64)
	for _, l := range all.Lines(s) {
		used[l.Period] = float64(l.Used) / float64(l.Cap)
	}
	return used, nil
}

func (b *Base) checkSpending(ctx context.Context) (string, error) {
	said, err := b.Spent(ctx, b.Tenant)
	switch {
	case err != nil:
		return "", err
	case said == "":
		return "only tokens are counted (footnote usage): there are no prices: in footnote.yaml", nil
	case !b.Config.Caps.Any():
		return said + ", without a cap (COST_CAP_DAILY, COST_CAP_MONTHLY)", nil
	}
	return said, nil
}

// unpaid turns a cost-cap error into a state, because the check itself did not fail.
func unpaid(err error) (string, error) {
	var full *spend.CapError
	if errors.As(err, &full) {
		return "not asked: " + full.Error(), nil
	}
	return "", err
}
