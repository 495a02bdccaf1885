package notion

import (
	"cmp"
	"encoding/json"
	"slices"
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

// title returns the runs of the title of a page, database or data source.
func (o *object) title() []rich {
	for _, p := range o.Properties {
		if p.Type == "title" && len(o.Title) == 0 {
			return p.Title
		}
	}
	return o.Title
}

// name returns the title without the names of other pages, or "Untitled" if the object has none.
func (o *object) name() string { return cmp.Or(oneLine(plain(o.title(), noTitle)), untitled) }

const untitled = "Untitled"

// address returns the address at which people open the object. The address that Notion returns is
// not used, because it contains the title, which may name pages with other readers.
func (o *object) address() string { return "https://www.notion.so/" + bareID(o.ID) }

// rich is a run of text with the same format, or a mention or equation
// (https://developers.notion.com/reference/rich-text).
type rich struct {
	Type      string   `json:"type"`
	PlainText string   `json:"plain_text"`
	Mention   *mention `json:"mention"`
	Equation  *struct {
		Expression string `json:"expression"`
	} `json:"equation"`
}

type mention struct {
	Type     string               `json:"type"`
	Page     *struct{ ID string } `json:"page"`
	Database *struct{ ID string } `json:"database"`
}

// plain returns the text of runs, and calls title to name each page or database that they mention.
// The runs contain the titles of mentioned pages, which may have other readers, so plain does not
// use these titles.
func plain(runs []rich, title func(place) string) string {
	var b strings.Builder
	for _, r := range runs {
		switch m := r.Mention; {
		case r.Equation != nil:
			b.WriteString(r.Equation.Expression)
		case m == nil && r.Type != "mention":
			b.WriteString(r.PlainText)
		case m == nil:
			b.WriteString(anotherPage)
		case m.Page != nil:
			b.WriteString(title(place{page, bareID(m.Page.ID)}))
		case m.Database != nil:
			b.WriteString(title(place{database, bareID(m.Database.ID)}))
		case slices.Contains([]string{"user", "date", "template_mention", "link_preview", "link_mention", "custom_emoji"}, m.Type):
			b.WriteString(r.PlainText)
		default:
			b.WriteString(anotherPage)
		}
	}
	return b.String()
}

// anotherPage replaces the title of a page that may have other readers.
const anotherPage = "(another page)"

func noTitle(place) string { return anotherPage }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

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
