package opensearch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve/engine"
)

// pageSize is the number of chunks listed per request (index.max_result_window).
const pageSize = 10000

// maxBlocks limits the number of blocks of a tenant. A block has engine.BlockSize chunk ids. The
// limit is enough for eight billion chunks.
const maxBlocks = 1 << 17

// maxExact is the integer up to which float64 represents every integer exactly.
const maxExact = 1 << 53

func (c *Client) query(ctx context.Context, index string, body object, out any) error {
	if err := c.checkVersion(ctx); err != nil {
		return err
	}
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return c.call(ctx, http.MethodPost, "/"+index+"/_search?allow_partial_search_results=false", text, out)
}

// Tally implements engine.Keeper. It returns a checksum of the tenant's chunks for each block of
// engine.BlockSize chunk ids.
func (c *Client) Tally(ctx context.Context, index string, tenant access.TenantID) (map[int64]engine.Tally, error) {
	out := make(map[int64]engine.Tally)
	last := -1.0 // start of the previous block
	for after := any(nil); ; {
		composite := object{"size": pageSize, "sources": []any{object{"block": object{"histogram": object{"field": fieldChunk, "interval": engine.BlockSize}}}}}
		if after != nil {
			composite["after"] = after
		}
		var got struct {
			Aggregations struct {
				Blocks struct {
					AfterKey map[string]float64 `json:"after_key"`
					Buckets  []struct {
						Key      struct{ Block float64 }
						Count    int64 `json:"doc_count"`
						Versions struct{ Value float64 }
					}
				}
			}
		}
		err := c.query(ctx, index, object{"size": 0, "query": object{"bool": object{"filter": []any{term(fieldTenant, string(tenant))}}},
			"aggs": object{"blocks": object{"composite": composite, "aggs": object{"versions": object{"sum": object{"field": fieldVersion}}}}}}, &got)
		if err != nil {
			return nil, fmt.Errorf("count the chunks in index %s: %w", index, err)
		}
		blocks := &got.Aggregations.Blocks
		for _, b := range blocks.Buckets {
			if b.Key.Block <= last || b.Key.Block > maxExact || b.Count < 0 || len(out) == maxBlocks {
				return nil, fmt.Errorf("count the chunks in index %s: %w: its blocks are not in order, or there are too many", index, engine.ErrUnfit)
			}
			last = b.Key.Block
			out[int64(b.Key.Block)/engine.BlockSize] = engine.Tally{Chunks: b.Count, Versions: int64(b.Versions.Value)}
		}
		if len(blocks.Buckets) < pageSize || blocks.AfterKey == nil {
			return out, nil
		}
		after = blocks.AfterKey
	}
}

// Versions implements engine.Keeper. It returns the versions of the chunks in a block of
// engine.BlockSize chunk ids.
func (c *Client) Versions(ctx context.Context, index string, tenant access.TenantID, block int64) (map[document.ChunkID]int64, error) {
	out := make(map[document.ChunkID]int64)
	from, to := block*engine.BlockSize, (block+1)*engine.BlockSize
	for from < to {
		var got struct {
			Hits struct {
				Hits []struct {
					Sort   []int64
					Fields struct{ Version []int64 }
				}
			}
		}
		err := c.query(ctx, index, object{"size": pageSize, "track_total_hits": false, "stored_fields": "_none_", "docvalue_fields": []string{fieldVersion},
			"sort": []any{object{fieldChunk: "asc"}}, "query": object{"bool": object{"filter": []any{term(fieldTenant, string(tenant)),
				object{"range": object{fieldChunk: object{"gte": from, "lt": to}}}}}}}, &got)
		if err != nil {
			return nil, fmt.Errorf("list the chunks in index %s: %w", index, err)
		}
		for _, h := range got.Hits.Hits {
			if len(h.Sort) != 1 || len(h.Fields.Version) != 1 {
				return nil, errors.New("list the chunks in the search engine: one has no number or version")
			}
			if h.Sort[0] < from || h.Sort[0] >= to {
				return nil, fmt.Errorf("list the chunks in index %s: %w: chunk %d is out of order or not in the block", index, engine.ErrUnfit, h.Sort[0])
			}
			out[document.ChunkID(h.Sort[0])] = h.Fields.Version[0]
			from = h.Sort[0] + 1
		}
		if len(got.Hits.Hits) < pageSize {
			break
		}
	}
	return out, nil
}
