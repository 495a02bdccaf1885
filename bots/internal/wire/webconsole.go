package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/webconsole"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/gaps"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
)

// Viewer returns what a person of the console may see at this moment. Platforms say who people are.
func (b *Base) Viewer(ctx context.Context, platforms Listeners, person access.Account) (review.Viewer, error) {
	if person.Platform == review.Terminal {
		return b.TerminalViewer(person.ID), nil
	}
	there, err := direct{b.Tenant, platforms}.Alone(ctx, person)
	if err != nil {
		return review.Viewer{}, fmt.Errorf("ask the platform about a person: %w", err)
	}
	if there.Tenant != b.Tenant || len(there.People) != 1 || there.People[0].Workspace != person.Workspace || there.People[0].ID != person.ID || there.Open {
		return review.Viewer{}, errors.New("this server is not connected to the workspace of the person")
	}
	if there.People[0].Gone {
		return review.Viewer{}, webconsole.ErrGone
	}
	audience, err := b.Resolver().Audience(ctx, there)
	if errors.Is(err, access.ErrGrants) { // it holds nothing of sources then
		b.Logger.WarnContext(ctx, "a person of the console is held to what the platform says", "error", err)
		err = nil
	}
	return review.Viewer{Person: person, Audience: audience}, err
}

// Gaps clusters the questions since a moment whose answers were missing or wanting, as far as a
// viewer may see them.
func (b *Base) Gaps(ctx context.Context, v review.Viewer, since time.Time) (gaps.Report, error) {
	sessions, until := b.Sessions(), time.Now()
	found, err := sessions.Questions(ctx, b.Tenant, gaps.Scope(v), review.Query{Since: since, Unsatisfying: true, Limit: gaps.MaxQuestions + 1})
	if err != nil {
		return gaps.Report{}, err
	}
	vectors, err := b.questionVectors(ctx, found[:min(len(found), gaps.MaxQuestions)])
	if err != nil {
		return gaps.Report{}, err
	}
	closest, err := b.closest(ctx, v.Audience, found)
	if err != nil {
		return gaps.Report{}, err
	}
	asked := make([]gaps.Asked, len(found))
	for i, q := range found {
		asked[i] = gaps.Asked{Question: q, Vector: vectors[q.Turn], Closest: closest[q.Turn]}
	}
	report := gaps.Find(asked, since, until)
	for i := range report.Clusters {
		if err := b.owners(ctx, v.Audience, &report.Clusters[i]); err != nil {
			return gaps.Report{}, err
		}
	}
	return report, nil
}

// questionVectors embeds those questions that were not embedded before.
func (b *Base) questionVectors(ctx context.Context, asked []review.Question) (map[session.TurnID][]float32, error) {
	embedder, err := b.Embedder()
	if err != nil {
		return nil, err
	}
	sessions := b.Sessions()
	vectors, err := sessions.QuestionVectors(ctx, b.Tenant, embedder.Model(), asked)
	if err != nil {
		return nil, err
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
		if err := sessions.KeepQuestionVectors(ctx, b.Tenant, embedder.Model(), batch, made); err != nil {
			return nil, err
		}
	}
	return vectors, nil
}

// embedAtOnce is how many questions are embedded in a call.
const embedAtOnce = 64

// closest is for each question which documents were close to it, of those that the audience may
// read.
func (b *Base) closest(ctx context.Context, audience access.Audience, asked []review.Question) (map[session.TurnID][]document.Ref, error) {
	near, err := b.Sessions().Nearest(ctx, b.Tenant, asked)
	if err != nil {
		return nil, err
	}
	var ids []document.ID
	for _, refs := range near {
		for _, r := range refs {
			ids = append(ids, r.ID)
		}
	}
	slices.Sort(ids)
	readable, err := library{b.checked()}.Readable(ctx, audience, slices.Compact(ids))
	if err != nil {
		return nil, err
	}
	for turn := range near {
		near[turn] = slices.DeleteFunc(near[turn], func(r document.Ref) bool { return !readable[r.ID] })
	}
	return near, nil
}

// maxOwners is how many owners a cluster names.
const maxOwners = 5

// owners adds who owns the closest documents, by what documents state that the audience may read.
func (b *Base) owners(ctx context.Context, audience access.Audience, c *gaps.Cluster) error {
	graph := checkedGraph{b.Knowledge(), b.checked().Readable}
	for _, d := range c.Closest {
		form := knowledge.Form(d.Title)
		if !knowledge.Nameable(form) {
			continue
		}
		stated, err := graph.Statements(ctx, knowledge.Question{
			Audience: audience, Names: []string{form}, Relations: []knowledge.Relation{knowledge.Owns}, Object: true, Limit: 4 * maxOwners,
		})
		if err != nil {
			return fmt.Errorf("ask who owns a document: %w", err)
		}
		readable, err := b.checked().Readable(ctx, audience, statedBy(stated))
		if err != nil {
			return err
		}
		for _, s := range stated {
			if readable[s.Document.ID] && s.ObjectRef != nil && s.ObjectRef.ID == d.ID && !slices.Contains(c.Owners, s.Subject) && len(c.Owners) < maxOwners {
				c.Owners = append(c.Owners, s.Subject)
			}
		}
	}
	return nil
}

func statedBy(stated []knowledge.Statement) []document.ID {
	ids := make([]document.ID, len(stated))
	for i, s := range stated {
		ids[i] = s.Document.ID
	}
	return ids
}
