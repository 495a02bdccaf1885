// Package audit stores the audit trail: who did what, and where. It stores people's identities in a
// separate table, so that a person can be forgotten. Other packages write an entry in the
// transaction of the action. Entries never change. Questions, answers and settings do not belong
// here. No decision reads the trail.
package audit

import (
	"context"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

// Entry is an entry of the audit trail. Write it in the transaction of the action that it records.
type Entry struct {
	Deed    session.Deed
	Who     session.Actor
	For     session.Actor // the person whom the action was about, if it is not Who
	At      thread.Ref
	Own     thread.Ref // for a direct message: its channel and thread, stored with the pseudonym
	Direct  bool
	Private bool
	Turn    string
	// Documents are the documents that were shown.
	Documents []session.Shown
	Details   map[string]string
}

// detailFor is the detail with the pseudonym of [Entry.For].
const detailFor = "for"

// Within returns a copy of the entry with Direct set to direct. If direct is true, the channel and
// thread move from At to Own, so that they can be forgotten together with the person.
func (e Entry) Within(direct bool) Entry {
	if e.Direct = direct; direct {
		e.Own, e.At.Channel, e.At.Thread = e.At, "", ""
	}
	return e
}

// Write adds an entry to the audit trail, in transaction tx.
func Write(ctx context.Context, tx pgx.Tx, tenant access.TenantID, e Entry) error {
	who, err := alias(ctx, tx, tenant, e.Who, e.Own)
	if err != nil {
		return err
	}
	const insert = `
		insert into audit (tenant_id, deed, who, platform, workspace, channel, thread, direct, private, turn_id, documents, details)
		values ($1, $2, $3::uuid, $4, $5, $6, $7, $8, $9, $10::uuid, $11, $12)`
	details := make(map[string]string, len(e.Details))
	for key, value := range e.Details {
		details[key] = postgres.Storable(value)
	}
	about, err := alias(ctx, tx, tenant, e.For, thread.Ref{})
	if err != nil {
		return err
	}
	if about != nil {
		details[detailFor] = *about
	}
	var turn *string
	if e.Turn != "" {
		turn = &e.Turn
	}
	_, err = tx.Exec(ctx, insert, tenant, e.Deed, who, e.At.Platform, postgres.Storable(e.At.Workspace), postgres.Storable(e.At.Channel), postgres.Storable(e.At.Thread),
		e.Direct, e.Private, turn, storable(e.Documents), details)
	if err != nil {
		return fmt.Errorf("write the audit trail: %w", err)
	}
	return nil
}

// WriteTurn adds an audit entry about a change to the question or answer of the turn id. by is the
// platform id of the person who made the change, or empty. For a direct message, the entry omits
// the channel and thread.
func WriteTurn(ctx context.Context, tx pgx.Tx, tenant access.TenantID, deed session.Deed, id, by string, details map[string]string) error {
	f, err := turnFacts(ctx, tx, tenant, id)
	if err != nil {
		return err
	}
	e := Entry{Deed: deed, At: f.ref(), Direct: f.Direct, Private: f.Private, Turn: id, Details: details}
	if f.Direct {
		e.At.Channel, e.At.Thread = "", ""
	}
	if by != "" {
		e.Who = session.Actor{Platform: e.At.Platform, ID: by}
	}
	return Write(ctx, tx, tenant, e)
}

// turnFact is the stored data about a turn from which its audit entry is made.
type turnFact struct {
	Asker, Platform, Workspace, Channel, Thread string
	Direct, Private                             bool
	Number                                      int
	Outcome                                     string
	Took                                        int64
	Origin, OriginAs                            string
	// Alias is the asker's pseudonym in the trail, or nil. Its row is locked until the transaction
	// ends.
	Alias *string
}

func (f turnFact) ref() thread.Ref {
	return thread.Ref{Platform: thread.Platform(f.Platform), Workspace: f.Workspace, Channel: f.Channel, Thread: f.Thread}
}

func turnFacts(ctx context.Context, tx pgx.Tx, tenant access.TenantID, id string) (turnFact, error) {
	// Served by the primary keys and audit_person's unique constraint.
	found, err := postgres.QueryAll[turnFact](ctx, tx, `
		select t.asker_id, s.platform, s.workspace, s.channel, s.thread, t.direct, s.owner <> '' and not t.direct, t.number, coalesce(t.outcome, ''),
			greatest(0, extract(epoch from coalesce(t.finished_at, clock_timestamp()) - t.intake_at) * 1000000)::bigint, coalesce(t.origin::text, ''), coalesce(t.origin_as, ''),
			(select p.alias::text from audit_person p
				where p.tenant_id = t.tenant_id and p.platform = s.platform and p.person = t.asker_id
				  and p.workspace = case when t.direct then s.workspace else '' end and p.channel = case when t.direct then s.channel else '' end
				  and p.thread = case when t.direct then s.thread else '' end for key share)
		from turn t join session s on s.tenant_id = t.tenant_id and s.id = t.session_id where t.tenant_id = $1 and t.id = $2`, tenant, id)
	if err != nil {
		return turnFact{}, fmt.Errorf("look up turn %s for the audit trail: %w", id, err)
	}
	if len(found) == 0 {
		return turnFact{}, session.ErrUnknownTurn
	}
	return found[0], nil
}

// End writes the audit entry of a turn that has ended, unless it exists already. It must be the
// last statement of its transaction.
func End(ctx context.Context, tx pgx.Tx, tenant access.TenantID, id string, saved session.Saved) error {
	f, err := turnFacts(ctx, tx, tenant, id)
	if err != nil {
		return err
	}
	at, own := f.ref(), thread.Ref{}
	if f.Direct {
		own = at
		at.Channel, at.Thread = "", ""
	}
	who := f.Alias
	if who == nil { // the first entry of the person
		if who, err = alias(ctx, tx, tenant, session.Actor{Platform: at.Platform, ID: f.Asker}, own); err != nil {
			return err
		}
	}
	details := map[string]string{}
	if f.Origin != "" {
		details["origin"], details["origin_as"] = f.Origin, f.OriginAs
	}
	const insert = `
		insert into audit (tenant_id, deed, who, platform, workspace, channel, thread, direct, private, turn_id, turn_number, outcome, took, models,
			documents, details)
		values ($1, 'turn', $2::uuid, $3, $4, $5, $6, $7, $8, $9::uuid, $10, $11, $12, $13, $14, $15)
		on conflict (tenant_id, turn_id, turn_number) where deed = 'turn' do nothing`
	_, err = tx.Exec(ctx, insert, tenant, who, at.Platform, at.Workspace, at.Channel, at.Thread, f.Direct, f.Private, id, f.Number, f.Outcome, f.Took,
		models(saved), documents(saved), details)
	if err != nil {
		return fmt.Errorf("write the end of turn %s into the audit trail: %w", id, err)
	}
	return nil
}

// EndAll calls End for turns that ended without a saved result.
func EndAll(ctx context.Context, tx pgx.Tx, tenant access.TenantID, ids []string) error {
	for _, id := range ids {
		if err := End(ctx, tx, tenant, id, session.Saved{}); err != nil {
			return err
		}
	}
	return nil
}

func models(saved session.Saved) []session.ModelUse {
	used := session.UsedIn(saved)
	for i := range used {
		used[i].Model = postgres.Storable(used[i].Model)
	}
	return used
}

func documents(saved session.Saved) []session.Shown { return storable(session.ShownIn(saved)) }

func storable(documents []session.Shown) []session.Shown {
	shown := append([]session.Shown{}, documents...)
	for i, d := range shown {
		shown[i].Document, shown[i].URL = document.ID(postgres.Storable(string(d.Document))), postgres.Storable(d.URL)
	}
	return shown
}

// alias returns the pseudonym of a person in the audit trail, and creates it if necessary. It
// returns nil if who is empty. For a direct message (own), the person has a separate pseudonym. Its
// row stays locked until the transaction ends.
func alias(ctx context.Context, tx pgx.Tx, tenant access.TenantID, who session.Actor, own thread.Ref) (*string, error) {
	if who.ID == "" {
		return nil, nil
	}
	args := []any{tenant, who.Platform, postgres.Storable(who.ID), postgres.Storable(own.Workspace), postgres.Storable(own.Channel), postgres.Storable(own.Thread)}
	// Served by the unique constraint.
	const known = `
		select alias::text from audit_person
		where tenant_id = $1 and platform = $2 and person = $3 and workspace = $4 and channel = $5 and thread = $6 for key share`
	const add = `
		insert into audit_person (tenant_id, platform, person, workspace, channel, thread, alias) values ($1, $2, $3, $4, $5, $6, gen_random_uuid())
		on conflict do nothing returning alias::text`
	var found string
	for _, sql := range []string{known, add, known} { // another process may add it in between
		err := tx.QueryRow(ctx, sql, args...).Scan(&found)
		if err == nil {
			return &found, nil
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return nil, fmt.Errorf("look up who is meant by the audit trail: %w", err)
		}
	}
	return nil, errors.New("look up who is meant by the audit trail: the person was forgotten at this moment")
}

// Forget deletes the link between a person and the person's pseudonyms in the audit trail. The
// entries remain. Write the entry that records the deletion before calling Forget.
func Forget(ctx context.Context, tx pgx.Tx, tenant access.TenantID, platform thread.Platform, person string) error {
	_, err := tx.Exec(ctx, `delete from audit_person where tenant_id = $1 and platform = $2 and person = $3`, tenant, platform, postgres.Storable(person))
	if err != nil {
		return fmt.Errorf("forget whom the audit trail means: %w", err)
	}
	return nil
}
