package pgsession

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/jackc/pgx/v5"
)

type numberedRow struct {
	Session string
	Number  int
	documentRow
}

// splitReferences says where to store the documents of each message. own has the documents to store
// with the message. inherited has the numbers of documents without text, which the session stores.
// splitReferences adds new documents to the session.
func splitReferences(ctx context.Context, q postgres.Executor, tenant access.TenantID, turn string, messages []message.Message) (
	own [][]message.Reference, inherited [][]int32, err error,
) {
	own, inherited = make([][]message.Reference, len(messages)), make([][]int32, len(messages))
	var numbers []int32
	first := make(map[int32]message.Reference)
	for _, m := range messages {
		for _, r := range m.Documents {
			if _, seen := first[int32(r.Number)]; !seen && r.Number > 0 {
				first[int32(r.Number)] = r
				numbers = append(numbers, int32(r.Number))
			}
		}
	}
	if len(numbers) == 0 {
		return own, inherited, nil
	}
	slices.Sort(numbers)
	known, err := assignNumbers(ctx, q, tenant, turn, numbers, first)
	if err != nil {
		return nil, nil, fmt.Errorf("number the documents of the session: %w", err)
	}
	for i, m := range messages {
		for _, r := range m.Documents {
			if r.Text == "" && r.Document.ID != "" && known[int32(r.Number)] == postgres.Storable(string(r.Document.ID)) {
				inherited[i] = append(inherited[i], int32(r.Number))
			} else {
				own[i] = append(own[i], r)
			}
		}
	}
	return own, inherited, nil
}

type refColumns struct {
	ids, sources, kinds, titles, urls []string
	updated                           []*time.Time
}

func (c *refColumns) add(d document.Ref) {
	c.ids, c.sources, c.kinds = append(c.ids, postgres.Storable(string(d.ID))), append(c.sources, string(d.Source)), append(c.kinds, string(d.Kind))
	c.titles, c.urls = append(c.titles, postgres.Storable(d.Title)), append(c.urls, postgres.Storable(d.URL))
	c.updated = append(c.updated, postgres.OrNull(d.UpdatedAt))
}

// assignNumbers stores documents under their numbers in the session of a turn. It returns the id of
// the document that each number now has. If a number was taken, it keeps its document.
func assignNumbers(ctx context.Context, q postgres.Executor, tenant access.TenantID, turn string, numbers []int32, shown map[int32]message.Reference) (map[int32]string, error) {
	known, err := storedNumbers(ctx, q, tenant, turn, numbers)
	if err != nil || len(known) == len(numbers) {
		return known, err
	}
	var fresh []int32
	var parts []string
	var refs refColumns
	for _, n := range numbers {
		if _, ok := known[n]; !ok {
			fresh, parts = append(fresh, n), append(parts, shown[n].Part)
			refs.add(shown[n].Document)
		}
	}
	const insert = `
		insert into session_document (tenant_id, session_id, number, document_id, source_id, kind, title, url, updated_at, part)
		select t.tenant_id, t.session_id, d.* from turn t
		cross join unnest($3::int[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::timestamptz[], $10::text[]) d
		where t.tenant_id = $1 and t.id = $2 on conflict do nothing`
	if _, err := q.Exec(ctx, insert, tenant, turn, fresh, refs.ids, refs.sources, refs.kinds, refs.titles, refs.urls, refs.updated, parts); err != nil {
		return nil, err
	}
	// Turns of a session end in order, but a shared copy may have taken a number meanwhile.
	return storedNumbers(ctx, q, tenant, turn, numbers)
}

func storedNumbers(ctx context.Context, q postgres.Executor, tenant access.TenantID, turn string, numbers []int32) (map[int32]string, error) {
	rows, err := q.Query(ctx, `
		select d.number, d.document_id from turn t
		join session_document d on d.tenant_id = t.tenant_id and d.session_id = t.session_id and d.number = any($3::int[])
		where t.tenant_id = $1 and t.id = $2`, tenant, turn, numbers)
	if err != nil {
		return nil, err
	}
	known := make(map[int32]string, len(numbers))
	var n int32
	var id string
	_, err = pgx.ForEachRow(rows, []any{&n, &id}, func() error { known[n] = id; return nil })
	return known, err
}

func loadInherited(ctx context.Context, q postgres.Executor, tenant access.TenantID, ids []string, by map[string]*message.Message) error {
	rows, err := q.Query(ctx, `
		select m.id::text, t.session_id::text, m.inherited from message m
		join turn t on t.tenant_id = m.tenant_id and t.id = m.turn_id
		where m.tenant_id = $1 and m.id = any($2::text[]::uuid[]) and m.inherited <> '{}'`, tenant, ids)
	if err != nil {
		return err
	}
	type heir struct {
		id, session string
		numbers     []int32
	}
	heirs, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (h heir, err error) {
		return h, row.Scan(&h.id, &h.session, &h.numbers)
	})
	if err != nil || len(heirs) == 0 {
		return err
	}
	var sessions []string
	wanted := make(map[int32]bool)
	for _, h := range heirs {
		if !slices.Contains(sessions, h.session) {
			sessions = append(sessions, h.session)
		}
		for _, n := range h.numbers {
			wanted[n] = true
		}
	}
	numbers := make([]int32, 0, len(wanted))
	for n := range wanted {
		numbers = append(numbers, n)
	}
	documents, err := postgres.QueryAll[numberedRow](ctx, q, `
		select session_id::text, number, document_id, source_id, kind, title, url, updated_at from session_document
		where tenant_id = $1 and session_id = any($2::text[]::uuid[]) and number = any($3::int[])`, tenant, sessions, numbers)
	if err != nil {
		return err
	}
	type place struct {
		session string
		number  int32
	}
	refs := make(map[place]document.Ref, len(documents))
	for _, d := range documents {
		refs[place{d.Session, int32(d.Number)}] = d.ref()
	}
	for _, h := range heirs {
		m := by[h.id]
		m.Documents = slices.Grow(m.Documents, len(h.numbers))
		for _, n := range h.numbers {
			m.Documents = append(m.Documents, message.Reference{Number: int(n), Document: refs[place{h.session, n}]})
		}
	}
	return nil
}
