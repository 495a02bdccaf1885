package pgknowledge

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/extract"
	"github.com/jackc/pgx/v5"
)

// Texts stores the facts that a model extracted from texts. It is safe for concurrent use by any
// number of processes.
type Texts struct{ db *postgres.DB }

// NewTexts returns the Texts stored in db.
func NewTexts(db *postgres.DB) *Texts { return &Texts{db: db} }

// Known implements extract.Store. It returns the stored results of texts, by digest.
//
// The statement uses the primary key.
func (t *Texts) Known(ctx context.Context, tenant access.TenantID, texts []extract.Digest) (map[extract.Digest]extract.Outcome, error) {
	rows, err := t.db.Pool.Query(ctx, `
		select digest, coalesce(found, '[]'), found is not null, reason from extraction
		where tenant_id = $1 and digest = any($2::bytea[]) and (found is not null or reason <> '')`, string(tenant), digestsOf(texts))
	if err != nil {
		return nil, fmt.Errorf("look up what was read from texts: %w", err)
	}
	known := make(map[extract.Digest]extract.Outcome)
	var digest, found []byte
	var o extract.Outcome
	if _, err := pgx.ForEachRow(rows, []any{&digest, &found, &o.Read, &o.Reason}, func() error {
		o.Found = nil
		if err := json.Unmarshal(found, &o.Found); err != nil {
			return err
		}
		known[extract.Digest(digest)] = o
		return nil
	}); err != nil {
		return nil, fmt.Errorf("look up what was read from texts: %w", err)
	}
	return known, nil
}

// givenUp is the reason for abandoning a text after all attempts have failed.
const givenUp = "the model gave no answer, or the process that asked it ended, in each of the attempts"

// Claim implements extract.Store. It reserves a text for the caller.
//
// The statement uses primary keys.
func (t *Texts) Claim(ctx context.Context, tenant access.TenantID, text extract.Digest) (extract.Claim, error) {
	var claim extract.Claim
	// If two calls insert at once, the second waits for the first and then finds its lease.
	err := t.db.Pool.QueryRow(ctx, `
		with mine as (
			insert into extraction as e (tenant_id, digest, attempts, leased_until) values ($1, $2, 1, now() + $3::bigint * interval '1 second')
			on conflict (tenant_id, digest) do update set
				attempts = e.attempts + 1, leased_until = excluded.leased_until, reason = case when e.attempts >= $4 then $5 else '' end
			where e.found is null and e.reason = '' and e.leased_until <= now()
			returning reason
		)
		select case when exists (select from mine where reason = '') then $6::int
			when exists (select from mine) or exists (select from extraction where tenant_id = $1 and digest = $2 and (found is not null or reason <> '')) then $7::int
			else $8::int end`,
		string(tenant), text[:], int64(extract.Lease.Seconds()), extract.MostAttempts, givenUp, extract.Mine, extract.Settled, extract.Elsewhere).Scan(&claim)
	if err != nil {
		return claim, fmt.Errorf("take a text to be read: %w", err)
	}
	return claim, nil
}

// Settle implements extract.Store. It stores the result for a text.
func (t *Texts) Settle(ctx context.Context, tenant access.TenantID, text extract.Digest, o extract.Outcome) error {
	var err error
	if o.Again {
		_, err = t.db.Pool.Exec(ctx, `update extraction set leased_until = now(), attempts = attempts - $3::int where tenant_id = $1 and digest = $2 and found is null`,
			string(tenant), text[:], map[bool]int{false: 1}[o.Counted])
	} else {
		var found []byte
		if o.Read {
			if found, err = json.Marshal(append([]extract.Relation{}, o.Found...)); err != nil {
				return fmt.Errorf("keep what was read from a text: %w", err)
			}
		}
		_, err = t.db.Pool.Exec(ctx, `update extraction set found = $3, reason = $4, dropped = $5, took_ms = $6 where tenant_id = $1 and digest = $2`,
			string(tenant), text[:], found, postgres.Storable(o.Reason), o.Dropped, o.Took.Milliseconds())
	}
	if err != nil {
		return fmt.Errorf("keep what was read from a text: %w", err)
	}
	return nil
}

// Extracted records that a model has read a document. way is the digest of the model and its
// instructions, and texts are the digests of the document's passages. It must be called in the
// transaction that writes the facts. [Drop] deletes the record.
func Extracted(ctx context.Context, tx pgx.Tx, tenant access.TenantID, way extract.Digest, d extract.Document, texts []extract.Digest) error {
	if _, err := tx.Exec(ctx, `insert into extracted (tenant_id, shard, document, first_chunk, way, digests) values ($1, $2, $3, $4, $5, $6)`,
		string(tenant), d.Shard, d.Row, d.First, way[:], digestsOf(texts)); err != nil {
		return fmt.Errorf("note that a document was read: %w", err)
	}
	return nil
}

// Forget deletes the facts of texts that no document has contained for about a day. The delay keeps
// the facts of documents that are being replaced. Forget also deletes rows that older versions of
// the program left behind for deleted documents.
func (t *Texts) Forget(ctx context.Context) error {
	const used = `exists (select from (select tenant_id, unnest(digests) as digest from extracted) x where x.tenant_id = e.tenant_id and x.digest = e.digest)`
	var work pgx.Batch
	work.Queue(`delete from extracted x where not exists (
		select from document d where d.tenant_id = x.tenant_id and d.shard = x.shard and d.id = x.document and d.first_chunk = x.first_chunk)`)
	work.Queue(`delete from extraction e where unused_since < now() - interval '20 hours' and (found is not null or leased_until <= now()) and not ` + used)
	work.Queue(`update extraction e set unused_since = null where unused_since is not null and ` + used)
	work.Queue(`update extraction e set unused_since = now() where unused_since is null and not ` + used)
	if err := t.db.Pool.SendBatch(ctx, &work).Close(); err != nil {
		return fmt.Errorf("forget what was read from texts that are gone: %w", err)
	}
	return nil
}

// Again deletes the failures of abandoned texts, so that they are tried again. It returns the
// number of texts.
func (t *Texts) Again(ctx context.Context, tenant access.TenantID) (int64, error) {
	tag, err := t.db.Pool.Exec(ctx, `
		with again as (delete from extraction where tenant_id = $1 and reason <> '' returning digest),
		due as (delete from extracted where tenant_id = $1 and digests && (select array_agg(digest) from again))
		select from again`, string(tenant))
	if err != nil {
		return 0, fmt.Errorf("forget which texts were given up: %w", err)
	}
	return tag.RowsAffected(), nil
}

// TextsSize counts the texts that a model has read, and the facts that it found in them.
type TextsSize struct {
	Read, Failed, Stated, Dropped int64
	Documents, Due                int64 // documents read by the current model, and still to read
	Took                          time.Duration
	Reasons                       map[string]int64 // why texts were given up
}

// Size counts the texts that models have read, and the facts in them. It is for operators and does
// not check permissions. way is the digest of the current model and its instructions.
func (t *Texts) Size(ctx context.Context, tenant access.TenantID, way extract.Digest) (TextsSize, error) {
	s := TextsSize{Reasons: make(map[string]int64)}
	var took float64
	err := t.db.Pool.QueryRow(ctx, `
		select count(*) filter (where found is not null), count(*) filter (where reason <> ''), coalesce(sum(jsonb_array_length(found)), 0), coalesce(sum(dropped), 0),
		       coalesce(avg(took_ms) filter (where found is not null), 0),
		       (select count(*) from document d join extracted x using (tenant_id, shard, first_chunk) where d.tenant_id = $1 and x.document = d.id and x.way = $2),
		       (select count(*) from document where tenant_id = $1 and chunk_count > 0)
		from extraction where tenant_id = $1`, string(tenant), way[:]).Scan(&s.Read, &s.Failed, &s.Stated, &s.Dropped, &took, &s.Documents, &s.Due)
	if err != nil {
		return s, fmt.Errorf("count what was read: %w", err)
	}
	s.Due -= s.Documents
	s.Took = time.Duration(took * float64(time.Millisecond))
	rows, err := t.db.Pool.Query(ctx, `select reason, count(*) from extraction where tenant_id = $1 and reason <> '' group by reason order by 2 desc limit 5`, string(tenant))
	if err != nil {
		return s, fmt.Errorf("count what was read: %w", err)
	}
	var reason string
	var n int64
	if _, err := pgx.ForEachRow(rows, []any{&reason, &n}, func() error { s.Reasons[reason] = n; return nil }); err != nil {
		return s, fmt.Errorf("count what was read: %w", err)
	}
	return s, nil
}

func digestsOf(texts []extract.Digest) [][]byte {
	out := make([][]byte, len(texts))
	for i := range texts {
		out[i] = texts[i][:]
	}
	return out
}
