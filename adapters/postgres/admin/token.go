package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/mcp"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

// Tokens stores personal access tokens and records changes to them in the audit trail. It is safe
// for concurrent use by any number of processes.
type Tokens struct{ db *postgres.DB }

var (
	_ mcp.Tokens     = (*Tokens)(nil)
	_ mcp.Journal    = (*Tokens)(nil)
	_ command.Tokens = (*Tokens)(nil)
)

// NewTokens returns the Tokens stored in db.
func NewTokens(db *postgres.DB) *Tokens { return &Tokens{db} }

const tokenColumns = `id, name, platform, workspace, person, created_at, expires_at, revoked_at, used_at`

// Find implements mcp.Tokens.
func (s *Tokens) Find(ctx context.Context, tenant access.TenantID, hash mcp.Hash) (mcp.Token, error) {
	// Served by the unique constraint.
	rows, err := s.db.Pool.Query(ctx, `select `+tokenColumns+` from access_token where tenant_id = $1 and hash = $2`, tenant, hash[:])
	if err != nil {
		return mcp.Token{}, fmt.Errorf("look up a token: %w", err)
	}
	t, err := pgx.CollectExactlyOneRow(rows, scanToken)
	if errors.Is(err, pgx.ErrNoRows) {
		return mcp.Token{}, mcp.ErrUnknownToken
	}
	if err != nil {
		return mcp.Token{}, fmt.Errorf("look up a token: %w", err)
	}
	return t, nil
}

// List returns the tokens of a tenant, oldest first.
func (s *Tokens) List(ctx context.Context, tenant access.TenantID) ([]mcp.Token, error) {
	return s.list(ctx, `select `+tokenColumns+` from access_token where tenant_id = $1 order by created_at, id`, tenant)
}

// Of implements command.Tokens.
func (s *Tokens) Of(ctx context.Context, tenant access.TenantID, person access.Account) ([]mcp.Token, error) {
	const own = `select ` + tokenColumns + ` from access_token where tenant_id = $1 and platform = $2 and workspace = $3 and person = $4 order by created_at, id`
	return s.list(ctx, own, tenant, person.Platform, person.Workspace.ID, person.ID)
}

func (s *Tokens) list(ctx context.Context, sql string, arguments ...any) ([]mcp.Token, error) {
	rows, err := s.db.Pool.Query(ctx, sql, arguments...)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	all, err := pgx.CollectRows(rows, scanToken)
	if err != nil {
		return nil, fmt.Errorf("list tokens: %w", err)
	}
	return all, nil
}

func scanToken(row pgx.CollectableRow) (mcp.Token, error) {
	var t mcp.Token
	var revoked, used *time.Time
	err := row.Scan(&t.ID, &t.Name, &t.Person.Platform, &t.Person.Workspace.ID, &t.Person.ID, &t.Created, &t.Expires, &revoked, &used)
	t.Created, t.Expires = t.Created.UTC(), t.Expires.UTC()
	for at, from := range map[*time.Time]*time.Time{&t.Revoked: revoked, &t.Used: used} {
		if from != nil {
			*at = from.UTC()
		}
	}
	return t, err
}

// Create stores a token that is valid for lifetime by the database's clock. It returns when the
// token expires.
func (s *Tokens) Create(
	ctx context.Context, tenant access.TenantID, t mcp.Token, hash mcp.Hash, lifetime time.Duration, by session.Actor,
) (expires time.Time, err error) {
	err = s.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		const add = `
			insert into access_token (tenant_id, id, hash, name, platform, workspace, person, created_by, expires_at)
			values ($1, $2, $3, $4, $5, $6, $7, $8, clock_timestamp() + $9::bigint * interval '1 second') returning expires_at`
		if err := tx.QueryRow(ctx, add, tenant, t.ID, hash[:], postgres.Storable(t.Name), t.Person.Platform, postgres.Storable(t.Person.Workspace.ID),
			postgres.Storable(t.Person.ID), postgres.Storable(by.ID), int64(lifetime/time.Second)).Scan(&expires); err != nil {
			return err
		}
		return audit.Write(ctx, tx, tenant, tokenEntry(session.TokenCreated, t.ID, t.Person, by))
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("store a token: %w", err)
	}
	return expires.UTC(), nil
}

// Revoke revokes tokens at once. It returns the ids of the tokens that existed and were not revoked
// before.
func (s *Tokens) Revoke(ctx context.Context, tenant access.TenantID, ids []string, by session.Actor) (ended []string, err error) {
	err = s.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		const revoke = `
			update access_token set revoked_at = clock_timestamp()
			where tenant_id = $1 and id = any($2::text[]) and revoked_at is null returning id, platform, workspace, person`
		type row struct{ ID, Platform, Workspace, Person string }
		rows, err := postgres.QueryAll[row](ctx, tx, revoke, tenant, ids)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := audit.Write(ctx, tx, tenant, tokenEntry(session.TokenRevoked, r.ID, account(r.Platform, r.Workspace, r.Person), by)); err != nil {
				return err
			}
			ended = append(ended, r.ID)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("revoke tokens: %w", err)
	}
	return ended, nil
}

func tokenEntry(deed session.Deed, id string, p access.Account, by session.Actor) audit.Entry {
	return about(audit.Entry{Deed: deed, Who: by, Details: map[string]string{"token": id}}, p)
}

// Called implements mcp.Journal.
func (s *Tokens) Called(ctx context.Context, tenant access.TenantID, c mcp.Called) error {
	err := s.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		details := map[string]string{"tool": c.Tool, "outcome": string(c.Outcome), "door": string(c.Door)}
		if c.Token != "" {
			details["token"] = c.Token
			const used = `
				update access_token set used_at = clock_timestamp()
				where tenant_id = $1 and id = $2 and (used_at is null or used_at < clock_timestamp() - interval '1 minute')`
			if _, err := tx.Exec(ctx, used, tenant, c.Token); err != nil {
				return err
			}
		}
		return audit.Write(ctx, tx, tenant, audit.Entry{
			Deed: session.ToolCalled, Who: c.Who, At: thread.Ref{Platform: c.At.Platform, Workspace: c.At.Workspace}, Private: true,
			Documents: c.Documents, Details: details,
		})
	})
	if err != nil {
		return fmt.Errorf("note a tool call: %w", err)
	}
	return nil
}
