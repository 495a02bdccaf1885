package retrieve_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// blended returns the keyword components by chunk.
func blended(entries []retrieve.Candidate) map[document.ChunkID]retrieve.Scores {
	most := 0.0
	for _, e := range entries {
		most = max(most, e.Flat)
	}
	scores := make(map[document.ChunkID]retrieve.Scores)
	for _, r := range retrieve.DefaultConfig().Blend(retrieve.List{Entries: entries, MaxFlat: most}, retrieve.Blending{}) {
		scores[r.Chunk] = r.Scores
	}
	return scores
}

// Of two pages whose best passages match alike, the one with more to say ranks first; without a
// second passage anywhere nothing changes.
func TestSupportFromOtherPassages(t *testing.T) {
	t.Parallel()
	chunk := func(id, first document.ChunkID, flat float64) retrieve.Candidate {
		return retrieve.Candidate{Chunk: id, First: first, Flat: flat, Boost: 1}
	}
	got := blended([]retrieve.Candidate{chunk(1, 1, 8), chunk(10, 10, 8), chunk(12, 10, 6), chunk(15, 10, 5), chunk(20, 20, 1)})
	if got[10].Keyword <= got[1].Keyword || got[1].Support != 0 || got[10].Support != got[12].Support || got[10].Support <= 0 {
		t.Errorf("scores are %+v", got)
	}
	alone := blended([]retrieve.Candidate{chunk(1, 1, 8), chunk(10, 10, 4), chunk(20, 20, 2)})
	if alone[1].Keyword != 1 || alone[20].Keyword != 0 || alone[10].Support != 0 || alone[10].Keyword < 0.33 || alone[10].Keyword > 0.34 {
		t.Errorf("scores of documents with one passage each are %+v", alone)
	}
}

// Within a document a passage that matches better never ranks behind one that matches less, and
// scores stay between 0 and 1.
func TestSupportKeepsOrderWithinDocument(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var entries []retrieve.Candidate
		for i := range rapid.IntRange(1, 40).Draw(t, "chunks") {
			entries = append(entries, retrieve.Candidate{Chunk: document.ChunkID(i), Boost: 1,
				First: document.ChunkID(i - i%rapid.IntRange(1, 5).Draw(t, "pages")), Flat: rapid.Float64Range(0, 20).Draw(t, "flat")})
		}
		scores := blended(entries)
		for _, a := range entries {
			for _, b := range entries {
				if a.First == b.First && a.Flat > b.Flat && scores[a.Chunk].Keyword < scores[b.Chunk].Keyword {
					t.Fatalf("%v matches better than %v of the same document and scores %v and %v", a.Chunk, b.Chunk, scores[a.Chunk], scores[b.Chunk])
				}
			}
			if k := scores[a.Chunk].Keyword; k < 0 || k > 1 {
				t.Fatalf("keyword score %v", k)
			}
		}
	})
}

// What only the semantic side chose changes nothing about how the candidates of the keyword side
// compare.
func TestKeywordScoresIgnoreSemanticCandidates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		list := retrieve.List{MaxFlat: 20}
		n := rapid.IntRange(3, 20).Draw(t, "chosen by keywords")
		for i := range n {
			list.Entries = append(list.Entries, retrieve.Candidate{Chunk: document.ChunkID(i), First: document.ChunkID(i / 3 * 3), Boost: 1,
				KeywordPos: i + 1, Flat: float64(40-i) / 2, Cosine: rapid.Float64Range(0, 1).Draw(t, "cosine")})
		}
		both := list
		both.Semantic = true
		for i := range rapid.IntRange(0, 20).Draw(t, "by meaning alone") {
			both.Entries = append(both.Entries, retrieve.Candidate{Chunk: document.ChunkID(1000 + i), First: document.ChunkID(1000), Boost: 1,
				VectorPos: i + 1, Flat: rapid.Float64Range(0, float64(40-n)/2).Draw(t, "flat"), Cosine: 0.5})
		}
		order := func(l retrieve.List) (chunks []document.ChunkID) {
			for _, r := range retrieve.DefaultConfig().Blend(l, retrieve.Blending{}) {
				if r.KeywordPos > 0 {
					chunks = append(chunks, r.Chunk)
				}
			}
			return chunks
		}
		if diff := cmp.Diff(order(list), order(both)); diff != "" {
			t.Fatalf("order by keywords without and with the semantic side (-want +got):\n%s", diff)
		}
	})
}
