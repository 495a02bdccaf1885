package confluence

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
)

type page[T any] struct {
	Results []T `json:"results"`
	Links   struct {
		Next string `json:"next"`
		Base string `json:"base"`
	} `json:"_links"`
}

// readPage reads a page of a list. next is the query of the next page, or "" at the end.
//
// A next link may be relative or absolute, so only its query is used. It may lead past the end of
// the list (CONFSERVER-95272, CONFSERVER-95312). In a numbered list, an empty page is the last
// page. In a list with cursors, further pages may follow an empty page.
func readPage[T any](ctx context.Context, c *Client, path, query string, attempts int) (got []T, next string, err error) {
	var p page[T]
	if err := c.Ask(ctx, sourcehttp.Request{Path: path + "?" + query, Attempts: attempts}, &p); err != nil {
		return nil, "", err
	}
	err = sourcehttp.CheckItems(p.Results, sourcehttp.MaxItems, func(item T) bool {
		named, is := any(item).(interface{ known() bool })
		return !is || named.known()
	})
	c.Learn(p.Links.Base)
	if _, after, found := strings.Cut(p.Links.Next, "?"); found && err == nil {
		next, err = merge(query, after, len(p.Results) == 0)
	}
	if err != nil {
		return nil, "", fmt.Errorf("Confluence's list %s cannot be read: the next run tries again (%w)", path, err)
	}
	return p.Results, next, nil
}

// merge returns the query for the next page: query with the cursor or start number of the next
// link. It returns "" at the end of a numbered list. Next links may omit other parameters, so these
// keep their values.
func merge(query, next string, ended bool) (string, error) {
	ours, err := url.ParseQuery(query)
	theirs, err2 := url.ParseQuery(next)
	if err != nil || err2 != nil {
		return "", sourcehttp.ErrIncomplete
	}
	if cursor := theirs.Get("cursor"); cursor != "" {
		ours.Set("cursor", cursor)
		return ours.Encode(), nil
	}
	from, err := strconv.Atoi(theirs.Get("start"))
	before, _ := strconv.Atoi(ours.Get("start")) // a missing start is 0
	switch {
	case ended:
		return "", nil
	case err != nil:
		return "", sourcehttp.ErrIncomplete
	case from <= before:
		return "", sourcehttp.ErrEndless
	}
	ours.Set("start", strconv.Itoa(from))
	return ours.Encode(), nil
}

// walk reads a list page by page. It stops when use returns false.
func walk[T any](ctx context.Context, c *Client, path, query string, attempts int, use func([]T) (more bool)) error {
	return sourcehttp.EachPage("Confluence's list "+path, query, func(query string) (string, error) {
		got, next, err := readPage[T](ctx, c, path, query, attempts)
		if err != nil || !use(got) {
			return "", err
		}
		return next, nil
	})
}

// listAll reads a whole list. If any page fails, it returns an error and no entries.
func listAll[T any](ctx context.Context, c *Client, path, query string) (all []T, err error) {
	err = walk(sourcehttp.Whole(ctx), c, path, query, 0, func(got []T) bool {
		all = append(all, got...)
		return true
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// cqlIDs returns a CQL query such as "id in (12,34)".
func cqlIDs(ids []string) string { return "id in (" + strings.Join(ids, ",") + ")" }

func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// isID reports whether a text has the form of a content id, which is safe in a search and in a
// path. Ids of attachments begin with "att".
func isID(id string) bool {
	number, err := strconv.ParseUint(strings.TrimPrefix(id, "att"), 10, 64)
	return err == nil && number > 0
}
