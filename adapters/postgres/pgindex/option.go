package pgindex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sources"
	"github.com/jackc/pgx/v5"
)

// Options returns the options that SetOptions last stored for a source, or nil if there are none.
func (x *Index) Options(ctx context.Context, tenant access.TenantID, id document.SourceID) (json.RawMessage, error) {
	var options json.RawMessage
	err := x.db.Pool.QueryRow(ctx, `select options from source where tenant_id = $1 and id = $2 and options <> '{}'`,
		string(tenant), string(id)).Scan(&options)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look up the options of source %s: %w", id, err)
	}
	return options, nil
}

// Asked is a source with the options that the operator has set for it, and the state of its runs.
type Asked struct {
	Source  document.Source
	Options json.RawMessage // {} if none were stored
	sources.State
}

// AskedSources lists the sources of a tenant, ordered by id. It does not count their documents.
func (x *Index) AskedSources(ctx context.Context, tenant access.TenantID) ([]Asked, error) {
	rows, err := x.db.Pool.Query(ctx, `
		select `+sourceColumns+`, failures, options, (select max(heard_at) from source_hint h where h.tenant_id = s.tenant_id and h.source_id = s.id)
		from source s where tenant_id = $1 order by id`, string(tenant))
	if err != nil {
		return nil, fmt.Errorf("list sources with their options: %w", err)
	}
	asked, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Asked, error) {
		var r sourceRow
		var a Asked
		var heard *time.Time
		err := row.Scan(r.fields(&a.Failing, &a.Options, &heard)...)
		a.Last, a.PausedAt, a.HeardAt = r.run(), timeOf(r.PausedAt), timeOf(heard)
		a.Source, a.Resync = a.Last.Source, r.resyncs(a.Last.StartedAt)
		return a, err
	})
	if err != nil {
		return nil, fmt.Errorf("list sources with their options: %w", err)
	}
	return asked, nil
}

// SetOptions stores the operator's options for a source, a JSON object. It creates the source if it
// is new. by is the person who made the change, or the zero Actor for the configuration file.
//
// Call it before the source is read. Otherwise an interrupted run could leave documents whose
// options are unknown.
func (x *Index) SetOptions(ctx context.Context, tenant access.TenantID, src document.Source, options json.RawMessage, by session.Actor) error {
	err := x.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		var before json.RawMessage
		err := tx.QueryRow(ctx, `select options from source where tenant_id = $1 and id = $2 for update`, string(tenant), string(src.ID)).Scan(&before)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		if _, err := tx.Exec(ctx, `
			insert into source (tenant_id, id, kind, name, options) values ($1, $2, $3, $4, $5)
			on conflict (tenant_id, id) do update set options = excluded.options, kind = excluded.kind, name = excluded.name`,
			string(tenant), string(src.ID), string(src.Kind), clean(src.Name), options); err != nil {
			return err
		}
		details, err := optionChanges(before, options)
		// No entry if only the approval changed and no person changed it: a replica renewed it.
		if err != nil || len(details) == 0 || by == (session.Actor{}) && len(details) == 1 && details[approvalOption] != "" {
			return err
		}
		details["source"] = string(src.ID)
		return audit.Write(ctx, tx, tenant, audit.Entry{Deed: session.SourceChanged, Who: by, Details: details})
	})
	if err != nil {
		return fmt.Errorf("keep the options of source %s: %w", src.ID, err)
	}
	return nil
}

// approvalOption is the name of the option with the approval of a source's settings, which is a
// message authentication code. The audit trail omits its old value.
const approvalOption = "approval"

// optionChanges returns the options that differ between two JSON objects. The new value has the
// option's name as its key. The earlier value has the key "before_" and the name. Identifiers of
// people are redacted.
func optionChanges(before, now json.RawMessage) (map[string]string, error) {
	old, fresh := make(map[string]any), make(map[string]any)
	if err := json.Unmarshal(now, &fresh); err != nil {
		return nil, err
	}
	if before != nil {
		if err := json.Unmarshal(before, &old); err != nil {
			return nil, err
		}
	}
	changes := make(map[string]string)
	for key := range fresh {
		if was, is := optionText(old[key]), optionText(fresh[key]); was != is {
			changes[key], changes["before_"+key] = is, was
		}
	}
	for key := range old {
		if _, still := fresh[key]; !still {
			changes[key], changes["before_"+key] = "", optionText(old[key])
		}
	}
	delete(changes, "before_"+approvalOption)
	if changes[approvalOption] != "" {
		changes[approvalOption] = "new"
	}
	for key, value := range changes {
		if changes[key] = session.RedactPeople(value); value == "" && strings.HasPrefix(key, "before_") {
			delete(changes, key)
		}
	}
	return changes, nil
}

// optionText formats an option's value for the audit trail: a list as "a, b" and nil as the empty
// string.
func optionText(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case []any:
		parts := make([]string, len(v))
		for i, part := range v {
			parts[i] = fmt.Sprint(part)
		}
		return strings.Join(parts, ", ")
	default:
		return fmt.Sprint(v)
	}
}
