package github

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
)

// mostRemembered is the maximum size of all cached pages in bytes.
const mostRemembered = 128 << 20

func unending(err error) error {
	return fmt.Errorf("GitHub's list cannot be read to its end: the next run reads it again (%w)", err)
}

// list reads all pages of a list, starting at the path place. It uses conditional requests, so
// unchanged pages are not sent again and do not count against the rate limit
// (https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api).
func list[T any](ctx context.Context, c *Client, place string, read func(body []byte) ([]T, error), valid func(T) bool) ([]T, error) {
	var all []T
	ctx = sourcehttp.Whole(ctx)
	err := sourcehttp.EachPage("GitHub's list", place, func(place string) (string, error) {
		page, next, err := onePage(ctx, c, place, read, valid)
		all = append(all, page...)
		return next, err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// onePage reads one page of a list, from the cache if it has not changed. next is the address of
// the next page, or "" at the end.
func onePage[T any](ctx context.Context, c *Client, place string, read func(body []byte) ([]T, error), valid func(T) bool) (page []T, next string, err error) {
	c.mu.Lock()
	last, found := c.known[place]
	c.mu.Unlock()
	held, fits := last.page.([]T)
	if !found || !fits {
		last.etag = ""
	}
	answer, err := c.do(ctx, sourcehttp.Request{Path: place, ETag: last.etag, Budget: "core"})
	if err != nil {
		return nil, "", err
	}
	if answer.NotModified {
		return held, last.next, nil
	}
	if page, err = sourcehttp.Read(ctx, answer.Body, read); err == nil {
		err = sourcehttp.CheckItems(page, sourcehttp.MaxItems, valid)
	}
	if err != nil {
		return nil, "", fmt.Errorf("GitHub's answer cannot be read: the next run asks again (%w)", err)
	}
	next = nextOf(answer.Header.Get("Link"))
	if answer.ETag != "" {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.remembered += len(answer.Body) + len(place); c.remembered > mostRemembered {
			clear(c.known)
			c.remembered = len(answer.Body) + len(place)
		}
		c.known[place] = remembered{etag: answer.ETag, next: next, page: page}
	}
	return page, next, nil
}

func array[T any](body []byte) (page []T, err error) {
	err = json.Unmarshal(body, &page)
	return page, err
}

// nextOf returns the address of the next page from a Link header:
// <https://api.github.com/…?page=2>; rel="next", …
func nextOf(link string) string {
	for part := range strings.SplitSeq(link, ",") {
		address, rest, ok := strings.Cut(strings.TrimSpace(part), ">")
		if ok && strings.HasPrefix(address, "<") && strings.Contains(rest, `rel="next"`) {
			return address[1:]
		}
	}
	return ""
}
