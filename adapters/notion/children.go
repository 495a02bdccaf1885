package notion

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
)

// partialPage caches the responses of an interrupted read of a page, so that the next read
// continues it. A page with hundreds of blocks may need several reads.
type partialPage struct {
	edited  time.Time
	answers map[string]list   // responses by request path
	names   map[string]string // names of the pages and databases on the page, by id
}

// mostHalves is the maximum number of interrupted pages in the cache. mostAnswers is the maximum
// number of responses in the cache.
const (
	mostHalves  = 64
	mostAnswers = 2000
)

// resume returns and removes the cached responses of an interrupted read of a page. If there are
// none for this version of the page, the result is empty.
func (c *Client) resume(id string, edited time.Time) *partialPage {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := c.partial[id]
	delete(c.partial, id)
	if h == nil || !h.edited.Equal(edited) {
		h = &partialPage{edited: edited, answers: make(map[string]list), names: make(map[string]string)}
	}
	return h
}

// cachePartial caches an interrupted read of a page, so that a later read continues it. If the
// cache is full, it does nothing.
func (c *Client) cachePartial(id string, h *partialPage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	size := len(h.answers)
	for _, other := range c.partial {
		size += len(other.answers)
	}
	if size <= mostAnswers && len(c.partial) < mostHalves {
		c.partial[id] = h
	}
}

// children returns the child blocks of a block or a page, a hundred per request
// (https://developers.notion.com/reference/get-block-children).
func (w *writer) children(ctx context.Context, id string) ([]block, error) {
	var all []block
	first := "blocks/" + id + "/children?page_size=100"
	err := sourcehttp.EachPage("Notion's list of the blocks of "+id, first, func(asked string) (string, error) {
		got, known := w.partial.answers[asked]
		if !known {
			err := w.client.get(ctx, asked, &got)
			if status := sourcehttp.Status(err); id != w.page && (status == http.StatusBadRequest || status == http.StatusNotFound) {
				// unsupported by the API, or deleted: skip the block and read the rest of the page
				w.omitted, all = err, nil
				return "", nil
			}
			if err != nil {
				return "", err
			}
			w.partial.answers[asked] = got
		}
		for _, raw := range got.Results {
			var b block
			if err := json.Unmarshal(raw, &b); err != nil {
				return "", fmt.Errorf("read a block of the page: %w", err)
			}
			if w.count++; w.count > mostBlocks {
				return "", errMany
			}
			all = append(all, b)
		}
		cursor := got.next()
		if cursor == "" {
			return "", nil
		}
		return first + "&start_cursor=" + url.QueryEscape(cursor), nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}
