package opensearch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/footnotehq/footnote/core/retrieve/engine"
)

// delimiter separates a word from its weight. Words never contain it (core/retrieve/analyse).
const delimiter = "|"

// mappingVersion is the version of the mapping. An index with another version must be rebuilt.
const mappingVersion = 2

// fieldTenant and the constants below are the names of index fields. The fields flat and title
// contain words with weights. Each model's vectors have another field (vectorField).
const (
	fieldTenant  = "tenant"
	fieldChunk   = "chunk"
	fieldFirst   = "first"
	fieldAccess  = "access"
	fieldSource  = "source"
	fieldVersion = "version"
	fieldFlat    = "flat"
	fieldTitle   = "title"
)

func vectorField(model int32) string { return fmt.Sprintf("space%d", model) }

type object = map[string]any

// settings returns the settings and mapping of a new index. A chunk's score is the sum of weight
// times boost over the words of the query. To achieve this, a word's weight is stored as its term
// frequency.
func (c *Client) settings() object {
	words := object{"type": "text", "analyzer": "weighted", "norms": false, "index_options": "freqs", "similarity": "weight"}
	number := func(kind string) object { return object{"type": kind} }
	return object{
		"settings": object{"index": object{
			"number_of_shards": c.cfg.Address.Shards, "number_of_replicas": c.cfg.Address.Replicas, "refresh_interval": fillRefresh, "knn": true,
			"similarity": object{"weight": object{"type": "scripted", "script": object{
				"source": fmt.Sprintf("return query.boost * doc.freq * %.17g;", bm25.Value(1)),
			}}},
			"analysis": object{
				"analyzer": object{"weighted": object{"tokenizer": "whitespace", "filter": []string{"weight"}}},
				"filter":   object{"weight": object{"type": "delimited_term_freq", "delimiter": delimiter}},
			},
		}},
		"mappings": object{
			"dynamic": "strict", "_source": object{"enabled": false}, "_meta": object{"footnote": mappingVersion},
			"properties": object{
				fieldTenant: number("keyword"), fieldChunk: number("long"), fieldFirst: object{"type": "long", "doc_values": false},
				fieldAccess: number("integer"), fieldSource: object{"type": "integer", "doc_values": false},
				fieldVersion: object{"type": "long", "index": false}, fieldFlat: words, fieldTitle: words,
			},
		},
	}
}

// Name implements engine.Keeper. It returns the name of an index, such as "footnote-3".
func (c *Client) Name(number int64) string { return fmt.Sprintf("%s-%d", c.cfg.Address.Prefix, number) }

// writeAlias returns the alias for writes to an index. A write to a missing index would create the
// index, but a write to a missing alias fails.
func writeAlias(index string) string { return index + "-write" }

// checkLayout returns engine.ErrMissing if an index was created with another mapping version, by
// another release of this program. It requests the version of each index only once.
func (c *Client) checkLayout(ctx context.Context, index string) error {
	if _, known := c.checkedLayouts.Load(index); known {
		return nil
	}
	var got map[string]struct {
		Mappings struct {
			Meta struct{ Footnote int } `json:"_meta"`
		}
	}
	if err := c.call(ctx, http.MethodGet, "/"+index+"/_mapping?filter_path=*.mappings._meta", nil, &got); err != nil {
		return fmt.Errorf("check the layout of index %s: %w", index, err)
	}
	if version := got[index].Mappings.Meta.Footnote; version != mappingVersion {
		return fmt.Errorf("%w: index %s was made by another release of this program (layout %d, and this one reads %d); once every process runs this release, "+
			"run \"footnote engine rebuild\"", engine.ErrMissing, index, version, mappingVersion)
	}
	c.checkedLayouts.Store(index, true)
	return nil
}

// fillRefresh and serveRefresh are the refresh intervals of an index while it is filled and while
// it serves searches. Refreshes are expensive, because each creates a segment with another vector
// graph.
const (
	fillRefresh  = "20s"
	serveRefresh = "1s"
)

// Serve implements engine.Keeper. It prepares a filled index for searches.
func (c *Client) Serve(ctx context.Context, index string) error {
	body, err := json.Marshal(object{"index": object{"refresh_interval": serveRefresh}})
	if err == nil {
		err = c.call(ctx, http.MethodPut, "/"+index+"/_settings", body, nil)
	}
	if err != nil {
		return fmt.Errorf("put index %s into service: %w", index, err)
	}
	return c.Refresh(ctx, index)
}

// Create implements engine.Keeper. It creates an empty index.
func (c *Client) Create(ctx context.Context, index string) error {
	if err := c.checkVersion(ctx); err != nil {
		return err
	}
	if err := c.Drop(ctx, index); err != nil {
		return err
	}
	settings := c.settings()
	settings["aliases"] = object{writeAlias(index): object{}}
	body, err := json.Marshal(settings)
	if err != nil {
		return fmt.Errorf("create index %s: %w", index, err)
	}
	err = c.call(ctx, http.MethodPut, "/"+index, body, nil)
	var f *fault
	if errors.As(err, &f) && strings.Contains(f.reason, "[knn]") {
		return fmt.Errorf("%w: the server lacks the k-NN plugin, which comes with OpenSearch; install opensearch-knn: %w", engine.ErrUnfit, f)
	}
	if err != nil {
		return fmt.Errorf("create index %s: %w", index, err)
	}
	c.checkedLayouts.Store(index, true)
	return nil
}

// Drop implements engine.Keeper. It deletes indexes.
func (c *Client) Drop(ctx context.Context, indexes ...string) error {
	for _, index := range indexes {
		c.checkedLayouts.Delete(index)
		err := c.call(ctx, http.MethodDelete, "/"+index+"?ignore_unavailable=true", nil, nil)
		if err != nil && !errors.Is(err, engine.ErrMissing) {
			return fmt.Errorf("drop index %s: %w", index, err)
		}
	}
	return nil
}

// Space implements engine.Writer. It adds a field for the vectors of a model.
func (c *Client) Space(ctx context.Context, index string, model int32, dimensions int) error {
	if err := c.checkLayout(ctx, index); err != nil {
		return err
	}
	body, err := json.Marshal(object{"properties": object{vectorField(model): object{
		// _source would be a second copy. Lucene reads the vectors from its graph.
		"type": "knn_vector", "dimension": dimensions, "doc_values": false,
		"method": object{"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil", "parameters": object{"m": 16, "ef_construction": 100}},
	}}})
	if err != nil {
		return fmt.Errorf("add vectors to index %s: %w", index, err)
	}
	if err := c.call(ctx, http.MethodPut, "/"+index+"/_mapping", body, nil); err != nil {
		return fmt.Errorf("add vectors of %d dimensions to index %s: %w", dimensions, index, err)
	}
	return nil
}
