package admin

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/jackc/pgx/v5"
)

// Prompt implements session.Settings.
func (s *Settings) Prompt(ctx context.Context, tenant access.TenantID) (session.Prompt, error) {
	// Served by the primary key.
	const newest = `select text, version, changed_by, changed_at from system_prompt where tenant_id = $1 order by version desc limit 1`
	var p session.Prompt
	err := s.db.Pool.QueryRow(ctx, newest, tenant).Scan(&p.Text, &p.Version, &p.By, &p.At)
	if errors.Is(err, pgx.ErrNoRows) {
		return session.Prompt{}, nil
	}
	if err != nil {
		return session.Prompt{}, fmt.Errorf("load the system prompt: %w", err)
	}
	p.At = p.At.UTC()
	return p, nil
}

// SetPrompt implements session.Settings. Changes of one tenant run one after another.
func (s *Settings) SetPrompt(ctx context.Context, tenant access.TenantID, text, by string) (session.Prompt, error) {
	p := session.Prompt{Text: postgres.Storable(text), By: postgres.Storable(by)}
	err := s.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select from tenant where id = $1 for no key update`, tenant); err != nil {
			return err
		}
		const add = `
			insert into system_prompt (tenant_id, version, text, changed_by)
			select $1, coalesce(max(version), 0) + 1, $2, $3 from system_prompt where tenant_id = $1
			returning version, changed_at`
		if err := tx.QueryRow(ctx, add, tenant, p.Text, p.By).Scan(&p.Version, &p.At); err != nil {
			return err
		}
		deed := session.PromptSet
		if p.Text == "" {
			deed = session.PromptReset
		}
		return audit.Write(ctx, tx, tenant, audit.Entry{
			Deed: deed, Who: session.Actor{Platform: session.Host, ID: p.By}, Details: map[string]string{"version": strconv.Itoa(p.Version)},
		})
	})
	if err != nil {
		return session.Prompt{}, fmt.Errorf("store the system prompt: %w", err)
	}
	p.At = p.At.UTC()
	return p, nil
}
