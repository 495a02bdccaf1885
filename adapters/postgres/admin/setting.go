// Package admin stores workspace-wide data: the tenant of each workspace, its members and their
// changes, chat settings, the system prompt, and model costs. Data of a single conversation or
// document does not belong here.
package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

// Settings stores chat settings and the system prompt for all replicas. It is safe for concurrent
// use by any number of processes.
type Settings struct{ db *postgres.DB }

var _ session.Settings = (*Settings)(nil)

// NewSettings returns the Settings stored in db.
func NewSettings(db *postgres.DB) *Settings { return &Settings{db} }

type settingRow struct {
	Platform, Workspace, Channel, Key, Value, By string
	At                                           time.Time
}

const settingColumns = `select platform, workspace, channel, key, value, changed_by, changed_at from setting `

// Settings implements session.Settings.
func (s *Settings) Settings(ctx context.Context, tenant access.TenantID, at session.Place) ([]session.Setting, error) {
	// Served by the primary key. More general settings come first, because the empty name sorts
	// before all others.
	const of = settingColumns + `
		where tenant_id = $1 and platform = $2 and (workspace, channel) in (('', ''), ($3, ''), ($3, $4), ('', $4))
		order by channel, workspace, key`
	return s.settings(ctx, of, tenant, at.Platform, at.Workspace, at.Channel)
}

// AllSettings implements session.Settings.
func (s *Settings) AllSettings(ctx context.Context, tenant access.TenantID) ([]session.Setting, error) {
	return s.settings(ctx, settingColumns+`where tenant_id = $1 order by platform, workspace, channel, key`, tenant)
}

func (s *Settings) settings(ctx context.Context, sql string, args ...any) ([]session.Setting, error) {
	rows, err := postgres.QueryAll[settingRow](ctx, s.db.Pool, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("load changed settings: %w", err)
	}
	all := make([]session.Setting, len(rows))
	for i, r := range rows {
		all[i] = session.Setting{
			Place: session.Place{Platform: thread.Platform(r.Platform), Workspace: r.Workspace, Channel: r.Channel},
			Key:   r.Key, Value: r.Value, By: r.By, At: r.At.UTC(),
		}
	}
	return all, nil
}

// ChangeSettings implements session.Settings.
func (s *Settings) ChangeSettings(ctx context.Context, tenant access.TenantID, at session.Place, by session.Actor, changes ...session.SettingChange) error {
	// Rows are locked in this order.
	changes = slices.SortedStableFunc(slices.Values(changes), func(a, b session.SettingChange) int { return cmp.Compare(a.Key, b.Key) })
	err := s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		for _, c := range changes {
			if err := changeSetting(ctx, tx, tenant, at, by, c); err != nil {
				return fmt.Errorf("the setting %s: %w", c.Key, err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("change settings: %w", err)
	}
	return nil
}

func changeSetting(ctx context.Context, tx pgx.Tx, tenant access.TenantID, at session.Place, by session.Actor, c session.SettingChange) error {
	const (
		insert = `
		insert into setting (tenant_id, platform, workspace, channel, key, value, changed_by) values ($1, $2, $3, $4, $5, $6, $7)
		on conflict (tenant_id, platform, workspace, channel, key) do `
		replace = insert + `update set value = excluded.value, changed_by = excluded.changed_by, changed_at = clock_timestamp()`
		reset   = `delete from setting where tenant_id = $1 and platform = $2 and workspace = $3 and channel = $4 and key = $5`
	)
	before, found, err := settingNow(ctx, tx, tenant, at, c.Key)
	if err != nil {
		return err
	}
	if c.Was != nil && *c.Was != before {
		return session.ErrSettingChanged
	}
	details := map[string]string{"key": c.Key, "before": session.RedactPeople(before)}
	if c.Value == "" {
		if !found {
			return nil
		}
		if _, err := tx.Exec(ctx, reset, tenant, at.Platform, at.Workspace, at.Channel, c.Key); err != nil {
			return err
		}
		return changed(ctx, tx, tenant, session.SettingReset, at, by, details)
	}
	set := replace
	if c.Was != nil && !found { // no row is locked, so another person may insert it
		set = insert + `nothing`
	}
	stored, err := tx.Exec(ctx, set, tenant, at.Platform, at.Workspace, at.Channel, c.Key, postgres.Storable(c.Value), session.AuthorOf(at, by))
	if err != nil {
		return err
	}
	if stored.RowsAffected() == 0 {
		return session.ErrSettingChanged
	}
	details["value"] = session.RedactPeople(c.Value)
	return changed(ctx, tx, tenant, session.SettingSet, at, by, details)
}

// settingNow returns the stored value of a setting and locks it until the transaction ends. found
// is false if no value is stored.
func settingNow(ctx context.Context, tx pgx.Tx, tenant access.TenantID, at session.Place, key string) (value string, found bool, err error) {
	const now = `select value from setting where tenant_id = $1 and platform = $2 and workspace = $3 and channel = $4 and key = $5 for update`
	err = tx.QueryRow(ctx, now, tenant, at.Platform, at.Workspace, at.Channel, key).Scan(&value)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	return value, err == nil, err
}

func changed(ctx context.Context, tx pgx.Tx, tenant access.TenantID, deed session.Deed, at session.Place, by session.Actor, details map[string]string) error {
	return audit.Write(ctx, tx, tenant, audit.Entry{
		Deed: deed, Who: by,
		At: thread.Ref{Platform: at.Platform, Workspace: at.Workspace, Channel: at.Channel}, Details: details,
	})
}
