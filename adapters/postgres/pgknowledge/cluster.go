package pgknowledge

import (
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/jackc/pgx/v5"
)

//go:embed queries/called.sql
var calledText string

var calledSQL = readable(calledText, "$5")

const (
	// evidenceRounds limits the search for other names and addresses of an entity. In each round,
	// names lead to addresses and other entities, and these to more names.
	evidenceRounds = 6
	// mostSpellingsOf limits the number of spellings that are read for an entity, and for a name.
	mostSpellingsOf = 50
	// mostPeople is the maximum number of entities that are looked up for a question. If there are
	// more, the names in the question are ambiguous.
	mostPeople = 200
)

type evidence struct {
	knowledge.Evidence
	entities map[knowledge.ID]int64
	names    map[string]int64 // by form
}

// evidence collects the reasons to treat entities as the same. It starts from about, which has the
// entities and documents that the question names. If it finds more than mostPeople entities, it
// returns only what the operator has said.
func (g *Graph) evidence(ctx context.Context, q knowledge.Question, about []naming) (*evidence, error) {
	e := &evidence{entities: make(map[knowledge.ID]int64), names: make(map[string]int64)}
	if err := g.statements(ctx, q.Audience.Tenant(), &e.Evidence); err != nil {
		return nil, err
	}
	next := newSeeking()
	for _, n := range about {
		if n.entity != 0 {
			e.entities[knowledge.ID{Kind: n.Kind, Key: n.Key}] = n.entity
			if n.Kind == knowledge.Person || n.Kind == knowledge.Team || n.Kind == knowledge.Term {
				next.entity(n.entity)
			}
		}
	}
	for range evidenceRounds {
		for _, m := range e.Merged { // entities that the operator merged have names too
			if e.entities[m.One] != 0 || e.entities[m.Other] != 0 {
				next.key(m.One.Key)
				next.key(m.Other.Key)
			}
		}
		if next.isEmpty() {
			return e, nil
		}
		called, err := g.lookUpNames(ctx, q, next, e)
		if err != nil {
			return nil, err
		}
		if len(next.known) > mostPeople {
			break
		}
		next.begin()
		for _, c := range called {
			if !slices.Contains(e.Called, c) {
				e.Called = append(e.Called, c)
			}
			next.entity(e.entities[c.ID])
		}
		for _, c := range called {
			if id, is := c.Identity(); is && c.Kind == knowledge.Person && id != c.ID {
				next.key(id.Key)
			} else if (c.Kind == knowledge.Term || c.Whole()) && len(e.Reused(c.ID)) == 0 {
				next.name(e.names[c.Form])
			}
		}
	}
	if !next.isEmpty() {
		e.Called = nil
	}
	return e, nil
}

// lookups collects the entities, names and keys to look up in the next round. It omits those that
// were looked up in earlier rounds.
type lookups struct {
	entities, names []int64
	keys            []string
	known, asked    map[int64]bool
	called          map[string]bool
}

func newSeeking() *lookups {
	s := &lookups{known: make(map[int64]bool), asked: make(map[int64]bool), called: make(map[string]bool)}
	s.begin()
	return s
}

// begin clears the set, but keeps the memory of earlier look-ups.
func (s *lookups) begin() { s.entities, s.names, s.keys = []int64{}, []int64{}, []string{} }

func (s *lookups) isEmpty() bool { return len(s.entities)+len(s.names)+len(s.keys) == 0 }

func (s *lookups) entity(id int64) {
	if !s.known[id] {
		s.known[id] = true
		s.entities = append(s.entities, id)
	}
}

func (s *lookups) name(id int64) {
	if !s.asked[id] {
		s.asked[id] = true
		s.names = append(s.names, id)
	}
}

func (s *lookups) key(key string) {
	if !s.called[key] {
		s.called[key] = true
		s.keys = append(s.keys, key)
	}
}

func (g *Graph) lookUpNames(ctx context.Context, q knowledge.Question, sought *lookups, e *evidence) ([]knowledge.Called, error) {
	rows, err := g.db.Pool.Query(ctx, calledSQL, string(q.Audience.Tenant()), sought.entities, sought.keys, sought.names, texts(q.Audience.Principals()), orAll(texts(q.Sources)),
		orAll(texts(q.Documents)), mostSpellingsOf)
	if err != nil {
		return nil, fmt.Errorf("look up who is called what: %w", err)
	}
	called, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c knowledge.Called, err error) {
		var entity, name int64
		err = row.Scan(&entity, &c.Kind, &c.Key, &name, &c.Form, &c.Shown, &c.Document.ID, &c.Document.Source, &c.Document.Kind, &c.Document.Title, &c.Document.URL)
		e.entities[c.ID], e.names[c.Form] = entity, name
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("look up who is called what: %w", err)
	}
	return called, nil
}

func (g *Graph) statements(ctx context.Context, tenant access.TenantID, e *knowledge.Evidence) error {
	rows, err := g.db.Pool.Query(ctx, `
		select false, kind, key, other_kind, other_key from entity_merge where tenant_id = $1
		union all select true, kind, key, other_kind, other_key from entity_apart where tenant_id = $1 order by 1, 2, 3, 4, 5`, string(tenant))
	if err != nil {
		return fmt.Errorf("look up what the operator says to be one: %w", err)
	}
	var apart bool
	var p knowledge.Pair
	_, err = pgx.ForEachRow(rows, []any{&apart, &p.One.Kind, &p.One.Key, &p.Other.Kind, &p.Other.Key}, func() error {
		if apart {
			e.Apart = append(e.Apart, p)
		} else {
			e.Merged = append(e.Merged, p)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look up what the operator says to be one: %w", err)
	}
	return nil
}

type questionTargets struct {
	about []naming
	// entities are the row ids of entities and documents that have one of the question's names,
	// and of all entities that are joined with these.
	entities []int64
	// parted are addresses and accounts that several people share. by are the names under which
	// the question asks for them. For these entities, only documents that use one of these names
	// count.
	parted, by []int64
}

// resolveTargets looks up the entities and documents that a question names, also by abbreviations.
// It adds the entities that are the same as these, according to evidence that the audience may
// read.
func (g *Graph) resolveTargets(ctx context.Context, q knowledge.Question) (m questionTargets, err error) {
	if m.about, err = g.named(ctx, q); err != nil || q.Audience.Tenant() == "" {
		return m, err
	}
	e, err := g.evidence(ctx, q, m.about)
	if err != nil {
		return m, err
	}
	if wide := knowledge.Widen(q.Names, e.Called); len(wide) > len(q.Names) {
		q.Names = wide
		if m.about, err = g.named(ctx, q); err != nil {
			return m, err
		}
		if e, err = g.evidence(ctx, q, m.about); err != nil {
			return m, err
		}
	}
	var kinds, keys []string
	add := func(id knowledge.ID) { kinds, keys = append(kinds, string(id.Kind)), append(keys, id.Key) }
	places := append([]string{}, q.Names...)
	seen := make(map[int64]bool)
	for _, n := range m.about {
		if n.entity == 0 {
			// other documents refer to this document by its address or id
			places = append(places, n.Document.URL, string(n.Document.ID))
			continue
		}
		if seen[n.entity] {
			continue
		}
		seen[n.entity] = true
		id := knowledge.ID{Kind: n.Kind, Key: n.Key}
		add(id)
		for _, j := range e.Cluster(id) {
			add(j.ID)
		}
		m.addShared(e, id, n.entity, q.Names)
	}
	rows, err := g.db.Pool.Query(ctx, `
		select e.id from unnest($2::text[], $3::text[]) as w (kind, key) join entity e on e.tenant_id = $1 and e.kind = w.kind and e.key = w.key
		union
		select id from entity where tenant_id = $1 and kind in ('document', 'release', 'file') and key = any($4::text[])`, string(q.Audience.Tenant()), orNone(kinds), orNone(keys), places)
	if err != nil {
		return m, fmt.Errorf("look up entities: %w", err)
	}
	if m.entities, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
		return m, fmt.Errorf("look up entities: %w", err)
	}
	return m, nil
}

// addShared adds an entity to m.parted if it is an address or account that several people share. It
// then adds to m.by the names by which the question asks for it. It adds nothing if the address or
// account itself is in asked, the names in the question.
func (m *questionTargets) addShared(e *evidence, id knowledge.ID, entity int64, asked []string) {
	reused := e.Reused(id)
	if len(reused) == 0 || slices.Contains(asked, knowledge.Form(id.Key)) {
		return
	}
	m.parted = append(m.parted, entity)
	for _, form := range reused {
		if slices.ContainsFunc(asked, func(a string) bool { return slices.Contains(reused, a) && knowledge.SamePerson(a, form) }) {
			m.by = append(m.by, e.names[form])
		}
	}
}

// One returns all entities that are the same as those named in a question, with the reasons. It
// uses only evidence that the question's audience may read.
func (g *Graph) One(ctx context.Context, q knowledge.Question) ([]knowledge.Joined, error) {
	about, err := g.named(ctx, q)
	if err != nil || q.Audience.Tenant() == "" {
		return nil, err
	}
	e, err := g.evidence(ctx, q, about)
	if err != nil {
		return nil, err
	}
	var all []knowledge.Joined
	seen := make(map[knowledge.ID]bool)
	for _, n := range about {
		if id := (knowledge.ID{Kind: n.Kind, Key: n.Key}); n.entity != 0 && !seen[id] {
			seen[id] = true
			for _, j := range e.Cluster(id) {
				if !seen[j.ID] {
					seen[j.ID] = true
					all = append(all, j)
				}
			}
		}
	}
	return all, nil
}
