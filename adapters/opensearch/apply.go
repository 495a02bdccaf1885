package opensearch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve/engine"
	"github.com/footnotehq/footnote/core/sleep"
	"golang.org/x/sync/errgroup"
)

// bulkBytes and the other constants limit bulk requests. OpenSearch recommends 5 to 15 MB per
// request, which it holds in memory.
const (
	bulkBytes   = 5 << 20
	bulkActions = 2000
	maxSenders  = 2 // concurrent requests
)

// minBulkChanges is the number of changes up to which a bulk request is not split further. If such
// a request times out, the cluster counts as unavailable.
const minBulkChanges = 100

// refreshThreshold is the number of changes from which Apply refreshes the index at once. Fewer
// changes become visible within a second, at the next regular refresh.
const refreshThreshold = 32

// maxAttempts, firstWait and maxWait control the back-off after the cluster has reported an
// overload.
const (
	maxAttempts = 8
	firstWait   = 100 * time.Millisecond
	maxWait     = 5 * time.Second
)

// action is one change of an index, encoded as lines of a bulk request.
type action struct{ lines []byte }

// Apply implements engine.Writer. It splits the changes into bulk requests and sends several
// requests at once. The order of the changes does not matter.
func (c *Client) Apply(ctx context.Context, index string, changes []engine.Change, visible bool) error {
	if err := c.checkVersion(ctx); err != nil {
		return err
	}
	if err := c.checkLayout(ctx, index); err != nil {
		return err
	}
	refresh := "false"
	if visible {
		if refresh = c.cfg.Refresh; len(changes) >= refreshThreshold {
			refresh = "true"
		}
	}
	sending, ctx := errgroup.WithContext(ctx)
	sending.SetLimit(maxSenders)
	var batch []action
	size := 0
	send := func() {
		full := batch
		sending.Go(func() error { return c.bulk(ctx, index, full, refresh) })
		batch, size = nil, 0
	}
	for i := range changes {
		lines, err := encode(&changes[i])
		if err != nil {
			return errors.Join(fmt.Errorf("write chunks to the search engine: %w", err), sending.Wait())
		}
		if len(batch) > 0 && (size+len(lines) > bulkBytes || len(batch) == bulkActions) {
			send()
		}
		batch, size = append(batch, action{lines}), size+len(lines)
	}
	send()
	return sending.Wait()
}

// Refresh implements engine.Writer. It makes all applied changes visible to searches.
func (c *Client) Refresh(ctx context.Context, index string) error {
	if err := c.call(ctx, http.MethodPost, "/"+index+"/_refresh", nil, nil); err != nil {
		return fmt.Errorf("refresh index %s: %w", index, err)
	}
	return nil
}

func id(tenant access.TenantID, chunk document.ChunkID) string {
	return string(tenant) + "/" + strconv.FormatInt(int64(chunk), 10)
}

// encode encodes a change as lines of a bulk request. It includes the change's version, so that
// OpenSearch ignores a change that arrives late.
func encode(change *engine.Change) ([]byte, error) {
	meta := object{"_id": id(change.Tenant, change.Chunk), "version": change.Version, "version_type": "external_gte"}
	var lines bytes.Buffer
	out := json.NewEncoder(&lines) // it ends each value with a line break
	if change.Gone {
		err := out.Encode(object{"delete": meta})
		return lines.Bytes(), err
	}
	body := object{
		fieldTenant: change.Tenant, fieldChunk: change.Chunk, fieldFirst: change.First, fieldAccess: change.Access, fieldSource: change.Source,
		fieldVersion: change.Version, fieldFlat: encodeWeights(change.Flat), fieldTitle: encodeWeights(change.Title),
	}
	for model, vector := range change.Vectors {
		body[vectorField(model)] = vector
	}
	if err := out.Encode(object{"index": meta}); err != nil {
		return nil, err
	}
	err := out.Encode(body)
	return lines.Bytes(), err
}

// encodeWeights encodes words with their weights, such as "leave|512 policy|300".
func encodeWeights(words map[string]uint16) string {
	var text strings.Builder
	for word, weight := range words {
		if text.Len() > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(word)
		text.WriteString(delimiter)
		text.WriteString(strconv.Itoa(int(weight)))
	}
	return text.String()
}

// bulkResponse has one result per action, in the same order.
type bulkResponse struct {
	Errors bool
	Items  []map[string]struct {
		Status int
		Error  json.RawMessage
	}
}

// bulk sends actions until each one is applied or superseded by a newer change. It retries only
// rejected and timed-out actions, in smaller requests each time. It gives up after maxAttempts
// failures in a row.
func (c *Client) bulk(ctx context.Context, index string, batch []action, refresh string) error {
	wait := firstWait
	for try := 1; len(batch) > 0; {
		now := batch[:min(int(c.bulkSize.Load()), len(batch))]
		began := time.Now()
		pending, err := c.sendBulk(ctx, index, now, refresh)
		if err == nil && len(pending) == 0 {
			c.adaptBulk(len(now), time.Since(began))
			batch, try, wait = batch[len(now):], 1, firstWait
			continue
		}
		var f *fault
		var node *unreachable
		switch {
		case err == nil:
			err = fmt.Errorf("%w: it is overloaded", engine.ErrDown)
			batch = slices.Concat(pending, batch[len(now):])
			c.limitBulk(len(now) / 2)
		case errors.As(err, &f) && isBusy(f):
			wait = max(wait, min(f.retryAfter, maxWait))
			c.limitBulk(len(now) / 2)
		case errors.As(err, &node) && node.timedOut && len(now) > minBulkChanges:
			c.limitBulk(len(now) / 4)
		case errors.As(err, &node) && node.timedOut && try < len(c.cfg.Address.Hosts):
			// the node is not responding
		default:
			return fmt.Errorf("write %d chunks to the search engine: %w", len(batch), err)
		}
		if try == maxAttempts {
			return fmt.Errorf("write %d chunks to the search engine, %d times: %w", len(batch), try, err)
		}
		try++
		c.waiting.Add(1)
		err = sleep.For(ctx, wait+time.Duration(rand.Int64N(int64(wait))))
		c.waiting.Add(-1)
		if err != nil {
			return err
		}
		wait = min(2*wait, maxWait)
	}
	return nil
}

func (c *Client) limitBulk(changes int) { c.bulkSize.Store(int64(max(1, changes))) }

// adaptBulk adapts the size of the next bulk requests. It halves the size if a request took more
// than a third of the timeout, and doubles it if the request was fast.
func (c *Client) adaptBulk(changes int, took time.Duration) {
	switch portion := c.bulkSize.Load(); {
	case took > c.cfg.Timeout/3 && changes > minBulkChanges:
		c.limitBulk(changes / 2)
	case took < c.cfg.Timeout/10 && int64(changes) >= portion:
		c.bulkSize.Store(min(bulkActions, 2*portion))
	}
}

// isBusy reports whether a retry may soon succeed. It returns false for missing shards, because the
// cluster has already waited for them (shardWait).
func isBusy(f *fault) bool {
	return f.kind != "cluster_block_exception" && f.kind != "unavailable_shards_exception" && (f.status == http.StatusTooManyRequests || f.status == http.StatusServiceUnavailable)
}

// shardWait is how long the cluster waits for a missing shard, for example while another node takes
// over the shard. It is shorter than the timeout of a request.
func (c *Client) shardWait() time.Duration { return c.cfg.Timeout / 3 }

// sendBulk sends one bulk request. It returns the actions that must be retried.
func (c *Client) sendBulk(ctx context.Context, index string, batch []action, refresh string) ([]action, error) {
	var body bytes.Buffer
	for _, a := range batch {
		body.Write(a.lines)
	}
	var got bulkResponse
	path := fmt.Sprintf("/%s/_bulk?require_alias=true&refresh=%s&timeout=%dms", writeAlias(index), refresh, c.shardWait().Milliseconds())
	if err := c.call(ctx, http.MethodPost, path, body.Bytes(), &got); err != nil {
		return nil, err
	}
	if len(got.Items) != len(batch) {
		return nil, fmt.Errorf("%w: it returned results for %[3]d of %[2]d changes", engine.ErrDown, len(batch), len(got.Items))
	}
	var again []action
	for i, item := range got.Items {
		if len(item) != 1 {
			return nil, fmt.Errorf("%w: it returned %d results for one change", engine.ErrUnfit, len(item))
		}
		for kind, result := range item {
			f := &fault{status: result.Status}
			if result.Error != nil {
				f.kind, f.reason = cause(result.Error)
			}
			switch {
			case result.Status >= 200 && result.Status < 300, result.Status == http.StatusConflict && f.kind == "version_conflict_engine_exception":
			case kind == "delete" && result.Status == http.StatusNotFound && f.kind == "":
			case isBusy(f):
				again = append(again, batch[i])
			default:
				return nil, c.explainFault(c.hostList(), f)
			}
		}
	}
	return again, nil
}
