package pgknowledge

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/jackc/pgx/v5"
)

//go:embed queries/neighbours.sql
var neighboursText string

//go:embed queries/named.sql
var namedText string

//go:embed queries/statements.sql
var statementsText string

var (
	neighboursSQL = readable(neighboursText, "$4")
	namedSQL      = readable(namedText, "$3")
	statementsSQL = readable(statementsText, "$6")
)

// readable replaces "{may_read}" in a query by the condition that document d may be read. held is
// the parameter with the reader's principals, such as "$4".
func readable(sql, held string) string {
	return strings.ReplaceAll(sql, "{may_read}", pgaccess.MayRead("$1", held))
}

var _ knowledge.Graph = (*Graph)(nil)

// Graph reads the facts that documents state. Each read returns only facts that the audience may
// read at that time. It is safe for concurrent use.
type Graph struct{ db *postgres.DB }

// New returns the Graph stored in db.
func New(db *postgres.DB) *Graph { return &Graph{db: db} }

// Empty implements knowledge.Graph.
func (g *Graph) Empty(ctx context.Context, tenant access.TenantID, relations ...knowledge.Relation) (bool, error) {
	var empty bool
	const query = `select not exists (select from edge where tenant_id = $1 and ($2::text[] is null or relation = any($2)))`
	if err := g.db.Pool.QueryRow(ctx, query, string(tenant), orAll(texts(relations))).Scan(&empty); err != nil {
		return false, fmt.Errorf("ask whether documents state anything: %w", err)
	}
	return empty, nil
}

// Neighbours implements knowledge.Graph.
func (g *Graph) Neighbours(ctx context.Context, q knowledge.Question, passages []document.ChunkID) ([]knowledge.Neighbour, error) {
	if q.Audience.Tenant() == "" || len(passages) == 0 {
		return nil, nil
	}
	shards, chunks := make([]int16, len(passages)), make([]int64, len(passages))
	for i, id := range passages {
		shards[i], chunks[i] = int16(id>>32), int64(uint32(id))
	}
	rows, err := g.db.Pool.Query(ctx, neighboursSQL, string(q.Audience.Tenant()), shards, chunks, texts(q.Audience.Principals()),
		orAll(texts(q.Sources)), orAll(texts(q.Documents)), knowledge.HubOwners, knowledge.HubUses, knowledge.MaxCounted)
	if err != nil {
		return nil, fmt.Errorf("look for documents that passages name: %w", err)
	}
	type key struct {
		from document.ChunkID
		name int64
	}
	owners := make(map[key]int)
	var keys []key
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (knowledge.Neighbour, error) {
		var n knowledge.Neighbour
		var from, to int16
		var chunk, first, name int64
		var updated *time.Time
		err := row.Scan(&from, &chunk, &to, &first, &n.Siblings, &updated, &n.Boost, &name, &n.Uses)
		n.From, n.First = chunkID(from, chunk), chunkID(to, first)
		if updated != nil {
			n.UpdatedAt = updated.UTC()
		}
		k := key{n.From, name}
		owners[k]++
		keys = append(keys, k)
		return n, err
	})
	if err != nil {
		return nil, fmt.Errorf("look for documents that passages name: %w", err)
	}
	for i := range found {
		found[i].Owners = owners[keys[i]]
	}
	return found, nil
}

// naming is an entity or document that has one of the names in a question. entity is 0 for a
// document.
type naming struct {
	knowledge.Named
	entity int64
	shard  int16
	row    int64
}

const mostNamings = 2000

// Named implements knowledge.Graph.
func (g *Graph) Named(ctx context.Context, q knowledge.Question) ([]knowledge.Named, error) {
	all, err := g.named(ctx, q)
	if err != nil {
		return nil, err
	}
	out := make([]knowledge.Named, len(all))
	for i, n := range all {
		out[i] = n.Named
	}
	return out, nil
}

func (g *Graph) named(ctx context.Context, q knowledge.Question) ([]naming, error) {
	if q.Audience.Tenant() == "" || len(q.Names) == 0 {
		return nil, nil
	}
	paths, forms := []string{}, []string{}
	for _, path := range q.Paths {
		if form := knowledge.Form(path); slices.Contains(q.Names, form) {
			paths, forms = append(paths, postgres.Storable(path)), append(forms, form)
		}
	}
	rows, err := g.db.Pool.Query(ctx, namedSQL, string(q.Audience.Tenant()), q.Names, texts(q.Audience.Principals()), orAll(texts(q.Sources)),
		orAll(texts(q.Documents)), mostNamings, paths, forms)
	if err != nil {
		return nil, fmt.Errorf("look up entities by name: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (naming, error) {
		var n naming
		err := row.Scan(&n.Form, &n.entity, &n.Kind, &n.Key, &n.Shown, &n.shard, &n.row, &n.Document.ID, &n.Document.URL, &n.Document.Title)
		return n, err
	})
	if err != nil {
		return nil, fmt.Errorf("look up entities by name: %w", err)
	}
	return all, nil
}

// Statements implements knowledge.Graph.
func (g *Graph) Statements(ctx context.Context, q knowledge.Question) ([]knowledge.Statement, error) {
	m, err := g.resolveTargets(ctx, q)
	if err != nil || q.Audience.Tenant() == "" {
		return nil, err
	}
	about, entities := m.about, m.entities
	covering, err := g.covering(ctx, q, about)
	if err != nil {
		return nil, err
	}
	entities = append(entities, covering...)
	var shards []int16
	var rows []int64
	for _, n := range about {
		if n.entity == 0 {
			shards, rows = append(shards, n.shard), append(rows, n.row)
		}
	}
	if len(entities) == 0 && len(rows) == 0 {
		return nil, nil
	}
	var relations []string
	for _, r := range q.Relations {
		relations = append(relations, string(r))
	}
	found, err := g.db.Pool.Query(ctx, statementsSQL, string(q.Audience.Tenant()), entities, shards, rows, orAll(relations), texts(q.Audience.Principals()),
		orAll(texts(q.Sources)), orAll(texts(q.Documents)), postgres.OrNull(q.From), postgres.OrNull(q.To), max(q.Limit, 1)*limitSlack, q.Object, notNull(m.parted), notNull(m.by), q.Subject)
	if err != nil {
		return nil, fmt.Errorf("look up what documents state: %w", err)
	}
	stated, err := pgx.CollectRows(found, scanStatement)
	if err != nil {
		return nil, fmt.Errorf("look up what documents state: %w", err)
	}
	return g.resolve(ctx, q, closest(stated, covering))
}

// mostPatterns limits the number of CODEOWNERS patterns per source that are compared with a
// document.
const mostPatterns = 5000

// covering returns the row ids of the CODEOWNERS patterns that match a document in about. It
// returns nil if the question does not ask for owners.
func (g *Graph) covering(ctx context.Context, q knowledge.Question, about []naming) ([]int64, error) {
	var ids []int64
	if len(q.Relations) > 0 && !slices.Contains(q.Relations, knowledge.Owns) {
		return nil, nil
	}
	for _, n := range about {
		source, file, found := strings.Cut(string(n.Document.ID), ":")
		if n.entity != 0 || !found {
			continue
		}
		rows, err := g.db.Pool.Query(ctx, `select id, key from entity where tenant_id = $1 and kind = 'path' and key >= $2 and key < $3 order by key limit $4`,
			string(q.Audience.Tenant()), source+":", source+";", mostPatterns)
		if err != nil {
			return nil, fmt.Errorf("look for owners of files: %w", err)
		}
		var id int64
		var key string
		if _, err := pgx.ForEachRow(rows, []any{&id, &key}, func() error {
			if _, pattern := knowledge.SourceOf(key); knowledge.Covers(pattern, file) {
				ids = append(ids, id)
			}
			return nil
		}); err != nil {
			return nil, fmt.Errorf("look for owners of files: %w", err)
		}
	}
	return ids, nil
}

// closest drops statements about a CODEOWNERS pattern if a longer pattern of the same source
// matches too. It sorts statements about patterns last. covering has the row ids of the matching
// patterns.
func closest(all []stated, covering []int64) []stated {
	longest := make(map[string]int) // by source
	of := func(s stated) (source string, length int, covers bool) {
		if s.object.kind != knowledge.Path || !slices.Contains(covering, s.object.id) {
			return "", 0, false
		}
		id, pattern := knowledge.SourceOf(s.object.key)
		return string(id), len(pattern), true
	}
	for _, s := range all {
		if source, length, covers := of(s); covers {
			longest[source] = max(longest[source], length)
		}
	}
	all = slices.DeleteFunc(all, func(s stated) bool {
		source, length, covers := of(s)
		return covers && length < longest[source]
	})
	slices.SortStableFunc(all, func(a, b stated) int { // what a document says of itself comes first
		_, _, one := of(a)
		_, _, other := of(b)
		switch {
		case one == other:
			return 0
		case one:
			return 1
		}
		return -1
	})
	return all
}

// limitSlack is the factor by which more statements are read than were requested. Some are dropped
// later, because they refer to documents that the audience may not read.
const limitSlack = 3

type side struct {
	id         int64
	kind       knowledge.Kind
	key, shown string
	resolved   *document.Ref
}

type stated struct {
	knowledge.Statement
	subject, object side
}

func scanStatement(row pgx.CollectableRow) (stated, error) {
	var s stated
	var shard int16
	var chunk, id int64
	var at, updated *time.Time
	err := row.Scan(&s.Relation, &shard, &chunk, &at, &id, &s.Document.ID, &s.Document.Source, &s.Document.Kind, &s.Document.Title, &s.Document.URL, &updated,
		&s.subject.id, &s.subject.kind, &s.subject.key, &s.subject.shown, &s.object.id, &s.object.kind, &s.object.key, &s.object.shown)
	s.Chunk = chunkID(shard, chunk)
	if at != nil {
		s.At = at.UTC()
	}
	if updated != nil {
		s.Document.UpdatedAt = updated.UTC()
	}
	return s, err
}

// resolve looks up the documents that statements refer to. It drops statements whose document is
// missing or unreadable. The result does not reveal which of the two is the case.
func (g *Graph) resolve(ctx context.Context, q knowledge.Question, all []stated) ([]knowledge.Statement, error) {
	var addresses, ids, forms []string
	for i := range all {
		for _, s := range []*side{&all[i].subject, &all[i].object} {
			switch {
			case s.id == 0:
				s.resolved = &all[i].Document
				s.shown = all[i].Document.Title
			case s.kind == knowledge.Path && s.shown == s.key: // a pattern without a word in it
				_, s.shown = knowledge.SourceOf(s.key)
			case s.kind != knowledge.Document:
			case strings.Contains(s.key, "://"):
				addresses = append(addresses, s.key)
			case strings.Contains(s.key, ":"): // normalised titles contain no colon
				ids = append(ids, s.key)
			default:
				forms = append(forms, s.key)
			}
		}
	}
	byKey, err := g.targets(ctx, q, addresses, ids, forms)
	if err != nil {
		return nil, err
	}
	var out []knowledge.Statement
	for i := range all {
		s := &all[i]
		if s.object.kind == knowledge.Release && s.object.shown == s.object.key && !slices.Contains(q.Relations, knowledge.Releases) {
			continue // only questions for releases need the fact that it is one
		}
		seen := true
		for _, end := range []*side{&s.subject, &s.object} {
			if end.id == 0 || end.kind != knowledge.Document {
				continue
			}
			ref, found := byKey[end.key]
			if seen = seen && found; found {
				end.resolved, end.shown = &ref, ref.Title
			}
		}
		if !seen || q.Limit > 0 && len(out) == q.Limit {
			continue
		}
		s.Subject, s.SubjectKind, s.SubjectKey, s.SubjectRef = s.subject.shown, s.subject.kind, s.subject.key, s.subject.resolved
		s.Object, s.ObjectKind, s.ObjectKey, s.ObjectRef = s.object.shown, s.object.kind, s.object.key, s.object.resolved
		out = append(out, s.Statement)
	}
	return out, nil
}

// targets returns the documents with the given addresses, ids or titles that the audience may read.
// The key is the address, id or title.
func (g *Graph) targets(ctx context.Context, q knowledge.Question, addresses, ids, forms []string) (map[string]document.Ref, error) {
	byKey := make(map[string]document.Ref)
	if len(addresses)+len(ids)+len(forms) == 0 {
		return byKey, nil
	}
	rows, err := g.db.Pool.Query(ctx, `
		select d.url, d.external_id, d.source_id, d.kind, d.title, d.url, d.updated_at from document d
		where d.tenant_id = $1 and d.url <> '' and md5(d.url) = any (select md5(a) from unnest($2::text[]) a) and d.url = any($2::text[])
		  and ($5::text[] is null or d.source_id = any($5::text[])) and ($6::text[] is null or d.external_id = any($6::text[])) and `+pgaccess.MayRead("$1", "$4")+`
		union all
		select d.external_id, d.external_id, d.source_id, d.kind, d.title, d.url, d.updated_at
		from index_shard s join document d on d.tenant_id = s.tenant_id and d.shard = s.shard and d.external_id = any($7::text[])
		where s.tenant_id = $1
		  and ($5::text[] is null or d.source_id = any($5::text[])) and ($6::text[] is null or d.external_id = any($6::text[])) and `+pgaccess.MayRead("$1", "$4")+`
		union all
		select n.form, d.external_id, d.source_id, d.kind, d.title, d.url, d.updated_at
		from entity_name n join alias a on a.tenant_id = $1 and a.name = n.id and a.entity = 0
		join document d on d.tenant_id = $1 and d.shard = a.shard and d.id = a.document
		where n.tenant_id = $1 and n.form = any($3::text[]) and ($5::text[] is null or d.source_id = any($5::text[])) and ($6::text[] is null or d.external_id = any($6::text[])) and `+pgaccess.MayRead("$1", "$4")+`
		order by 2 desc`, string(q.Audience.Tenant()), orNone(addresses), orNone(forms), texts(q.Audience.Principals()), orAll(texts(q.Sources)), orAll(texts(q.Documents)), orNone(ids))
	if err != nil {
		return nil, fmt.Errorf("look up documents that others name: %w", err)
	}
	var key string
	var ref document.Ref
	var updated *time.Time
	_, err = pgx.ForEachRow(rows, []any{&key, &ref.ID, &ref.Source, &ref.Kind, &ref.Title, &ref.URL, &updated}, func() error {
		ref.UpdatedAt = time.Time{}
		if updated != nil {
			ref.UpdatedAt = updated.UTC()
		}
		byKey[key] = ref // of several, the one with the lowest id, which comes last
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look up documents that others name: %w", err)
	}
	return byKey, nil
}

func chunkID(shard int16, id int64) document.ChunkID { return document.ChunkID(int64(shard)<<32 | id) }

func texts[S ~string](in []S) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = string(s)
	}
	return out
}

// orAll returns nil for an empty list. In SQL, null means no restriction.
func orAll(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}

func orNone(list []string) []string { return append([]string{}, list...) }

// notNull returns a copy of list that is not nil. In SQL, an empty list matches nothing.
func notNull(list []int64) []int64 { return append([]int64{}, list...) }
