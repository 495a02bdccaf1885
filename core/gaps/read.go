package gaps

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/owner"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
)

// Store stores questions and their embedding vectors. It must be safe for concurrent use.
type Store interface {
	Questions(ctx context.Context, tenant access.TenantID, s review.Scope, q review.Query) ([]review.Question, error)
	// QuestionVectors returns the stored vectors of questions for a model. It omits questions that
	// were edited after their vector was stored.
	QuestionVectors(ctx context.Context, tenant access.TenantID, model string, asked []review.Question) (map[session.TurnID][]float32, error)
	// KeepQuestionVectors stores vectors and replaces earlier ones.
	KeepQuestionVectors(ctx context.Context, tenant access.TenantID, model string, asked []review.Question, vectors [][]float32) error
	// Nearest returns the documents nearest to questions, regardless of permissions.
	Nearest(ctx context.Context, tenant access.TenantID, asked []review.Question) (map[session.TurnID][]document.Ref, error)
}

// Reader makes reports of subjects that the documents do not cover. It is safe for concurrent use.
type Reader struct {
	Tenant  access.TenantID
	Store   Store
	Library interface {
		Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
	}
	Graph    knowledge.Graph
	Embedder func() (retrieve.Embedder, error)
	Group    func(context.Context, []Asked) ([][]int, error) // Group, or a cache of its results
	Now      func() time.Time
}

// Report returns a report on questions, asked since the given time, whose answers were missing or
// poor. It includes only questions that [Scope] permits, and names only documents and owners that
// the viewer may know.
func (r Reader) Report(ctx context.Context, v review.Viewer, since time.Time) (Report, error) {
	return r.In(ctx, Scope(v), v.Audience, since, r.Now())
}

// In is like Report, but for a given scope and period. audience must include everyone who reads the
// report.
func (r Reader) In(ctx context.Context, scope review.Scope, audience access.Audience, since, until time.Time) (Report, error) {
	found, err := r.Store.Questions(ctx, r.Tenant, scope, review.Query{Since: since, Until: until, Unsatisfying: true, Limit: MaxQuestions + 1})
	if err != nil {
		return Report{}, fmt.Errorf("find gaps: %w", err)
	}
	vectors, err := r.vectors(ctx, found[:min(len(found), MaxQuestions)])
	if err != nil {
		return Report{}, err
	}
	closest, err := r.closest(ctx, audience, found)
	if err != nil {
		return Report{}, err
	}
	asked := make([]Asked, len(found))
	for i, q := range found {
		asked[i] = Asked{Question: q, Vector: vectors[q.Turn], Closest: closest[q.Turn]}
	}
	report, err := Find(ctx, asked, since, until, r.Group)
	if err != nil {
		return Report{}, err
	}
	for i := range report.Clusters[:min(len(report.Clusters), maxOwned)] {
		if err := r.owners(ctx, audience, &report.Clusters[i]); err != nil {
			return Report{}, err
		}
	}
	return report, nil
}

const embedAtOnce = 64

func (r Reader) vectors(ctx context.Context, asked []review.Question) (map[session.TurnID][]float32, error) {
	embedder, err := r.Embedder()
	if err != nil {
		return nil, err
	}
	vectors, err := r.Store.QuestionVectors(ctx, r.Tenant, embedder.Model(), asked)
	if err != nil {
		return nil, fmt.Errorf("find gaps: %w", err)
	}
	missing := slices.DeleteFunc(slices.Clone(asked), func(q review.Question) bool { return q.Text == "" || vectors[q.Turn] != nil })
	for batch := range slices.Chunk(missing, embedAtOnce) {
		texts := make([]string, len(batch))
		for i, q := range batch {
			texts[i] = q.Text
		}
		made, err := embedder.Embed(ctx, retrieve.ForQuery, texts)
		if err != nil {
			return nil, fmt.Errorf("embed questions: %w", err)
		}
		for i, q := range batch {
			vectors[q.Turn] = made[i]
		}
		if err := r.Store.KeepQuestionVectors(ctx, r.Tenant, embedder.Model(), batch, made); err != nil {
			return nil, fmt.Errorf("find gaps: %w", err)
		}
	}
	return vectors, nil
}

// closest returns the documents nearest to each question that the audience may read, nearest first.
func (r Reader) closest(ctx context.Context, audience access.Audience, asked []review.Question) (map[session.TurnID][]document.Ref, error) {
	near, err := r.Store.Nearest(ctx, r.Tenant, asked)
	if err != nil {
		return nil, fmt.Errorf("find gaps: %w", err)
	}
	var ids []document.ID
	for _, refs := range near {
		for _, ref := range refs {
			ids = append(ids, ref.ID)
		}
	}
	slices.Sort(ids)
	readable, err := r.Library.Readable(ctx, audience, slices.Compact(ids))
	if err != nil {
		return nil, fmt.Errorf("find out what the viewer may read: %w", err)
	}
	for turn := range near {
		near[turn] = slices.DeleteFunc(near[turn], func(ref document.Ref) bool { return !readable[ref.ID] })
	}
	return near, nil
}

const (
	maxOwners = 5
	// maxOwned is the number of largest clusters for which owners are looked up.
	maxOwned = 50
)

func (r Reader) owners(ctx context.Context, audience access.Audience, c *Cluster) error {
	find := owner.Finder{Graph: r.Graph, Library: r.Library}
	for _, d := range c.Closest {
		owners, err := find.Of(ctx, audience, d, maxOwners)
		if err != nil {
			return err
		}
		for _, o := range owners {
			if !slices.Contains(c.Owners, o.Name) && len(c.Owners) < maxOwners {
				c.Owners = append(c.Owners, o.Name)
			}
		}
	}
	return nil
}
