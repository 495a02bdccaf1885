package postgres

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/jackc/pgx/v5"
)

// snapshot is what a search reads first: the outline of the index, all in one state of the database.
type snapshot struct {
	lists     []int32 // numbers of the access lists that the audience may read
	shards    []shardRow
	segments  []segmentRow
	model     model
	hasModel  bool
	sources   []int32 // numbers of the sources asked for
	documents []docRange
	languages []string
}

type shardRow struct {
	shard                                   int16
	sealedTo, nextChunk                     int64
	chunks, flatLength, titleLength, titled int64
	languages                               []string
}

type segmentRow struct {
	shard               int16
	number              int32
	level               int16
	low, high           int64
	flatAvg, titleAvg   float64
	chunks, dead, epoch int32
}

// docRange is a document as a range of chunks.
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
	err := row.Scan(&s.shard, &s.sealedTo, &s.nextChunk, &s.chunks, &s.flatLength, &s.titleLength, &s.titled, &s.languages)
	return s, err
}

func scanRange(row pgx.CollectableRow) (docRange, error) {
	var d docRange
	err := row.Scan(&d.shard, &d.first, &d.count, &d.access)
	return d, err
}

// collect reads the next result of a batch into *out.
func collect[T any](br pgx.BatchResults, out *[]T, scan pgx.RowToFunc[T]) error {
	rows, err := br.Query()
	if err != nil {
		return err
	}
	*out, err = pgx.CollectRows(rows, scan)
	return err
}

// readSnapshot reads the outline in one round trip and sets what the transaction's statements run with. Every statement touches few rows.
func readSnapshot(ctx context.Context, tx pgx.Tx, r retrieve.Request) (*snapshot, error) {
	tenant := string(r.Audience.Tenant())
	batch := &pgx.Batch{}
	s := &snapshot{}
	var models []model
	var steps []func(pgx.BatchResults) error
	queue := func(read func(pgx.BatchResults) error, sql string, args ...any) {
		batch.Queue(sql, args...)
		steps = append(steps, read)
	}
	queue(func(br pgx.BatchResults) error { _, err := br.Exec(); return err }, searchSettings)
	queue(func(br pgx.BatchResults) error { return collect(br, &s.lists, pgx.RowTo[int32]) },
		`select number from access_list where tenant_id = $1 and principals && $2::text[]`, tenant, strs(r.Audience.Principals()))
	queue(func(br pgx.BatchResults) error { return collect(br, &s.shards, scanShard) },
		`select shard, sealed_to, next_chunk, chunks, flat_length, title_length, titled, languages
		from index_shard where tenant_id = $1 order by shard`, tenant)
	queue(func(br pgx.BatchResults) error { return collect(br, &s.segments, scanSegment) },
		`select `+segmentColumns+` from segment where tenant_id = $1 order by shard, low`, tenant)
	if r.Model != "" {
		queue(func(br pgx.BatchResults) error { return collect(br, &models, scanModel) },
			`select number, name, dimensions, precision, indexed from embedding_model where tenant_id = $1 and name = $2`, tenant, r.Model)
	}
	if len(r.Sources) > 0 {
		queue(func(br pgx.BatchResults) error { return collect(br, &s.sources, pgx.RowTo[int32]) },
			`select number from source where tenant_id = $1 and id = any($2::text[])`, tenant, strs(r.Sources))
	}
	if len(r.Documents) > 0 {
		// Served by document's unique constraint, through the shards.
		queue(func(br pgx.BatchResults) error { return collect(br, &s.documents, scanRange) },
			`select d.shard, d.first_chunk, d.chunk_count, d.access_number
			from index_shard s join document d on d.tenant_id = s.tenant_id and d.shard = s.shard
			where s.tenant_id = $1 and d.external_id = any($2::text[]) and d.acl && $3::text[]
			  and (cardinality($4::text[]) = 0 or d.source_id = any($4::text[]))`,
			tenant, strs(r.Documents), strs(r.Audience.Principals()), strs(r.Sources))
	}
	br := tx.SendBatch(ctx, batch)
	var err error
	for _, step := range steps {
		if err = step(br); err != nil {
			break
		}
	}
	if closeErr := br.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, fmt.Errorf("read the outline of the index: %w", err)
	}
	if len(models) > 0 {
		s.model, s.hasModel = models[0], true
	}
	for _, sh := range s.shards {
		s.languages = append(s.languages, sh.languages...)
	}
	return s, nil
}

// firstError calls functions until one fails.
func firstError(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// fieldStats are the statistics of a field over the tenant's whole index.
type fieldStats struct {
	chunks  int     // that have the field
	average float64 // length
}

func (s *snapshot) stats() (flat, title fieldStats) {
	var chunks, flatLength, titleLength, titled int64
	for _, sh := range s.shards {
		chunks += sh.chunks
		flatLength += sh.flatLength
		titleLength += sh.titleLength
		titled += sh.titled
	}
	return fieldStats{int(chunks), average(flatLength, chunks)}, fieldStats{int(titled), average(titleLength, titled)}
}

func average(sum, n int64) float64 {
	if n <= 0 {
		return 0
	}
	return float64(sum) / float64(n)
}

// blockKey names a block of 65,536 chunk ids of a shard.
type blockKey struct {
	shard int16
	block int32
}

func blockOf(shard int16, id int64) (blockKey, uint16) {
	block, offset := bm25.Split(id)
	return blockKey{shard, block}, offset
}
