package pgindex_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/postgres/pgknowledge"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/extract"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"pgregory.net/rapid"
)

// reading is a model that understands one sentence, and makes up another with each answer.
type reading struct {
	mu    sync.Mutex
	asked map[string]int // how often, by passage
}

var ran = regexp.MustCompile(`(\S+ \S+) runs the (\S+ \S+)\.`)

func (r *reading) Info() llm.Info { return llm.Info{Name: "reading"} }

func (r *reading) Stream(_ context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	text := req.Messages[1].Text
	r.mu.Lock()
	r.asked[text]++
	r.mu.Unlock()
	entities := []map[string]string{{"name": "Ann Lee", "type": "person"}, {"name": "Ledger Service", "type": "system"}, {"name": "Mallory Evans", "type": "person"}}
	relations := []map[string]string{{"subject": "Mallory Evans", "relation": "owns", "object": "Ledger Service"}}
	for _, m := range ran.FindAllStringSubmatch(text, -1) {
		entities = append(entities, map[string]string{"name": m[1], "type": "person"}, map[string]string{"name": m[2], "type": "system"})
		relations = append(relations, map[string]string{"subject": m[1], "relation": "owns", "object": m[2]})
	}
	says, err := json.Marshal(map[string]any{"entities": entities, "relations": relations})
	return func(yield func(llm.Delta, error) bool) {
		yield(llm.Delta{Text: string(says), Finish: llm.FinishStop}, err)
	}
}

// runs is who runs what in a document, by the names of both.
type runs struct{ person, system string }

// readStory is an index that a model reads, beside the plain truth.
type readStory struct {
	index  *pgindex.Index
	db     *postgres.DB
	tenant access.TenantID
	model  *reading
	truth  map[document.ID]readTold
}

type readTold struct {
	title string
	says  []runs
	acl   access.ACL
	read  bool
}

func readID(rt *rapid.T) document.ID {
	return document.ID(fmt.Sprintf("d%d", rapid.IntRange(0, 4).Draw(rt, "document")))
}

var (
	readPeople  = []string{"Ann Lee", "Bo Chen"}
	readSystems = []string{"Ledger Service", "Gamma Proxy"}
)

// No audience learns of a statement that a model read, of an entity, a name or how many there are,
// where that rests on passages that it may not read: not where the same text stands in a document
// that it may not read, and not while documents and rights change. No text is read twice. What is
// right is decided here over plain data.
func TestNobodyLearnsWhatAModelReadInHiddenPassages(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{FreshLimit: 6})
	run := 0
	rapid.Check(t, func(rt *rapid.T) {
		run++
		s := &readStory{index: x, db: db, tenant: access.TenantID(fmt.Sprintf("read%d", run)), model: &reading{asked: make(map[string]int)}, truth: make(map[document.ID]readTold)}
		createTenant(t, db, s.tenant)
		ctx := t.Context()
		must := func(err error) {
			if err != nil {
				rt.Fatal(err)
			}
		}
		forgot := false
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(rt *rapid.T) { s.put(ctx, rt) },
			"acl": func(rt *rapid.T) {
				id, acl := readID(rt), storyACL(rt)
				must(x.SetACL(ctx, s.tenant, "docs", accessOf(acl, id)))
				if d, there := s.truth[id]; there {
					d.acl = acl
					s.truth[id] = d
				}
			},
			"remove": func(rt *rapid.T) {
				id := readID(rt)
				must(x.Remove(ctx, s.tenant, "docs", []document.ID{id}))
				delete(s.truth, id)
			},
			"read": func(rt *rapid.T) {
				p, more, err := extract.New(s.model, x.Extraction(), extract.Config{}).Run(ctx, s.tenant, time.Time{}, nil)
				if must(err); more || p.Stopped != nil || p.Failed+p.Waiting > 0 {
					rt.Fatalf("the run did %+v", p)
				}
				s.all(true)
			},
			"withdraw": func(rt *rapid.T) {
				_, err := x.Extraction().Withdraw(ctx, s.tenant, time.Time{})
				must(err)
				s.all(false)
			},
			"forget": func(rt *rapid.T) {
				_, err := db.Pool.Exec(ctx, `update extraction set unused_since = unused_since - interval '1 day' where tenant_id = $1`, string(s.tenant))
				must(err)
				must(x.Extraction().Forget(ctx))
				var left, wrong int // no text is forgotten that a document holds, and none stays for good that none holds
				must(db.Pool.QueryRow(ctx, `
					select (select count(*) from extraction e where tenant_id = $1 and unused_since < now() - interval '20 hours'),
					       (select count(*) from extracted x, unnest(digests) d where tenant_id = $1 and not exists (select from extraction where tenant_id = $1 and digest = d))`,
					string(s.tenant)).Scan(&left, &wrong))
				if left+wrong > 0 {
					rt.Fatalf("%d texts stay that nothing holds, %d are gone that something does", left, wrong)
				}
				forgot = true
			},
			"older": func(rt *rapid.T) { // as if a program that reads nothing had stored it
				_, err := db.Pool.Exec(ctx, `update document set knowledge = 0 where tenant_id = $1`, string(s.tenant))
				must(err)
				must(x.Maintain(ctx, s.tenant))
				s.all(false)
			},
			"purge": func(rt *rapid.T) {
				_, err := x.Purge(ctx, s.tenant, time.Time{})
				must(err)
			},
			"ask": func(rt *rapid.T) { s.ask(ctx, rt) },
		})
		for text, n := range s.model.asked {
			if n > 1 && !forgot {
				rt.Fatalf("the model read %d times:\n%s", n, text)
			}
		}
	})
}

func (s *readStory) all(read bool) {
	for id, d := range s.truth {
		d.read = read
		s.truth[id] = d
	}
}

func (s *readStory) put(ctx context.Context, rt *rapid.T) {
	var entries []index.Entry
	seen := make(map[document.ID]bool)
	for range rapid.IntRange(1, 3).Draw(rt, "documents") {
		id := readID(rt)
		if seen[id] {
			continue
		}
		seen[id] = true
		d := readTold{title: rapid.SampledFrom([]string{"Notes", "Ledger Service"}).Draw(rt, "title"), acl: storyACL(rt)}
		var text strings.Builder
		for range rapid.IntRange(0, 2).Draw(rt, "statements") {
			says := runs{rapid.SampledFrom(readPeople).Draw(rt, "person"), rapid.SampledFrom(readSystems).Draw(rt, "system")}
			fmt.Fprintf(&text, "%s runs the %s. ", says.person, says.system)
			if !slices.Contains(d.says, says) {
				d.says = append(d.says, says)
			}
		}
		doc := retrievetest.One(string(id), d.title, text.String()+"Nothing else.")
		doc.ACL = d.acl
		entries = append(entries, entryOf(doc))
		s.truth[id] = d
	}
	if err := s.index.Put(ctx, s.tenant, entries); err != nil {
		rt.Fatal(err)
	}
}

func (s *readStory) ask(ctx context.Context, rt *rapid.T) {
	audience := access.NewAudience(s.tenant, rapid.SliceOfN(rapid.SampledFrom(storyPrincipals), 0, 3).Draw(rt, "held")...)
	graph := pgknowledge.New(s.db)
	for _, name := range []string{"Mallory Evans", readPeople[0], readSystems[0]} {
		q := knowledge.Question{Audience: audience, Names: []string{knowledge.Form(name)}, Limit: 1000}
		var named, stated, wantNamed, wantStated []string
		found, err := graph.Named(ctx, q)
		if err != nil {
			rt.Fatal(err)
		}
		for _, n := range found {
			named = append(named, fmt.Sprint(n.Kind, n.Shown, n.Document.ID))
		}
		rows, err := graph.Statements(ctx, q)
		if err != nil {
			rt.Fatal(err)
		}
		for _, r := range rows {
			stated = append(stated, fmt.Sprint(r.Subject, r.Relation, r.Object, r.Document.ID))
		}
		for id, d := range s.truth {
			if !slices.ContainsFunc(d.acl, func(p access.Principal) bool { return slices.Contains(audience.Principals(), p) }) {
				continue
			}
			if d.title == name {
				wantNamed = append(wantNamed, fmt.Sprint(knowledge.Document, name, id))
			}
			for _, says := range d.says {
				if !d.read {
					continue
				}
				if kind := (map[string]string{says.person: "person", says.system: "system"})[name]; kind != "" {
					wantNamed = append(wantNamed, fmt.Sprint(kind, name, id))
				}
				// Of a document, all that it states is told.
				if says.person == name || says.system == name || d.title == name {
					wantStated = append(wantStated, fmt.Sprint(says.person, knowledge.Owns, says.system, id))
				}
			}
		}
		slices.Sort(wantNamed)
		same(rt, "what goes by "+name, named, slices.Compact(wantNamed))
		same(rt, "what is stated of "+name, stated, wantStated)
	}
}

// Of several processes one asks about a text; whoever dies leaves it to the next, a few times.
func TestATextBelongsToOneProcessAtATime(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{})
	texts := x.Extraction()
	text := extract.Digest{1}
	claim := func() extract.Claim {
		t.Helper()
		c, err := texts.Claim(t.Context(), access.DefaultTenant, text)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	var mu sync.Mutex
	var mine int
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if c, err := texts.Claim(t.Context(), access.DefaultTenant, text); err == nil && c == extract.Mine {
				mu.Lock()
				defer mu.Unlock()
				mine++
			}
		})
	}
	if group.Wait(); mine != 1 {
		t.Fatalf("%d processes have the text", mine)
	}
	for attempt := 1; attempt <= extract.MostAttempts; attempt++ {
		if c := claim(); c != extract.Elsewhere {
			t.Fatalf("attempt %d: the text is %v", attempt, c)
		}
		if _, err := db.Pool.Exec(t.Context(), `update extraction set leased_until = now()`); err != nil { // its process died
			t.Fatal(err)
		}
		if c, want := claim(), map[bool]extract.Claim{true: extract.Settled, false: extract.Mine}[attempt == extract.MostAttempts]; c != want {
			t.Fatalf("after attempt %d the text is %v, want %v", attempt, c, want)
		}
	}
	if known, err := texts.Known(t.Context(), access.DefaultTenant, []extract.Digest{text}); err != nil || known[text].Reason == "" || known[text].Read {
		t.Errorf("of the text is known %+v, %v", known, err)
	}
	if n, err := texts.Again(t.Context(), access.DefaultTenant); err != nil || n != 1 || claim() != extract.Mine {
		t.Errorf("%d texts are asked about again, %v", n, err)
	}
	if err := texts.Settle(t.Context(), access.DefaultTenant, text, extract.Outcome{Again: true}); err != nil || claim() != extract.Mine {
		t.Errorf("a text that was let go is not free: %v", err)
	}
	want := extract.Outcome{Read: true, Found: []extract.Relation{{Subject: extract.Thing{Type: "person", Name: "Ann"}, Relation: "owns", Object: extract.Thing{Type: "system", Name: "Ledger"}}}}
	if err := texts.Settle(t.Context(), access.DefaultTenant, text, want); err != nil {
		t.Fatal(err)
	}
	if known, err := texts.Known(t.Context(), access.DefaultTenant, []extract.Digest{text}); err != nil || !slices.Equal(known[text].Found, want.Found) || claim() != extract.Settled {
		t.Errorf("of the text is known %+v, %v", known, err)
	}
}

// A document that changes while the model reads it gets nothing of what its former text states.
func TestADocumentThatChangedIsLeftAlone(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{})
	put := func(text string) {
		t.Helper()
		if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{entryOf(retrievetest.One("a", "Notes", text))}); err != nil {
			t.Fatal(err)
		}
	}
	put("Ann Lee runs the Ledger Service.")
	store, way := x.Extraction(), extract.Digest{7}
	due, err := store.Due(t.Context(), access.DefaultTenant, way, extract.Document{}, 10)
	if err != nil || len(due) != 1 || len(due[0].Passages) != 1 {
		t.Fatalf("due are %+v, %v", due, err)
	}
	put("Nobody runs the Ledger Service.")
	facts := extract.Facts([]extract.Relation{{Subject: extract.Thing{Type: "person", Name: "Ann Lee"}, Relation: "owns", Object: extract.Thing{Type: "system", Name: "Ledger Service"}}}, 0)
	if err := store.Write(t.Context(), access.DefaultTenant, way, due[0], []extract.Digest{{1}}, facts); err != nil {
		t.Fatal(err)
	}
	var edges, read int
	if err := db.Pool.QueryRow(t.Context(), `select (select count(*) from edge), (select count(*) from extracted)`).Scan(&edges, &read); err != nil || edges+read != 0 {
		t.Errorf("%d edges and %d documents that were read, %v", edges, read, err)
	}
	if is, err := store.IsDue(t.Context(), access.DefaultTenant, &way); err != nil || !is {
		t.Errorf("the new text is due: %v, %v", is, err)
	}
}
