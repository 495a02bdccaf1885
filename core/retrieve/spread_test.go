package retrieve_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/google/go-cmp/cmp"
)

// naming says which documents passages name, by id. It is a function, so that a test can do
// something in the middle of a search.
type naming func(q knowledge.Question, passages []document.ChunkID) ([]knowledge.Neighbour, error)

func (n naming) Neighbours(_ context.Context, q knowledge.Question, passages []document.ChunkID) ([]knowledge.Neighbour, error) {
	return n(q, passages)
}

// towns are documents of which the first names the second, and nothing that somebody asks about the
// first stands in the second. Their chunks are numbered in order.
func towns(t *testing.T) *retrievetest.Memory {
	t.Helper()
	m := retrievetest.NewMemory()
	if err := m.Put(t.Context(), access.DefaultTenant,
		retrievetest.One("person", "Neville Stanton", "Neville Stanton works for the University of Southampton."),
		retrievetest.One("town", "University of Southampton", "It was founded in 1862."),
		retrievetest.One("other", "Stanton", "Stanton is a town."), retrievetest.One("far", "Glass", "Glass is made of sand.")); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSearchFollowsMentions(t *testing.T) {
	t.Parallel()
	var asked knowledge.Question
	h := newHybrid(t, towns(t), nil, nil).WithNeighbours(naming(func(q knowledge.Question, passages []document.ChunkID) ([]knowledge.Neighbour, error) {
		asked = q
		return []knowledge.Neighbour{{From: passages[0], First: 1, Siblings: 1, Boost: 1, Owners: 1, Uses: 1}}, nil
	}))
	s := ask("For whom does Neville Stanton work?")
	s.Sources, s.Keep = []document.SourceID{"docs"}, 100
	got := search(t, h, s)
	if diff := cmp.Diff([]document.ID{"person", "town", "other"}, documents(got)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	best, near := got.Hits[0].Scores, got.Hits[1].Scores
	if near.Knowledge <= 0 || near.Score != near.Knowledge || near.Score >= best.Score || best.Knowledge != 0 || got.Trace.Timings["knowledge"] <= 0 {
		t.Errorf("scores %+v and %+v", best, near)
	}
	if diff := cmp.Diff([]document.SourceID{"docs"}, asked.Sources); diff != "" || asked.Audience.Key() != s.Audience.Key() {
		t.Errorf("the step was asked for %+v", asked)
	}
	if len(got.Ranking.Chunks) != 3 || got.Ranking.Chunks[1].Chunk != 1 {
		t.Errorf("further pages hold %+v", got.Ranking.Chunks)
	}
}

// A name that many have, or that stands everywhere, says little.
func TestCommonNamesWeighLittle(t *testing.T) {
	t.Parallel()
	worth := func(owners, uses int) float64 {
		h := newHybrid(t, towns(t), nil, nil).WithNeighbours(naming(func(_ knowledge.Question, passages []document.ChunkID) ([]knowledge.Neighbour, error) {
			return []knowledge.Neighbour{{From: passages[0], First: 1, Siblings: 1, Boost: 1, Owners: owners, Uses: uses}}, nil
		}))
		for _, hit := range search(t, h, ask("stanton works town")).Hits {
			if hit.Document.ID == "town" {
				return hit.Scores.Knowledge
			}
		}
		return 0
	}
	if one, owned, used := worth(1, 1), worth(9, 1), worth(1, 130); one <= 0 || owned > one/2 || used > one/2 {
		t.Errorf("a name of one is worth %v, of nine documents %v, in 130 passages %v", one, owned, used)
	}
}

// Where the step cannot be taken, or finds nothing, the search stands as it is.
func TestSearchWithoutMentions(t *testing.T) {
	t.Parallel()
	plain := search(t, newHybrid(t, towns(t), nil, nil), ask("stanton works town"))
	for name, fails := range map[string]error{"fails": errors.New("no connection"), "finds nothing": nil} {
		h := newHybrid(t, towns(t), nil, nil).WithNeighbours(naming(func(knowledge.Question, []document.ChunkID) ([]knowledge.Neighbour, error) { return nil, fails }))
		got := search(t, h, ask("stanton works town"))
		if diff := cmp.Diff(plain.Hits, got.Hits); diff != "" || (got.Trace.Notice != "") != (fails != nil) {
			t.Errorf("%s: notice %q, hits (-want +got):\n%s", name, got.Trace.Notice, diff)
		}
	}
}

// Access that is taken away between the step and the passages: nothing of the document is shown.
func TestAccessRevokedDuringSpread(t *testing.T) {
	t.Parallel()
	m := towns(t)
	h := newHybrid(t, m, nil, nil).WithNeighbours(naming(func(_ knowledge.Question, passages []document.ChunkID) ([]knowledge.Neighbour, error) {
		near := []knowledge.Neighbour{{From: passages[0], First: 1, Siblings: 1, Boost: 1, Owners: 1, Uses: 1}}
		return near, m.SetACL(t.Context(), access.DefaultTenant, access.ACL{"group:board"}, "town")
	}))
	got := search(t, h, ask("stanton works town"))
	if got := documents(got); len(got) != 2 || slices.Contains(got, "town") {
		t.Errorf("shown: %v, and town may not be read any more", got)
	}
}

var _ retrieve.Neighbours = naming(nil)
