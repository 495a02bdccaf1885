package pgindex_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/postgres/pgknowledge"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/engine/enginetest"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Words and titles of the documents of two worlds: few, so that hidden and readable ones share
// them.
var (
	worldWords  = []string{"lighthouse", "foghorn", "keeper", "harbour", "lamp", "rota", "signal", "oil", "the", "weekly"}
	worldTitles = []string{"", "Foghorn manual", "Lighthouse", "Keeper rota", "Harbour rules"}
)

// engineWorlds is how many pairs of worlds are compared with a search engine, which is filled again
// for each.
const engineWorlds = 10

func worldDocument(rt *rapid.T, id string, acl access.Principal) index.Entry {
	var texts []string
	for range rapid.IntRange(1, 3).Draw(rt, "chunks") {
		words := rapid.SliceOfN(rapid.SampledFrom(append(slices.Clone(worldWords), worldTitles[1:]...)), 1, 30).Draw(rt, "words")
		texts = append(texts, strings.Join(words, " ")+".")
	}
	d := retrievetest.One(id, rapid.SampledFrom(worldTitles).Draw(rt, "title"), texts...)
	d.ACL = access.ACL{acl}
	d.Metadata = map[string]string{}
	if rapid.Bool().Draw(rt, "has an author") {
		d.Metadata["author"] = rapid.SampledFrom([]string{"Ann Lee", "Bo Day"}).Draw(rt, "author")
	}
	if rapid.Bool().Draw(rt, "supersedes") {
		d.Metadata["supersedes"] = rapid.SampledFrom(worldTitles[1:]).Draw(rt, "superseded")
	}
	d.Vectors = nil
	return entryOf(d)
}

// Two worlds hold the same readable documents; one also holds documents that the audience may not
// read. Searches and the graph give the same lists, scores, counts and texts in both.
func TestHiddenDocumentsChangeNothing(t *testing.T) {
	t.Parallel()
	for _, engine := range []bool{false, true} {
		t.Run(fmt.Sprintf("search engine %v", engine), func(t *testing.T) {
			t.Parallel()
			cfg := pgindex.Config{FreshLimit: 6}
			if engine {
				cfg.Engine = enginetest.New()
			}
			x, db := openIndex(t, cfg)
			if engine {
				must(t, x.Rebuild(t.Context(), false, nil))
			}
			hybrid, err := retrieve.NewHybrid(x, nil, retrieve.DefaultConfig())
			must(t, err)
			graph := pgknowledge.New(db)
			hybrid = hybrid.WithNeighbours(graph)
			run := 0
			rapid.Check(t, func(rt *rapid.T) {
				run++
				if engine && run > engineWorlds {
					return
				}
				var readable, hidden []index.Entry
				for i := range rapid.IntRange(1, 6).Draw(rt, "readable") {
					readable = append(readable, worldDocument(rt, fmt.Sprintf("docs:r%d", i), access.Members))
				}
				for i := range rapid.IntRange(1, 12).Draw(rt, "hidden") {
					hidden = append(hidden, worldDocument(rt, fmt.Sprintf("docs:h%d", i), "group:board"))
				}
				maintain := rapid.Bool().Draw(rt, "maintain")
				var seen [2]string
				for world := range seen {
					tenant := access.TenantID(fmt.Sprintf("world%d-%d", run, world))
					createTenant(t, db, tenant)
					entries := slices.Clone(readable)
					if world == 1 {
						entries = append(slices.Clone(hidden), entries...)
					}
					if err := x.Put(t.Context(), tenant, entries); err != nil {
						rt.Fatal(err)
					}
					if maintain {
						if err := x.Maintain(t.Context(), tenant); err != nil {
							rt.Fatal(err)
						}
					}
					if engine {
						if err := x.Rebuild(t.Context(), true, nil); err != nil {
							rt.Fatal(err)
						}
					}
					seen[world] = observe(t.Context(), rt, hybrid, graph, tenant)
				}
				if diff := cmp.Diff(seen[0], seen[1]); diff != "" {
					rt.Fatalf("hidden documents show (-without +with):\n%s", diff)
				}
			})
		})
	}
}

// observe writes down all that an audience of members meets: what searches find, with each score,
// and what the graph states.
func observe(ctx context.Context, rt *rapid.T, hybrid *retrieve.Hybrid, graph *pgknowledge.Graph, tenant access.TenantID) string {
	var b strings.Builder
	audience := access.NewAudience(tenant, access.Members)
	for _, question := range []string{"foghorn manual", "weekly oil of the keeper", "who keeps the lighthouse lamp"} {
		result, err := hybrid.Search(ctx, retrieve.Search{Audience: audience, Queries: []retrieve.Query{{Text: question}}})
		if err != nil {
			rt.Fatal(err)
		}
		fmt.Fprintln(&b, question, result.Evidence, result.Terms, result.Chunks)
		for _, h := range result.Hits {
			fmt.Fprintf(&b, "  %s %d %+v %q\n", h.Document.ID, h.Ordinal, h.Scores, h.Text)
		}
	}
	for _, title := range worldTitles[1:] {
		stated, err := graph.Statements(ctx, knowledge.Question{Audience: audience, Names: []string{knowledge.Form(title)}, Limit: 100})
		if err != nil {
			rt.Fatal(err)
		}
		var lines []string
		for _, s := range stated {
			lines = append(lines, fmt.Sprintf("  %s %s %s by %s", s.Subject, s.Relation, s.Object, s.Document.ID))
		}
		slices.Sort(lines)
		fmt.Fprintln(&b, title, strings.Join(lines, "\n"))
	}
	return b.String()
}
