package confluence

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
)

type contentSort string

const (
	pages       contentSort = "page"
	posts       contentSort = "blogpost"
	comments    contentSort = "comment"
	attachments contentSort = "attachment"
)

// entry is a page, blog post, comment or attachment without its text, as lists return it.
type entry struct {
	id      string
	of      contentSort
	space   string // id of its space; empty if unknown
	title   string
	above   []string // ancestors, nearest first, if the list includes them; else nil
	version int
	when    time.Time // time of the version
	size    int64     // size of an attached file
}

// stamp returns a time that changes whenever the content changes. It is the time of the content's
// version. The fraction of a second is a hash of the version's number and the title.
func (e entry) stamp() time.Time {
	sum := fnv.New32a()
	_, _ = fmt.Fprintf(sum, "%d %s", e.version, e.title) // writing to a hash never fails
	return e.when.UTC().Truncate(time.Second).Add(time.Duration(sum.Sum32()%1_000_000) * time.Microsecond)
}

// content is a page, blog post, comment or attachment in the format of REST API version 1.
type content struct {
	ID      atlassian.ID `json:"id"`
	Type    string       `json:"type"`
	Status  string       `json:"status"`
	Title   string       `json:"title"`
	Space   *space       `json:"space"`
	Version struct {
		Number int       `json:"number"`
		When   time.Time `json:"when"`
		By     account   `json:"by"`
	} `json:"version"`
	Ancestors []struct {
		ID atlassian.ID `json:"id"`
	} `json:"ancestors"`
	Container *struct {
		ID    atlassian.ID `json:"id"`
		Type  string       `json:"type"`
		Title string       `json:"title"`
	} `json:"container"`
	History struct {
		CreatedBy   account   `json:"createdBy"`
		CreatedDate time.Time `json:"createdDate"`
	} `json:"history"`
	Metadata struct {
		Labels struct {
			Results []struct {
				Name string `json:"name"`
			} `json:"results"`
		} `json:"labels"`
		Properties struct {
			Editor struct {
				Value string `json:"value"`
			} `json:"editor"`
		} `json:"properties"`
	} `json:"metadata"`
	Restrictions *struct {
		Read *restriction `json:"read"`
	} `json:"restrictions"`
	Body struct {
		Storage  *struct{ Value string } `json:"storage"`
		Document *struct{ Value string } `json:"atlas_doc_format"`
	} `json:"body"`
	Extensions struct {
		FileSize int64 `json:"fileSize"`
	} `json:"extensions"`
	Links struct {
		WebUI    string `json:"webui"`
		Download string `json:"download"`
	} `json:"_links"`
}

// account is a person in a response. Cloud identifies a person by account id, Data Center by user
// key.
type account struct {
	AccountID   string `json:"accountId"`
	UserKey     string `json:"userKey"`
	DisplayName string `json:"displayName"`
}

func (a account) id() string {
	if a.AccountID != "" {
		return a.AccountID
	}
	return a.UserKey
}

// entry converts an item of a list. ancestors must be true if the request asked for the ancestors
// of pages.
func (k content) entry(ancestors bool) entry {
	e := entry{id: string(k.ID), of: contentSort(k.Type), title: k.Title, version: k.Version.Number, when: k.Version.When, size: k.Extensions.FileSize}
	if k.Space != nil {
		e.space = string(k.Space.ID)
	}
	switch {
	case e.of == posts:
		e.above = []string{}
	case e.of == pages && ancestors:
		e.above = make([]string, 0, len(k.Ancestors))
		for _, a := range slices.Backward(k.Ancestors) {
			e.above = append(e.above, string(a.ID))
		}
	}
	return e
}

func (k content) known() bool { return isID(string(k.ID)) && k.Type != "" }

func (l listed) known() bool { return isID(string(l.ID)) }

// listed is a page or blog post in a list of REST API version 2.
type listed struct {
	ID         atlassian.ID `json:"id"`
	Title      string       `json:"title"`
	Space      atlassian.ID `json:"spaceId"`
	Parent     atlassian.ID `json:"parentId"`
	ParentType string       `json:"parentType"`
	Version    struct {
		Number    int       `json:"number"`
		CreatedAt time.Time `json:"createdAt"`
	} `json:"version"`
}

// mostListed and mostExpanded are the page sizes to request: "maximum number … 250"
// (https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-page/). REST API version 1
// returns fewer entries if the request has expansions.
const (
	mostListed   = 250
	mostExpanded = 100
)

func (c *Connector) first(s space, of contentSort) (path, asked string) {
	switch {
	case of == comments || of == attachments:
		cql := "space = " + quoted(s.Key) + " and type = " + string(of) + " order by created"
		return "rest/api/content/search", atlassian.Query("cql", cql, "limit", strconv.Itoa(mostExpanded), "expand", "version,container,space")
	case c.client.Cloud:
		return "api/v2/spaces/" + string(s.ID) + "/" + string(of) + "s", atlassian.Query("limit", strconv.Itoa(mostListed), "status", "current", "sort", "id")
	default:
		return "rest/api/content", atlassian.Query("spaceKey", s.Key, "type", string(of), "status", "current", "limit", strconv.Itoa(mostExpanded), "expand", "version,ancestors")
	}
}

// listing returns a page of a space's contents of one kind, and records their parents. asked is the
// query of the page, or "" for the first page. next is the query of the next page, or "".
func (t *tree) listing(ctx context.Context, s space, of contentSort, asked string) (all []entry, next string, err error) {
	path, first := t.first(s, of)
	asked = cmp.Or(asked, first)
	if !strings.HasPrefix(path, "api/v2/") {
		got, next, err := readPage[content](ctx, t.client, path, asked, 0)
		for _, k := range got {
			e := t.entry(k)
			e.space = string(s.ID)
			all = append(all, e)
		}
		return t.valid(all, of), next, err
	}
	got, next, err := readPage[listed](ctx, t.client, path, asked, 0)
	for _, l := range got {
		e := entry{id: string(l.ID), of: of, space: string(s.ID), title: l.Title, version: l.Version.Number, when: l.Version.CreatedAt}
		t.place(string(l.ID), string(l.Parent), l.ParentType)
		if of == posts {
			t.place(string(l.ID), "", "")
		}
		all = append(all, e)
	}
	return t.valid(all, of), next, err
}
