package pgindex

import (
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/jackc/pgx/v5"
)

// snapshot is what a search reads before it looks at chunks: the access lists that the audience may
// read, the shards, their segments, and the documents named in the request.
type snapshot struct {
	lists []int32 // numbers of the access lists that the audience may read, ascending
	// until is when lists expires, even if no shard changes. The zero time means never.
	until     time.Time
	shards    []shardRow
	segments  []segmentRow
	models    []model // at most one
	sources   []int32 // numbers of the requested sources
	documents []docRange
	fresh     []freshDoc // not yet in sealed segments
}

type shardRow struct {
	shard               int16
	version             int64 // changes with every write to the shard: see lockShard
	sealedTo, nextChunk int64
	chunks              int64
	languages           []string
}

func (s shardRow) sameVersion(other shardRow) bool {
	return s.shard == other.shard && s.version == other.version
}

type segmentRow struct {
	shard               int16
	number              int32
	level               int16
	low, high           int64
	flatAvg, titleAvg   float64
	chunks, dead, epoch int32
}

// docRange is the range of chunk ids that a document occupies in its shard.
type docRange struct {
	shard  int16
	first  int64
	count  int32
	access int32
}

const segmentColumns = `shard, number, level, low, high, flat_avg, title_avg, chunks, dead, epoch`

func scanSegment(row pgx.CollectableRow) (segmentRow, error) {
	var s segmentRow
	err := row.Scan(&s.shard, &s.number, &s.level, &s.low, &s.high, &s.flatAvg, &s.titleAvg, &s.chunks, &s.dead, &s.epoch)
	return s, err
}

func scanShard(row pgx.CollectableRow) (shardRow, error) {
	var s shardRow
	err := row.Scan(&s.shard, &s.version, &s.sealedTo, &s.nextChunk, &s.chunks, &s.languages)
	return s, err
}

func scanRange(row pgx.CollectableRow) (docRange, error) {
	var d docRange
	err := row.Scan(&d.shard, &d.first, &d.count, &d.access)
	return d, err
}

const beginRead = `begin transaction isolation level repeatable read read only`

func (s *snapshot) queueOutline(to *round, r retrieve.Request) {
	tenant := string(r.Audience.Tenant())
	to.queue(s.scanLists,
		listsOf("$1", "$2")+` order by 1`, tenant, strs(r.Audience.Principals()))
	to.queue(collectInto(&s.segments, scanSegment), `select `+segmentColumns+` from segment where tenant_id = $1 order by shard, low`, tenant)
}

// scanLists reads the access lists that the audience may read. If one is readable only through a
// node, such as a folder, it sets the expiry s.until.
func (s *snapshot) scanLists(br pgx.BatchResults) error {
	rows, err := br.Query()
	if err != nil {
		return err
	}
	s.lists, s.until = nil, time.Time{}
	var number int32
	var plain bool
	_, err = pgx.ForEachRow(rows, []any{&number, &plain}, func() error {
		if n := len(s.lists); n == 0 || s.lists[n-1] != number {
			s.lists = append(s.lists, number)
		}
		if !plain {
			s.until = time.Now().Add(passingAge)
		}
		return nil
	})
	return err
}

// Statements of every search. The model is read only if the search compares vectors. They use
// primary keys and unique constraints.
const (
	shardsSQL = `select shard, xmin::text::bigint, sealed_to, next_chunk, chunks, languages
		from index_shard where tenant_id = $1 order by shard`
	modelSQL = `select number, name, dimensions, precision, xmin::text::bigint from embedding_model
		where tenant_id = $1 and name = $2`
)

func (s *snapshot) queue(first *round, r retrieve.Request) {
	tenant := string(r.Audience.Tenant())
	first.queue(collectInto(&s.shards, scanShard), shardsSQL, tenant)
	if r.Model != "" {
		first.queue(collectInto(&s.models, scanVersion), modelSQL, tenant, r.Model)
	}
	if len(r.Sources) > 0 {
		first.queue(collectInto(&s.sources, pgx.RowTo[int32]), `select number from source where tenant_id = $1 and id = any($2::text[])`, tenant, strs(r.Sources))
	}
	if len(r.Documents) > 0 {
		// Served by document's unique constraint, through the shards.
		first.queue(collectInto(&s.documents, scanRange),
			`select d.shard, d.first_chunk, d.chunk_count, d.access_number
			from index_shard s join document d on d.tenant_id = s.tenant_id and d.shard = s.shard
			where s.tenant_id = $1 and d.external_id = any($2::text[]) and `+pgaccess.MayRead("$1", "$3")+`
			  and (cardinality($4::text[]) = 0 or d.source_id = any($4::text[]))
			  and ($5::timestamptz is null or d.updated_at >= $5) and ($6::timestamptz is null or d.updated_at < $6)`,
			tenant, strs(r.Documents), strs(r.Audience.Principals()), strs(r.Sources), postgres.OrNull(r.From), postgres.OrNull(r.To))
	}
}

func scanVersion(row pgx.CollectableRow) (model, error) {
	var m model
	err := row.Scan(&m.number, &m.name, &m.dimensions, &m.precision, &m.version)
	return m, err
}

// model returns the request's embedding model. It returns false if the request names none or the
// index does not know it.
func (s *snapshot) model() (model, bool) {
	if len(s.models) == 0 {
		return model{}, false
	}
	return s.models[0], true
}

func languages(shards []shardRow) []string {
	var all []string
	for _, sh := range shards {
		all = append(all, sh.languages...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (s *snapshot) allows(list int32) bool {
	_, found := slices.BinarySearch(s.lists, list)
	return found
}

// averageLength is the assumed average number of terms in each field, by field number, for BM25.
var averageLength = [2]float64{fieldFlat: bm25.FlatLength, fieldTitle: bm25.TitleLength}

// blockKey identifies a block of 65,536 chunk ids of a shard.
type blockKey struct {
	shard int16
	block int32
}

func blockOf(shard int16, id int64) (blockKey, uint16) {
	block, offset := bm25.Split(id)
	return blockKey{shard, block}, offset
}
