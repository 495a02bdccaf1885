package pgsession

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/pgvector/pgvector-go"
)

func turnIDs(asked []review.Question) []string {
	ids := make([]string, len(asked))
	for i, q := range asked {
		ids[i] = string(q.Turn)
	}
	return ids
}

// QuestionVectors returns the stored vectors of questions. It omits questions whose text has
// changed since their vector was stored.
func (s *Store) QuestionVectors(ctx context.Context, tenant access.TenantID, model string, asked []review.Question) (map[session.TurnID][]float32, error) {
	type row struct {
		ID     string
		Digest []byte
		Vector pgvector.Vector
	}
	// A join, because "= any" with a non-constant array compares each vector with each id.
	rows, err := postgres.QueryAll[row](ctx, s.db.Pool, `
		select v.turn_id::text, v.digest, v.emb from unnest($3::text[]::uuid[]) n (id)
		join question_vector v on v.tenant_id = $1 and v.model = $2 and v.turn_id = n.id`, tenant, model, turnIDs(asked))
	if err != nil {
		return nil, fmt.Errorf("load vectors of questions: %w", err)
	}
	texts := make(map[string]string, len(asked))
	for _, q := range asked {
		texts[string(q.Turn)] = q.Text
	}
	vectors := make(map[session.TurnID][]float32, len(asked))
	for _, r := range rows {
		if sha256.Sum256([]byte(texts[r.ID])) == [sha256.Size]byte(r.Digest) {
			vectors[session.TurnID(r.ID)] = r.Vector.Slice()
		}
	}
	return vectors, nil
}

// KeepQuestionVectors stores the vectors of questions and replaces earlier vectors. It skips
// questions that were changed or deleted in the meantime.
func (s *Store) KeepQuestionVectors(ctx context.Context, tenant access.TenantID, model string, asked []review.Question, vectors [][]float32) error {
	digests, embedded := make([][]byte, len(asked)), make([]string, len(asked))
	for i, q := range asked {
		digest := sha256.Sum256([]byte(q.Text))
		digests[i], embedded[i] = digest[:], pgvector.NewVector(vectors[i]).String()
	}
	_, err := s.db.Pool.Exec(ctx, `
		insert into question_vector (tenant_id, turn_id, model, digest, emb)
		select $1, n.id, $2, n.digest, n.emb::vector from unnest($3::text[]::uuid[], $4::bytea[], $5::text[]) n (id, digest, emb)
		join message q on q.tenant_id = $1 and q.turn_id = n.id and q.model_index = -1 and q.ordinal = 0 and sha256(convert_to(q.text, 'UTF8')) = n.digest
		for share of q
		on conflict (tenant_id, turn_id, model) do update set digest = excluded.digest, emb = excluded.emb`,
		tenant, model, turnIDs(asked), digests, embedded)
	if err != nil {
		return fmt.Errorf("store vectors of questions: %w", err)
	}
	return nil
}

// Nearest returns, for each question, the documents that are most likely about it, best first.
// These are the documents that the answer listed as close, followed by the first results of the
// search. The caller must check who may read them.
func (s *Store) Nearest(ctx context.Context, tenant access.TenantID, asked []review.Question) (map[session.TurnID][]document.Ref, error) {
	type foundRow struct {
		Document document.ID `json:"document_id"`
		Title    string      `json:"document_title"`
	}
	type row struct {
		ID      string
		Closest []closestRow
		Found   []foundRow
	}
	rows, err := postgres.QueryAll[row](ctx, s.db.Pool, `
		select r.turn_id::text, r.closest, jsonb_path_query_array(r.searches, '$[0].found[0 to 2]') from unnest($2::text[]::uuid[]) n (id)
		join run r on r.tenant_id = $1 and r.turn_id = n.id and r.model_index = 0`, tenant, turnIDs(asked))
	if err != nil {
		return nil, fmt.Errorf("load documents close to questions: %w", err)
	}
	near := make(map[session.TurnID][]document.Ref, len(rows))
	for _, r := range rows {
		seen := make(map[document.ID]bool)
		note := func(ref document.Ref) {
			if ref.ID != "" && !seen[ref.ID] {
				seen[ref.ID] = true
				near[session.TurnID(r.ID)] = append(near[session.TurnID(r.ID)], ref)
			}
		}
		for _, c := range r.Closest {
			note(document.Ref{ID: document.ID(c.ID), Source: document.SourceID(c.Source), Title: c.Title, URL: c.URL})
		}
		for _, f := range r.Found {
			note(document.Ref{ID: f.Document, Title: f.Title})
		}
	}
	return near, nil
}
