package retrievetest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Store is an index that tests can fill. Its tenants are access.DefaultTenant and OtherTenant.
type Store interface {
	retrieve.Index
	Excerpts(ctx context.Context, audience access.Audience, spans []retrieve.Span) ([]retrieve.Passage, error)
	Put(ctx context.Context, tenant access.TenantID, docs ...Document) error
	Remove(ctx context.Context, tenant access.TenantID, ids ...document.ID) error
	SetACL(ctx context.Context, tenant access.TenantID, acl access.ACL, ids ...document.ID) error
}

// OtherTenant is the second tenant of the suite, after access.DefaultTenant.
const OtherTenant access.TenantID = "other"

// One returns a document that full members may read, with one chunk for each text.
func One(id, title string, texts ...string) Document {
	d := Document{Document: document.Document{
		Ref: document.Ref{ID: document.ID(id), Source: "docs", Kind: "file", Title: title, URL: "https://docs.example/" + id},
		ACL: access.ACL{access.Members}, Language: "en"}}
	at := 0
	for i, text := range texts {
		n := len([]rune(text))
		d.Chunks = append(d.Chunks, document.Chunk{Ordinal: i, Text: text, Start: at, End: at + n, Tokens: (n + 3) / 4, Anchor: "s", Heading: []string{title}})
		at += n + len(document.BlockSeparator)
	}
	return d
}

// Members returns an audience of full members of access.DefaultTenant.
func Members() access.Audience { return access.NewAudience(access.DefaultTenant, access.Members) }

// Ask returns a request with one probe on behalf of Members.
func Ask(text string) retrieve.Request {
	return retrieve.Request{Audience: Members(), Probes: []retrieve.Probe{{Text: text}}, TitleRatio: 0.1, PerSide: 100}
}

// Suite tests an implementation of Store. newStore must return an empty store.
func Suite(t *testing.T, newStore func(t *testing.T) Store) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(*testing.T, Store)
	}{
		{"finds by words, identifiers and stems", testFinds},
		{"equals the index in memory", testEqualsMemory},
		{"shows an audience only what it may read", testAudience},
		{"a changed access list holds for the next search", testRevocation},
		{"tenants are apart", testTenants},
		{"a newer version replaces the older one whole", testReplace},
		{"removed documents are gone", testRemove},
		{"sources and documents narrow a search", testNarrow},
		{"meaning finds what words do not", testSemantic},
		{"odd questions", testOdd},
		{"passages of the candidates that are chosen", testChosen},
		{"passages by position", testPassages},
		{"several languages", testLanguages},
		{"a word that stands twice in the question", testRepeated},
		{"synonyms", testSynonyms},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, newStore(t))
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Found runs a request with one probe. It returns the documents that keywords found, best first.
func Found(t *testing.T, index retrieve.Index, r retrieve.Request) []document.ID {
	t.Helper()
	return documents(t, index, r.Audience, search(t, index, r), func(c retrieve.Candidate) int { return c.KeywordPos })
}

func search(t *testing.T, index retrieve.Index, r retrieve.Request) []retrieve.Candidate {
	t.Helper()
	got, _, err := index.Find(t.Context(), r, nil)
	must(t, err)
	if len(got.Lists) != len(r.Probes) {
		t.Fatalf("%d lists for %d probes", len(got.Lists), len(r.Probes))
	}
	return got.Lists[0].Entries
}

func documents(t *testing.T, index retrieve.Index, a access.Audience, entries []retrieve.Candidate, pos func(retrieve.Candidate) int) []document.ID {
	t.Helper()
	entries = slices.DeleteFunc(slices.Clone(entries), func(c retrieve.Candidate) bool { return pos(c) == 0 })
	slices.SortFunc(entries, func(a, b retrieve.Candidate) int { return cmp.Compare(pos(a), pos(b)) })
	names := Names(t, index, a, entries)
	out := []document.ID{}
	for _, e := range entries {
		out = append(out, names[e.Chunk])
	}
	return out
}

// Names returns a map from each candidate's chunk to its document. It fails the test if the chunk
// cannot be fetched, or has another position in the document than the candidate says.
func Names(t *testing.T, index retrieve.Index, a access.Audience, entries []retrieve.Candidate) map[document.ChunkID]document.ID {
	t.Helper()
	var chunks []document.ChunkID
	for _, e := range entries {
		chunks = append(chunks, e.Chunk)
	}
	passages, err := index.Chunks(t.Context(), a, chunks)
	must(t, err)
	names, ordinals := make(map[document.ChunkID]document.ID), make(map[document.ChunkID]int)
	for _, p := range passages {
		names[p.ID], ordinals[p.ID] = p.Document.ID, p.Chunk.Ordinal
	}
	for _, e := range entries {
		if names[e.Chunk] == "" || ordinals[e.Chunk] != e.Ordinal() {
			t.Errorf("chunk %d of %q is at %d, and the candidate says %d", e.Chunk, names[e.Chunk], ordinals[e.Chunk], e.Ordinal())
		}
	}
	return names
}

func want(t *testing.T, what string, got []document.ID, want ...document.ID) {
	t.Helper()
	if diff := gocmp.Diff(append([]document.ID{}, want...), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func testFinds(t *testing.T, s Store) {
	must(t, s.Put(t.Context(), access.DefaultTenant,
		One("a", "Replication", "Set wal_level to replica. The view pg_stat_replication shows progress."),
		One("b", "Functions", "Call getUserName to fetch v1.2.3 of the profile; failures give ERR-42."),
		One("c", "Cooking", "Knead the dough, then bake bread.")))
	for question, doc := range map[string]document.ID{
		"what does pg_stat_replication show?": "a", "replicas": "a", "wal_level": "a", "WAL level": "a", "getUserName": "b", "user name": "b",
		"err-42": "b", "1.2.3": "b", "v1.2.3": "b", "baking": "c",
	} {
		if got := Found(t, s, Ask(question)); len(got) == 0 || got[0] != doc {
			t.Errorf("%q found %v, want %s first", question, got, doc)
		}
	}
	want(t, "a word that is nowhere", Found(t, s, Ask("zeppelin")))
}

// Corpus returns a small corpus with repeated words, long and short chunks, and documents without a
// title.
func Corpus() []Document {
	return []Document{
		One("a", "Vacuum and autovacuum", "vacuum reclaims storage", "autovacuum runs vacuum by itself when many rows are dead", "storage storage storage"),
		One("b", "Storage", "rows live in pages of storage", "toast keeps long rows out of the page"),
		One("c", "", "a text without a title mentions vacuum once and rows twice: rows"),
		One("d", "Backup", "a base backup copies storage", "point in time recovery replays the log"),
		One("e", "Rows", "rows"),
	}
}

func testEqualsMemory(t *testing.T, s Store) {
	memory := NewMemory()
	must(t, memory.Put(t.Context(), access.DefaultTenant, Corpus()...))
	must(t, s.Put(t.Context(), access.DefaultTenant, Corpus()...))
	for _, q := range []string{"vacuum", "vacuum storage", "how do rows live in storage?", "long rows", "backup recovery log", "nothing known here"} {
		Same(t, q, s, memory)
	}
}

// Same fails the test if keyword searches in got and want find different candidates or scores.
// Small differences from 16-bit rounding are allowed.
func Same(t *testing.T, question string, got, want retrieve.Index) {
	t.Helper()
	same(t, Ask(question), got, want)
}

func same(t *testing.T, request retrieve.Request, got, want retrieve.Index) {
	t.Helper()
	type row struct {
		Document              document.ID
		Ordinal               int
		Flat, Title, Coverage float64
	}
	rows := func(index retrieve.Index) []row {
		var out []row
		entries := search(t, index, request)
		names := Names(t, index, Members(), entries)
		for _, c := range entries {
			out = append(out, row{names[c.Chunk], c.Ordinal(), c.Flat, c.Title, c.Coverage})
		}
		slices.SortFunc(out, func(a, b row) int {
			return cmp.Or(cmp.Compare(a.Document, b.Document), cmp.Compare(a.Ordinal, b.Ordinal))
		})
		return out
	}
	if diff := gocmp.Diff(rows(want), rows(got), cmpopts.EquateApprox(0, 2e-3), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("candidates of %q (-want +got):\n%s", request.Probes[0].Text, diff)
	}
}

func testAudience(t *testing.T, s Store) {
	secret, team, open := One("secret", "", "the budget"), One("team", "", "the budget"), One("open", "", "the budget")
	secret.ACL, team.ACL, open.ACL = access.ACL{access.User("slack", "U1")}, access.ACL{"group:finance", access.Channel("slack", "C1")}, access.ACL{access.Public}
	denied := One("denied", "", "the budget")
	denied.ACL = nil
	must(t, s.Put(t.Context(), access.DefaultTenant, secret, team, open, denied))
	for _, c := range []struct {
		name     string
		audience access.Audience
		want     []document.ID
	}{
		{"guest", access.NewAudience(access.DefaultTenant), []document.ID{"open"}},
		{"finance", access.NewAudience(access.DefaultTenant, "group:finance"), []document.ID{"open", "team"}},
		{"channel", access.NewAudience(access.DefaultTenant, access.Channel("slack", "C1")), []document.ID{"open", "team"}},
		{"owner", access.NewAudience(access.DefaultTenant, access.User("slack", "U1")), []document.ID{"open", "secret"}},
		{"same id on another platform", access.NewAudience(access.DefaultTenant, access.User("discord", "U1")), []document.ID{"open"}},
		{"zero audience", access.Audience{}, nil},
	} {
		r := Ask("budget")
		r.Audience = c.audience
		got := Found(t, s, r)
		slices.Sort(got)
		want(t, c.name, got, c.want...)
		passages, err := s.Excerpts(t.Context(), c.audience, []retrieve.Span{{Document: "secret"}, {Document: "team"}, {Document: "open"}, {Document: "denied"}})
		must(t, err)
		var fetched []document.ID
		for _, p := range passages {
			fetched = append(fetched, p.Document.ID)
		}
		want(t, c.name+": passages", append([]document.ID{}, fetched...), c.want...)
	}
}

func testRevocation(t *testing.T, s Store) {
	must(t, s.Put(t.Context(), access.DefaultTenant, One("a", "", "quarterly plan"), One("b", "", "quarterly figures")))
	want(t, "before", Found(t, s, Ask("plan")), "a")
	must(t, s.SetACL(t.Context(), access.DefaultTenant, access.ACL{"group:board"}, "a"))
	want(t, "revoked", Found(t, s, Ask("plan")))
	board := Ask("plan")
	board.Audience = access.NewAudience(access.DefaultTenant, access.Members, "group:board")
	want(t, "granted to others", Found(t, s, board), "a")
	must(t, s.SetACL(t.Context(), access.DefaultTenant, access.ACL{access.Members}, "a"))
	want(t, "granted again", Found(t, s, Ask("plan")), "a")
}

func testTenants(t *testing.T, s Store) {
	mine, theirs := One("a", "", "our roadmap"), One("a", "", "their roadmap")
	must(t, s.Put(t.Context(), access.DefaultTenant, mine))
	must(t, s.Put(t.Context(), OtherTenant, theirs))
	passages, err := s.Excerpts(t.Context(), access.NewAudience(OtherTenant, access.Members), []retrieve.Span{{Document: "a", To: 9}})
	must(t, err)
	if len(passages) != 1 || passages[0].Chunk.Text != "their roadmap" {
		t.Errorf("passages of the other tenant: %+v", passages)
	}
	must(t, s.Remove(t.Context(), OtherTenant, "a"))
	want(t, "after the other tenant removed its document of the same id", Found(t, s, Ask("roadmap")), "a")
}

func testReplace(t *testing.T, s Store) {
	must(t, s.Put(t.Context(), access.DefaultTenant, One("a", "Old", "first part", "second part", "third part")))
	must(t, s.Put(t.Context(), access.DefaultTenant, One("a", "New", "only piece")))
	want(t, "words of the old version", Found(t, s, Ask("part old")))
	want(t, "words of the new version", Found(t, s, Ask("piece")), "a")
	passages, err := s.Excerpts(t.Context(), Members(), []retrieve.Span{{Document: "a", To: 9}})
	must(t, err)
	if len(passages) != 1 || passages[0].Document.Title != "New" {
		t.Errorf("passages after the document shrank: %+v", passages)
	}
}

func testRemove(t *testing.T, s Store) {
	must(t, s.Put(t.Context(), access.DefaultTenant, One("a", "", "alpha beta"), One("b", "", "alpha gamma")))
	must(t, s.Remove(t.Context(), access.DefaultTenant, "a", "never-there"))
	want(t, "by a shared word", Found(t, s, Ask("alpha")), "b")
	passages, err := s.Excerpts(t.Context(), Members(), []retrieve.Span{{Document: "a", To: 9}})
	must(t, err)
	if len(passages) != 0 {
		t.Errorf("passages of a removed document: %+v", passages)
	}
}

func testNarrow(t *testing.T, s Store) {
	a, b := One("a", "", "release notes"), One("b", "", "release notes")
	b.Source = "wiki"
	must(t, s.Put(t.Context(), access.DefaultTenant, a, b, One("c", "", "release")))
	r := Ask("release")
	r.Sources = []document.SourceID{"wiki"}
	want(t, "source", Found(t, s, r), "b")
	r.Sources = []document.SourceID{"unknown"}
	want(t, "unknown source", Found(t, s, r))
	r = Ask("release")
	r.Documents = []document.ID{"c", "b"}
	got := Found(t, s, r)
	slices.Sort(got)
	want(t, "documents", got, "b", "c")
	r.Sources = []document.SourceID{"docs"}
	want(t, "documents of a source", Found(t, s, r), "c")
	r.Documents = []document.ID{"unknown"}
	want(t, "unknown document", Found(t, s, r))
	day := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	a.UpdatedAt, b.UpdatedAt = day, day.AddDate(0, 0, 1)
	must(t, s.Put(t.Context(), access.DefaultTenant, a, b))
	for name, c := range map[string]struct {
		from, to time.Time
		ids      []document.ID // the last document has no date
	}{
		"from a day on": {day.AddDate(0, 0, 1), time.Time{}, []document.ID{"b"}}, "before a day": {time.Time{}, day.AddDate(0, 0, 1), []document.ID{"a"}},
		"a day": {day, day.AddDate(0, 0, 1), []document.ID{"a"}}, "two days": {day, day.AddDate(0, 0, 2), []document.ID{"a", "b"}}, "before all": {time.Time{}, day, nil},
	} {
		r := Ask("release")
		r.From, r.To = c.from, c.to
		got := Found(t, s, r)
		slices.Sort(got)
		want(t, name, got, c.ids...)
		r.Documents = []document.ID{"b", "c"}
		want(t, name+" of some documents", Found(t, s, r), slices.DeleteFunc(slices.Clone(c.ids), func(id document.ID) bool { return id != "b" })...)
		r.Documents, r.Sources = nil, []document.SourceID{"docs"}
		want(t, name+" of a source", Found(t, s, r), slices.DeleteFunc(slices.Clone(c.ids), func(id document.ID) bool { return id != "a" })...)
	}
}

func testSemantic(t *testing.T, s Store) {
	a, b, c := One("a", "", "holiday entitlement"), One("b", "", "expense report"), One("c", "", "vacation days")
	for i, d := range []*Document{&a, &b} {
		d.Model = "m"
		d.Vectors = [][]float32{{1, float32(2 * i), 0}}
	}
	must(t, s.Put(t.Context(), access.DefaultTenant, a, b, c))
	r := Ask("vacation")
	r.Model = "m"
	r.Probes[0].Vector = []float32{2, 0, 0}
	got, _, err := s.Find(t.Context(), r, nil)
	must(t, err)
	if !got.Lists[0].Semantic || got.Route == retrieve.RouteNone || got.Allowed != 3 {
		t.Errorf("semantic %v, route %q, allowed %d", got.Lists[0].Semantic, got.Route, got.Allowed)
	}
	entries := got.Lists[0].Entries
	want(t, "keyword side", documents(t, s, Members(), entries, func(c retrieve.Candidate) int { return c.KeywordPos }), "c")
	want(t, "semantic side", documents(t, s, Members(), entries, func(c retrieve.Candidate) int { return c.VectorPos }), "a", "b")
	names := Names(t, s, Members(), entries)
	for _, e := range entries {
		want := map[document.ID]float64{"a": 1, "b": 0.4472, "c": 0}[names[e.Chunk]]
		if diff := gocmp.Diff(want, e.Cosine, cmpopts.EquateApprox(0, 1e-3)); diff != "" {
			t.Errorf("cosine of %s: %s", names[e.Chunk], diff)
		}
	}
	r.Probes[0].Vector = []float32{0, 0, 0}
	if entries := search(t, s, r); len(entries) != 1 {
		t.Errorf("a zero vector found %d candidates, want the keyword's one", len(entries))
	}
	r.Model, r.Probes[0].Vector = "unknown", []float32{1, 0, 0}
	if entries := search(t, s, r); len(entries) != 1 {
		t.Errorf("an unknown model found %d candidates, want the keyword's one", len(entries))
	}
	r.Model, r.Probes[0].Vector = "m", []float32{1, 0}
	if _, _, err := s.Find(t.Context(), r, nil); err == nil {
		t.Error("a vector of the wrong length gave no error")
	}
}

func testChosen(t *testing.T, s Store) {
	other := One("b", "", "standby of another tenant")
	other.ACL = access.ACL{"group:dba"}
	must(t, s.Put(t.Context(), access.DefaultTenant, One("a", "", "standby", "replica", "primary"), other))
	dba := Ask("standby")
	dba.Audience = access.NewAudience(access.DefaultTenant, "group:dba")
	foreign := search(t, s, dba)[0].Chunk
	for range 4 { // later ones may rely on what the ones before them left
		got, passages, err := s.Find(t.Context(), Ask("standby"), func(c retrieve.Candidates) []document.ChunkID {
			if n := len(c.Lists[0].Entries); n != 1 {
				t.Fatalf("%d candidates, want one", n)
			}
			first := c.Lists[0].Entries[0].Chunk
			return []document.ChunkID{first + 2, foreign, first, first, 1 << 40}
		})
		must(t, err)
		var texts []string
		for _, p := range passages {
			texts = append(texts, p.Chunk.Text)
		}
		if diff := gocmp.Diff([]string{"standby", "primary"}, texts); diff != "" || got.Allowed != 3 {
			t.Errorf("passages (-want +got):\n%s allowed %d", diff, got.Allowed)
		}
	}
}

func testOdd(t *testing.T, s Store) {
	must(t, s.Put(t.Context(), access.DefaultTenant, One("a", "Title", "plain words about storage"), One("empty", "No chunks"), One("blank", "", "")))
	long := make([]byte, 0, 100_000)
	for i := range 10_000 {
		long = append(long, "word"...)
		long = append(long, byte('a'+i%26), byte('a'+i/26%26), byte('a'+i/676%26), ' ')
	}
	for name, q := range map[string]string{
		"empty": "", "only stop words": "what is the of and to", "only punctuation": `?!... "" (( )) -- ** &&`, "long": string(long),
		"invalid utf-8": "\xff\xfe", "nul": "a\x00b",
	} {
		if got := Found(t, s, Ask(q)); len(got) != 0 {
			t.Errorf("%s: found %v", name, got)
		}
	}
	for _, q := range []string{`"plain words"`, "storage AND NOT plain", "storage:*", "-storage", `storage' or '1'='1`, "storage\x00", "ＳＴＯＲＡＧＥ", "title", "storage " + string(long)} {
		if got := Found(t, s, Ask(q)); len(got) == 0 || got[0] != "a" {
			t.Errorf("%q found %v, want a", q, got)
		}
	}
}

func testPassages(t *testing.T, s Store) {
	a := One("a", "A", "zero", "one", "two", "three")
	a.Metadata = map[string]string{"status": "closed", "tags": "x, y"}
	a.Chunks[3].Places = []document.Place{{Start: 2, Anchor: "t"}, {Start: 4, Anchor: "u"}}
	must(t, s.Put(t.Context(), access.DefaultTenant, a, One("b", "B", "other")))
	got, err := s.Excerpts(t.Context(), Members(), []retrieve.Span{{Document: "b"}, {Document: "a", From: 1, To: 2}, {Document: "a", From: 2, To: 7}, {Document: "x"}, {Document: "a", From: -3, To: -1}})
	must(t, err)
	var texts []string
	for _, p := range got {
		texts = append(texts, p.Chunk.Text)
	}
	if diff := gocmp.Diff([]string{"one", "two", "three", "other"}, texts); diff != "" {
		t.Errorf("passages (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff(a.Chunks[3].Places, got[2].Chunk.Places); diff != "" || got[0].Chunk.Places != nil {
		t.Errorf("places (-want +got):\n%s", diff)
	}
	if p := got[0]; p.Document.URL != "https://docs.example/a" || p.Chunk.Ordinal != 1 || p.Chunk.Start != 6 || p.Chunk.Anchor != "s" || len(p.ACL) != 1 ||
		!maps.Equal(p.Metadata, a.Metadata) || got[3].Metadata != nil {
		t.Errorf("first passage: %+v", p)
	}
}

func testLanguages(t *testing.T, s Store) {
	de, ja := One("de", "", "Die Sicherungen werden in der Nacht geprüft"), One("ja", "", "全文検索は便利です")
	de.Language, ja.Language = "de", "ja"
	must(t, s.Put(t.Context(), access.DefaultTenant, de, ja, One("en", "", "backups are verified every night")))
	want(t, "German stems", Found(t, s, Ask("Wann wird die Sicherung geprüft?")), "de")
	want(t, "Japanese pairs", Found(t, s, Ask("検索")), "ja")
	want(t, "one Japanese character", Found(t, s, Ask("文")), "ja")
	want(t, "English stems", Found(t, s, Ask("verifying a backup")), "en")
}

func testRepeated(t *testing.T, s Store) {
	must(t, s.Put(t.Context(), access.DefaultTenant, One("a", "", "apple pie"), One("b", "", "berry tart"), One("c", "", "cherry cake")))
	want(t, "both words once", Found(t, s, Ask("apple berry")), "a", "b")
	want(t, "one of them twice", Found(t, s, Ask("apple berry berries")), "b", "a")
	got, _, err := s.Find(t.Context(), Ask("apple berry berry"), nil)
	must(t, err)
	entries := got.Lists[0].Entries // by chunk: a, b
	if len(entries) != 2 || entries[1].Flat < 1.999*entries[0].Flat || entries[1].Flat > 2.001*entries[0].Flat {
		t.Errorf("what stands twice in the question weighs %v, what stands there once %v", entries[1].Flat, entries[0].Flat)
	}
}
