package notion

import (
	"encoding/json"
	"github.com/footnotehq/footnote/adapters/internal/outhttp"
	"net/url"
	"strings"
	"time"
)

type object struct {
	Object     string              `json:"object"`
	ID         string              `json:"id"`
	Created    time.Time           `json:"created_time"`
	Edited     time.Time           `json:"last_edited_time"` // exact to the minute
	InTrash    bool                `json:"in_trash"`
	Parent     parent              `json:"parent"`
	URL        string              `json:"url"`
	Properties map[string]property `json:"properties"`

	DatabaseParent *parent `json:"database_parent"` // for a data source: the parent of its database
	Title          []rich  `json:"title"`           // title of a data source or database
	DataSources    []struct {
		ID string `json:"id"`
	} `json:"data_sources"` // data sources of a database
}

// parent refers to the object that contains another object
// (https://developers.notion.com/reference/parent-object).
type parent struct {
	Type         string `json:"type"`
	PageID       string `json:"page_id"`
	DatabaseID   string `json:"database_id"`
	DataSourceID string `json:"data_source_id"`
	BlockID      string `json:"block_id"`
}

// place identifies a page, database, data source or block. Its kind determines how to request the
// object.
type place struct {
	kind kind
	id   string
}

type kind string

const (
	atTop      kind = "" // the top of a workspace, or unknown
	page       kind = "pages"
	database   kind = "databases"
	dataSource kind = "data_sources"
	blockKind  kind = "blocks"
)

func (p parent) place() place {
	switch p.Type {
	case "page_id":
		return place{page, bareID(p.PageID)}
	case "database_id":
		return place{database, bareID(p.DatabaseID)}
	case "data_source_id":
		return place{dataSource, bareID(p.DataSourceID)}
	case "block_id":
		return place{blockKind, bareID(p.BlockID)}
	}
	return place{} // the workspace, an agent or an unknown type, none of which has readers
}

// name returns the title of the object, or "Untitled" if it has none.
func (o *object) name() string {
	if text := plain(o.Title); text != "" {
		return text
	}
	for _, p := range o.Properties {
		if p.Type == "title" {
			if text := plain(p.Title); text != "" {
				return text
			}
		}
	}
	return "Untitled"
}

// address returns the address at which people open the object. If Notion returns an address on
// another site, it is not used, because citations show it.
func (o *object) address() string {
	if at, err := url.Parse(o.URL); err == nil && outhttp.At(at, "notion.so", "notion.com", "notion.site") {
		return o.URL
	}
	return "https://www.notion.so/" + bareID(o.ID)
}

// rich is a run of text with the same format, or a mention or equation
// (https://developers.notion.com/reference/rich-text).
type rich struct {
	Type      string `json:"type"`
	PlainText string `json:"plain_text"`
	Mention   *struct {
		Type     string               `json:"type"`
		Page     *struct{ ID string } `json:"page"`
		Database *struct{ ID string } `json:"database"`
	} `json:"mention"`
	Equation *struct {
		Expression string `json:"expression"`
	} `json:"equation"`
}

// plain returns the text of runs as one line. Use it only for runs that mention no other page.
func plain(runs []rich) string {
	var b strings.Builder
	for _, r := range runs {
		b.WriteString(r.PlainText)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

type block struct {
	ID          string
	Type        string
	HasChildren bool
	InTrash     bool
	Parent      parent
	content
}

// content has the fields of all types of blocks. Only those of the block's type are set.
type content struct {
	RichText   []rich `json:"rich_text"`
	Caption    []rich `json:"caption"`
	Checked    bool   `json:"checked"`
	Language   string `json:"language"`
	Expression string `json:"expression"`
	URL        string `json:"url"`
	// Title is a string for child pages and databases, and has runs for meeting notes.
	Title        json.RawMessage `json:"title"`
	Cells        [][]rich        `json:"cells"`
	SyncedFrom   *syncedFrom     `json:"synced_from"`
	IsToggleable bool            `json:"is_toggleable"`
	// for a file: "file" if Notion stores it, else "external"
	Source string `json:"type"`
	File   struct {
		URL string `json:"url"`
	} `json:"file"`
	Name     string            `json:"name"`
	Children map[string]string `json:"children"` // for meeting notes: ids of their parts
}

type syncedFrom struct {
	BlockID string `json:"block_id"`
}

// UnmarshalJSON implements json.Unmarshaler. The content of a block is in the field named after its
// type.
func (b *block) UnmarshalJSON(text []byte) error {
	var head struct {
		ID          string `json:"id"`
		Type        string `json:"type"`
		HasChildren bool   `json:"has_children"`
		InTrash     bool   `json:"in_trash"`
		Parent      parent `json:"parent"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return err
	}
	*b = block{ID: bareID(head.ID), Type: head.Type, HasChildren: head.HasChildren, InTrash: head.InTrash, Parent: head.Parent}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	if held := all[head.Type]; len(held) > 0 {
		if err := json.Unmarshal(held, &b.content); err != nil {
			b.content = content{} // unknown content
		}
	}
	return nil
}
