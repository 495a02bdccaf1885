package pgindex_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/postgres/pgknowledge"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"pgregory.net/rapid"
)

// storyTitles are titles that documents of a story may have and use, each as it is written and in
// its normal form.
var storyTitles = map[string]string{"Alpha Plan": "alpha plan", "Beta Guide": "beta guide", "Gamma-Ray Handbook": "gamma ray handbook", "Délta Nötes": "delta notes"}

// author is somebody as a document names them.
type author struct {
	key   string            // of the entity
	shown string            // in statements
	names map[string]string // as they are written, by normal form
}

// storyAuthors are two people who may be called Ann Lee, one whose address was somebody else's, and
// one with an address and an account.
var storyAuthors = map[string]author{
	"Ann Lee":                         {"ann lee", "Ann Lee", map[string]string{"ann lee": "Ann Lee"}},
	"Ann Lee <ann@acme.example>":      {"ann@acme.example", "Ann Lee", map[string]string{"ann lee": "Ann Lee", "ann acme example": "ann@acme.example"}},
	"Ann Lee <al@acme.example>":       {"al@acme.example", "Ann Lee", map[string]string{"ann lee": "Ann Lee", "al acme example": "al@acme.example"}},
	"Cy Fox <ann@acme.example>":       {"ann@acme.example", "Cy Fox", map[string]string{"cy fox": "Cy Fox", "ann acme example": "ann@acme.example"}},
	"Bo Chen":                         {"bo chen", "Bo Chen", map[string]string{"bo chen": "Bo Chen"}},
	"@bo":                             {"@bo", "@bo", map[string]string{"bo": "@bo"}},
	"Bo Chen <bo@acme.example> (@bo)": {"bo@acme.example", "Bo Chen", map[string]string{"bo chen": "Bo Chen", "bo acme example": "bo@acme.example", "bo": "@bo"}},
}

// storyPeople are the names by which they are asked for.
var storyPeople = []string{"ann lee", "cy fox", "bo chen", "ann acme example", "al acme example", "bo acme example", "bo"}

// storyPairs are people of whom the operator says that they are one, or two.
var storyPairs = [][2]string{{"ann lee", "bo chen"}, {"ann lee", "ann@acme.example"}}

// storyRelease is the title of documents that tell of a release.
const storyRelease = "Release 2.0"

// storyPrincipals are what somebody may hold.
var storyPrincipals = []access.Principal{access.Public, access.Members, "group:a", "group:b", access.User("slack", "U1")}

func storyACL(rt *rapid.T) access.ACL {
	return access.ACL(rapid.SliceOfN(rapid.SampledFrom(storyPrincipals), 0, 3).Draw(rt, "acl"))
}

func storyID(rt *rapid.T) document.ID {
	return document.ID(fmt.Sprintf("docs:d%d", rapid.IntRange(0, 9).Draw(rt, "document")))
}

// told is a document of a story, as plain data.
type told struct {
	title, author, replaces string
	names                   []string // titles in its text
	link                    document.ID
	acl                     access.ACL
	at                      time.Time
}

// story is a graph beside the plain truth about what documents say and who may read them.
type story struct {
	index  *pgindex.Index
	graph  *pgknowledge.Graph
	db     *postgres.DB
	tenant access.TenantID
	truth  map[document.ID]told
	said   map[[2]string]bool // pairs that are said to be one, or with false two
}

// No audience learns what rests on passages that it may not read, and each learns all that rests on
// those that it may: names, statements and the documents that passages name. What is right is
// decided here over plain data.
func TestNobodyLearnsWhatRestsOnHiddenPassages(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{FreshLimit: 6})
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		s := &story{index: x, graph: pgknowledge.New(db), db: db, tenant: access.TenantID(fmt.Sprintf("story%d", run)), truth: make(map[document.ID]told), said: make(map[[2]string]bool)}
		createTenant(t, db, s.tenant)
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(rt *rapid.T) { s.put(t.Context(), rt) },
			"acl": func(rt *rapid.T) {
				id, acl := storyID(rt), storyACL(rt)
				if err := x.SetACL(t.Context(), s.tenant, "docs", accessOf(acl, id)); err != nil {
					rt.Fatal(err)
				}
				if d, there := s.truth[id]; there {
					d.acl = acl
					s.truth[id] = d
				}
			},
			"remove": func(rt *rapid.T) {
				id := storyID(rt)
				if err := x.Remove(t.Context(), s.tenant, "docs", []document.ID{id}); err != nil {
					rt.Fatal(err)
				}
				delete(s.truth, id)
			},
			"merge": func(rt *rapid.T) { s.merge(t.Context(), rt) },
			"purge": func(rt *rapid.T) {
				if _, err := x.Purge(t.Context(), s.tenant, time.Time{}); err != nil {
					rt.Fatal(err)
				}
			},
			"older": func(rt *rapid.T) { // as if a program that reads nothing had stored it
				if _, err := db.Pool.Exec(t.Context(), `update document set knowledge = 0 where tenant_id = $1`, string(s.tenant)); err != nil {
					rt.Fatal(err)
				}
			},
			"ask": func(rt *rapid.T) { s.ask(t.Context(), rt) },
		})
	})
}

func (s *story) put(ctx context.Context, rt *rapid.T) {
	var entries []index.Entry
	seen := make(map[document.ID]bool)
	for range rapid.IntRange(1, 3).Draw(rt, "documents") {
		id := storyID(rt)
		if seen[id] {
			continue
		}
		seen[id] = true
		d := told{title: rapid.SampledFrom(append(slices.Sorted(maps.Keys(storyTitles)), "", storyRelease)).Draw(rt, "title"), author: rapid.SampledFrom(append(slices.Sorted(maps.Keys(storyAuthors)), "")).Draw(rt, "author"),
			replaces: rapid.SampledFrom(append(slices.Sorted(maps.Keys(storyTitles)), "")).Draw(rt, "replaces"), acl: storyACL(rt),
			names: rapid.SliceOfNDistinct(rapid.SampledFrom(slices.Sorted(maps.Keys(storyTitles))), 0, 3, rapid.ID[string]).Draw(rt, "names"),
			link:  storyID(rt),
			at:    time.Date(2026, time.Month(rapid.IntRange(1, 12).Draw(rt, "month")), 1, 0, 0, 0, 0, time.UTC)}
		text := "It says: " + strings.ToUpper(strings.Join(d.names, ", and also ")) + ". "
		doc := retrievetest.One(string(id), d.title, text, "nothing more")
		doc.ACL, doc.UpdatedAt = d.acl, d.at
		doc.Links = []document.Link{{Text: "It says", To: string(d.link)}}
		doc.Metadata = map[string]string{"author": d.author, "supersedes": d.replaces}
		entries = append(entries, entryOf(doc))
		s.truth[id] = d
	}
	if err := s.index.Put(ctx, s.tenant, entries); err != nil {
		rt.Fatal(err)
	}
}

func (s *story) merge(ctx context.Context, rt *rapid.T) {
	pair, one := rapid.SampledFrom(storyPairs).Draw(rt, "pair"), rapid.Bool().Draw(rt, "one")
	change := s.graph.Split
	if one {
		change = s.graph.Merge
	}
	was, said := s.said[pair]
	back, err := change(ctx, s.tenant, pgknowledge.Same{Kind: knowledge.Person, Key: pair[1], OtherKind: knowledge.Person, OtherKey: pair[0], Reason: "she married", By: "operator"})
	switch {
	case errors.Is(err, pgknowledge.ErrUnknown) && !said: // no document names them any more
	case errors.Is(err, pgknowledge.ErrAlready) && said && was == one:
	case err == nil && back && said && was != one:
		delete(s.said, pair)
	case err == nil && !back && !said:
		s.said[pair] = one
	default:
		rt.Fatalf("%v, said %v %v: back %v, error %v", pair, said, was, back, err)
	}
}

// reused reports whether the documents that may be read give one address to two people.
func reused(may map[document.ID]told) bool {
	return wrote(may, "Ann Lee <ann@acme.example>") && wrote(may, "Cy Fox <ann@acme.example>")
}

// wrote reports whether a document that may be read names an author so.
func wrote(may map[document.ID]told, author string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(may)), func(d told) bool { return d.author == author })
}

// meant are the people whom a name means, by what may be read and what the operator says. It is
// written down case by case, for these people alone.
func (s *story) meant(may map[document.ID]told, form string) map[string]bool {
	meant := make(map[string]bool)
	for _, d := range may {
		if a := storyAuthors[d.author]; a.names[form] != "" {
			meant[a.key] = true
		}
	}
	one := func(a, b string) bool {
		pair := [2]string{min(a, b), max(a, b)}
		if said, there := s.said[pair]; there {
			return said
		} else if said, there := s.said[[2]string{max(a, b), min(a, b)}]; there {
			return said
		}
		ann, al, bo := wrote(may, "Ann Lee <ann@acme.example>"), wrote(may, "Ann Lee <al@acme.example>"), wrote(may, "Bo Chen <bo@acme.example> (@bo)")
		switch pair {
		case [2]string{"ann lee", "ann@acme.example"}:
			return wrote(may, "Ann Lee") && ann && !al && !reused(may)
		case [2]string{"al@acme.example", "ann lee"}:
			return wrote(may, "Ann Lee") && al && !ann
		case [2]string{"bo chen", "bo@acme.example"}:
			return wrote(may, "Bo Chen") && bo
		case [2]string{"@bo", "bo@acme.example"}:
			return bo
		}
		return false
	}
	keys := []string{"ann lee", "ann@acme.example", "al@acme.example", "bo chen", "@bo", "bo@acme.example"}
	for range keys {
		for _, a := range keys {
			for _, b := range keys {
				meant[b] = meant[b] || meant[a] && a != b && one(a, b)
			}
		}
	}
	return meant
}

// ask compares everything that an audience can learn with the truth.
func (s *story) ask(ctx context.Context, rt *rapid.T) {
	if err := s.index.Maintain(ctx, s.tenant); err != nil {
		rt.Fatal(err)
	}
	audience := access.NewAudience(s.tenant, rapid.SliceOfN(rapid.SampledFrom(storyPrincipals), 0, 3).Draw(rt, "held")...)
	may := make(map[document.ID]told)
	for id, d := range s.truth {
		if slices.ContainsFunc(d.acl, func(p access.Principal) bool { return slices.Contains(audience.Principals(), p) }) {
			may[id] = d
		}
	}
	from := time.Date(2026, time.Month(rapid.IntRange(1, 12).Draw(rt, "from")), 1, 0, 0, 0, 0, time.UTC)
	for _, form := range slices.Sorted(maps.Values(storyTitles)) {
		s.compare(ctx, rt, audience, may, form, from)
	}
	for _, form := range storyPeople {
		s.compare(ctx, rt, audience, may, form, from)
	}
	s.neighbours(ctx, rt, audience, may)
	s.released(ctx, rt, audience, may, from)
}

// released compares when a release was that is asked for by its name, and the newest.
func (s *story) released(ctx context.Context, rt *rapid.T, audience access.Audience, may map[document.ID]told, now time.Time) {
	var want time.Time
	for _, d := range may {
		if d.title == storyRelease && d.at.Before(now) && d.at.After(want) {
			want = d.at
		}
	}
	for _, name := range []string{"", "v2.0", storyRelease} {
		got, found, err := knowledge.Released(ctx, s.graph, knowledge.Question{Audience: audience}, knowledge.Since{Name: name}, now)
		if err != nil || !got.From.Equal(want) || found == want.IsZero() {
			rt.Fatalf("%q was released at %v, want %v, error %v", name, got, want, err)
		}
	}
}

func (s *story) compare(ctx context.Context, rt *rapid.T, audience access.Audience, may map[document.ID]told, form string, from time.Time) {
	question := knowledge.Question{Audience: audience, Names: []string{form}, From: from, Limit: 1000}
	named, err := s.graph.Named(ctx, question)
	if err != nil {
		rt.Fatal(err)
	}
	var got, want []string
	for _, n := range named {
		got = append(got, fmt.Sprint(n.Kind, n.Shown, n.Document.ID))
	}
	for id, d := range may {
		if storyTitles[d.title] == form {
			want = append(want, fmt.Sprint(knowledge.Document, d.title, id))
		}
		if shown := storyAuthors[d.author].names[form]; shown != "" {
			want = append(want, fmt.Sprint(knowledge.Person, shown, id))
		}
	}
	same(rt, "what goes by "+form, got, want)
	path := strings.TrimPrefix(string(storyID(rt)), "docs:")
	filed, err := s.graph.Named(ctx, knowledge.Question{Audience: audience, Names: []string{path}, Paths: []string{path}})
	if _, there := may[document.ID("docs:"+path)]; err != nil || len(filed) > 1 || there != (len(filed) == 1) {
		rt.Fatalf("by the path %s goes %v, want %v, error %v", path, filed, there, err)
	}

	stated, err := s.graph.Statements(ctx, question)
	if err != nil {
		rt.Fatal(err)
	}
	got, want = nil, nil
	for _, s := range stated {
		got = append(got, strings.Join([]string{s.Subject, string(s.Relation), s.Object, string(s.Document.ID)}, "|"))
	}
	meant := s.meant(may, form)
	for id, d := range may {
		if d.at.Before(from) {
			continue
		}
		asked := storyTitles[d.title] == form && d.title != ""
		who := storyAuthors[d.author]
		another := reused(may) && who.key == "ann@acme.example" && (form == "ann lee" || form == "cy fox") && who.names[form] == ""
		if d.author != "" && (asked || meant[who.key] && !another) {
			want = append(want, strings.Join([]string{who.shown, "authored", d.title, string(id)}, "|"))
		}
		there := slices.ContainsFunc(slices.Collect(maps.Values(may)), func(o told) bool { return o.title == d.replaces })
		if d.replaces != "" && there && (asked || storyTitles[d.replaces] == form) {
			want = append(want, strings.Join([]string{d.title, "supersedes", d.replaces, string(id)}, "|"))
		}
		if to, there := may[d.link]; there && d.link != id && (asked || storyTitles[to.title] == form && to.title != "") {
			want = append(want, strings.Join([]string{d.title, "links to", to.title, string(id)}, "|"))
		}
	}
	same(rt, "what is stated of "+form, got, want)
}

// neighbours compares which documents the passages name, of every passage that there is.
func (s *story) neighbours(ctx context.Context, rt *rapid.T, audience access.Audience, may map[document.ID]told) {
	rows, err := s.db.Pool.Query(ctx, `select first_chunk, external_id from document where tenant_id = $1`, string(s.tenant))
	if err != nil {
		rt.Fatal(err)
	}
	byChunk := make(map[document.ChunkID]document.ID)
	var passages []document.ChunkID
	for rows.Next() {
		var chunk document.ChunkID
		var id document.ID
		if err := rows.Scan(&chunk, &id); err != nil {
			rt.Fatal(err)
		}
		byChunk[chunk] = id
		passages = append(passages, chunk)
	}
	if err := rows.Err(); err != nil {
		rt.Fatal(err)
	}
	near, err := s.graph.Neighbours(ctx, knowledge.Question{Audience: audience}, passages)
	if err != nil {
		rt.Fatal(err)
	}
	var got, want []string
	for _, n := range near {
		got = append(got, fmt.Sprint(byChunk[n.From], byChunk[n.First], n.Owners))
	}
	for id, d := range may {
		for _, name := range d.names {
			var owners []document.ID
			for other, o := range may {
				if o.title == name {
					owners = append(owners, other)
				}
			}
			for _, other := range owners {
				if name != d.title {
					want = append(want, fmt.Sprint(id, other, len(owners)))
				}
			}
		}
	}
	same(rt, "what passages name", got, want)
}

func same(rt *rapid.T, what string, got, want []string) {
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		rt.Fatalf("%s: got %q, want %q", what, got, want)
	}
}
