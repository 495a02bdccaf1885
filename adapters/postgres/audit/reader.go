package audit

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

type auditRow struct {
	Sequence                             int64
	At                                   time.Time
	Deed, Alias                          string
	WhoPlatform, Who                     string
	ForPlatform, For                     string
	Platform, Workspace, Channel, Thread string
	Direct, Private                      bool
	Turn, Outcome                        string
	Took                                 int64
	Models                               []session.ModelUse
	Documents                            []session.Shown
	Details                              map[string]string
}

// Reader reads the audit trail. It is safe for concurrent use.
type Reader struct{ db *postgres.DB }

var _ session.Audit = (*Reader)(nil)

// NewReader returns a reader of the audit trail in db.
func NewReader(db *postgres.DB) *Reader { return &Reader{db} }

const trailPage = 500

// Trail implements session.Audit. It fetches each page with a separate statement. Each page starts
// after the last entry of the previous page.
func (r *Reader) Trail(ctx context.Context, q session.AuditQuery) iter.Seq2[session.Entry, error] {
	return func(yield func(session.Entry, error) bool) {
		after := int64(0)
		since := q.Since
		for {
			page, err := r.trailPage(ctx, q, since, after)
			if err != nil {
				yield(session.Entry{}, fmt.Errorf("read the audit trail: %w", err))
				return
			}
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
			}
			if len(page) < trailPage {
				return
			}
			since, after = page[len(page)-1].At, page[len(page)-1].Sequence
		}
	}
}

func (r *Reader) trailPage(ctx context.Context, q session.AuditQuery, since time.Time, after int64) ([]session.Entry, error) {
	// Served by audit_at or audit_who, and by the primary key of audit_person.
	const page = `
		select a.sequence, a.at, a.deed, coalesce(a.who::text, ''), coalesce(p.platform, ''), coalesce(p.person, ''), coalesce(f.platform, ''), coalesce(f.person, ''),
			a.platform, case when a.direct then coalesce(nullif(p.workspace, ''), a.workspace) else a.workspace end,
			case when a.direct then coalesce(p.channel, '') else a.channel end, case when a.direct then coalesce(p.thread, '') else a.thread end,
			a.direct, a.private, coalesce(a.turn_id::text, ''), a.outcome, a.took, a.models, a.documents, a.details
		from audit a left join audit_person p on p.tenant_id = a.tenant_id and p.alias = a.who
			left join audit_person f on f.tenant_id = a.tenant_id and f.alias = (a.details ->> 'for')::uuid
		where a.tenant_id = $1 and (a.at, a.sequence) > ($2, $3) and ($4::timestamptz is null or a.at < $4)
		  and ($5 = '' or a.who in (select o.alias from audit_person o where o.tenant_id = $1 and o.person = $5) or a.who = $6::uuid)
		order by a.at, a.sequence limit $7`
	var alias *string
	if postgres.IsID(q.Who) {
		alias = &q.Who
	}
	rows, err := postgres.QueryAll[auditRow](ctx, r.db.Pool, page, q.Tenant, since, after, postgres.OrNull(q.Until), postgres.Storable(q.Who), alias, trailPage)
	if err != nil {
		return nil, err
	}
	entries := make([]session.Entry, len(rows))
	for i, r := range rows {
		about := r.Details[detailFor]
		delete(r.Details, detailFor)
		entries[i] = session.Entry{
			Sequence: r.Sequence, At: r.At.UTC(), Deed: session.Deed(r.Deed), Alias: r.Alias,
			Who: session.Actor{Platform: thread.Platform(r.WhoPlatform), ID: r.Who},
			For: session.Actor{Platform: thread.Platform(r.ForPlatform), ID: r.For}, ForAlias: about,
			Ref:    thread.Ref{Platform: thread.Platform(r.Platform), Workspace: r.Workspace, Channel: r.Channel, Thread: r.Thread},
			Direct: r.Direct, Private: r.Private, Turn: session.TurnID(r.Turn), Outcome: session.Outcome(r.Outcome),
			Took: time.Duration(r.Took) * time.Microsecond, Models: r.Models, Documents: r.Documents, Details: r.Details,
		}
	}
	return entries, nil
}
