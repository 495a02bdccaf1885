package jira

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
)

type searching struct {
	jql    string
	fields []string
	most   int
	// anchored says that only deletions change positions in the results. If an issue disappears
	// during the search, it ends with errShifted. If issues are missing at the end, it ends with
	// errShort.
	anchored bool
}

// check returns an error for an incomplete page. Otherwise the missing issues would count as
// deleted.
func (s searching) check(found []issue) error {
	placed := slices.Contains(s.fields, "project")
	err := sourcehttp.CheckItems(found, sourcehttp.MaxElements, func(i issue) bool { return isID(string(i.ID)) && (!placed || i.Fields.Project != nil) })
	if err != nil {
		return fmt.Errorf("Jira's search cannot be read: the next run tries again (%w)", err)
	}
	return nil
}

// errShifted means that an entry disappeared from a list while it was read. Another entry may then
// have been skipped.
var errShifted = errors.New("the list has changed while it was read")

var errShort = errors.New("it ends before the number of issues that Jira counts")

// errExpired means that a position in a list is no longer valid. Jira's tokens expire after 7 days.
var errExpired = errors.New("the place in the list is not known any more")

// search reads a page of search results. at is the page's position, or "" for the first page. next
// is the position of the next page, or "" at the end.
//
// On Cloud, a position is a token, there is no total, and further pages may follow an empty page
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/). On Data
// Center, a position has the number and id of the last issue of the previous page. The next page
// repeats that issue, which shows whether the results have shifted.
func (c *Client) search(ctx context.Context, s searching, at string) (found []issue, next string, err error) {
	if c.Cloud {
		return c.searchByToken(ctx, s, at)
	}
	start, anchor := 0, ""
	if place, id, ok := strings.Cut(at, "/"); ok {
		anchor = id
		if start, err = strconv.Atoi(place); err != nil {
			return nil, "", errExpired
		}
	}
	var got struct {
		StartAt int     `json:"startAt"`
		Total   int     `json:"total"`
		Issues  []issue `json:"issues"`
	}
	asked := map[string]any{"jql": s.jql, "startAt": start, "maxResults": s.most, "fields": s.fields, "validateQuery": false}
	if err := c.post(ctx, "search", asked, &got, 0); err != nil {
		return nil, "", err
	}
	if err := s.check(got.Issues); err != nil {
		return nil, "", err
	}
	found = got.Issues
	end := start + len(found)
	if anchor != "" {
		switch {
		case len(found) > 0 && string(found[0].ID) == anchor:
			found = found[1:]
		case s.anchored:
			return nil, "", errShifted
		}
	}
	switch {
	case end >= got.Total:
		return found, "", nil
	case len(found) == 0 && s.anchored:
		return nil, "", errShort
	case len(found) == 0:
		return nil, "", nil
	}
	return found, strconv.Itoa(end-1) + "/" + string(found[len(found)-1].ID), nil
}

func (c *Client) searchByToken(ctx context.Context, s searching, at string) ([]issue, string, error) {
	var got struct {
		Next   string  `json:"nextPageToken"`
		IsLast bool    `json:"isLast"`
		Issues []issue `json:"issues"`
	}
	asked := map[string]any{"jql": s.jql, "maxResults": s.most, "fields": s.fields}
	if at != "" {
		asked["nextPageToken"] = at
	}
	if err := c.post(ctx, "search/jql", asked, &got, 0); err != nil {
		return nil, "", err
	}
	if err := s.check(got.Issues); err != nil {
		return nil, "", err
	}
	switch {
	case got.IsLast:
		got.Next = ""
	case got.Next != "" && got.Next == at:
		return nil, "", fmt.Errorf("Jira's search: %w", errCircle)
	}
	return got.Issues, got.Next, nil
}

// searchAll calls each for every result of a search. If it returns an error, results are missing.
func (c *Client) searchAll(ctx context.Context, s searching, each func(issue)) error {
	return sourcehttp.EachPage("Jira's search", "", func(at string) (string, error) {
		found, next, err := c.search(ctx, s, at)
		for _, one := range found {
			each(one)
		}
		return next, err
	})
}

// mostIDs is the page size for requests of ids alone, and mostListed the page size for other
// fields. Data Center may return shorter pages (jira.search.views.default.max)
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/).
const (
	mostIDs    = 5000
	mostListed = 1000
)

// zone returns the time zone of the account, in which Jira reads the times of a search. It returns
// nil if the zone is unknown.
func (c *Client) zone(ctx context.Context) (*time.Location, error) {
	var me struct {
		TimeZone string `json:"timeZone"`
	}
	if err := c.get(ctx, "myself", &me); err != nil {
		return nil, err
	}
	where, err := time.LoadLocation(me.TimeZone)
	if err != nil || me.TimeZone == "" {
		return nil, nil //nolint:nilnil // it is not known: since copes with that
	}
	return where, nil
}

// westernmost is how far a local time can be behind UTC.
const westernmost = 12 * time.Hour

// since formats a time for a search, to the minute and in the given time zone. The result is never
// later than t, even if zone is nil or clocks change around that time.
func since(t time.Time, zone *time.Location) string {
	if zone == nil {
		t, zone = t.Add(-westernmost), time.UTC
	}
	_, before := t.Add(-3 * time.Hour).In(zone).Zone()
	_, after := t.Add(3 * time.Hour).In(zone).Zone()
	t = t.Add(-time.Duration(max(before-after, after-before)) * time.Second)
	return t.In(zone).Format(`"2006-01-02 15:04"`)
}
