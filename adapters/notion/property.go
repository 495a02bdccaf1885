package notion

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// property is a property of a page in a database
// (https://developers.notion.com/reference/page-property-values). Relations, rollups and formulas
// are skipped, because they may include content of other pages with other readers.
type property struct {
	Type        string          `json:"type"`
	Title       []rich          `json:"title"`
	RichText    []rich          `json:"rich_text"`
	Number      *float64        `json:"number"`
	Select      *option         `json:"select"`
	Status      *option         `json:"status"`
	MultiSelect []option        `json:"multi_select"`
	Date        *dates          `json:"date"`
	People      []option        `json:"people"`
	Checkbox    *bool           `json:"checkbox"`
	URL         string          `json:"url"`
	Email       string          `json:"email"`
	Phone       string          `json:"phone_number"`
	UniqueID    json.RawMessage `json:"unique_id"`
	Files       []option        `json:"files"`
}

type option struct {
	Name string `json:"name"`
}

type dates struct {
	Start string `json:"start"`
	End   string `json:"end"`
}

// UnmarshalJSON implements json.Unmarshaler. The properties of a data source have the same names
// but different content. Only their type is parsed.
func (p *property) UnmarshalJSON(text []byte) error {
	type values property
	var v values
	if err := json.Unmarshal(text, &v); err != nil {
		var head struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(text, &head); err != nil {
			return err
		}
		v = values{Type: head.Type}
	}
	*p = property(v)
	return nil
}

// text returns the displayed value of a property. It calls own to format rich text, which may
// mention other pages.
func (p *property) text(own func([]rich) string) string {
	switch p.Type {
	case "rich_text":
		return own(p.RichText)
	case "number":
		if p.Number != nil {
			return strconv.FormatFloat(*p.Number, 'f', -1, 64)
		}
	case "select":
		return p.Select.text()
	case "status":
		return p.Status.text()
	case "multi_select":
		return names(p.MultiSelect)
	case "people":
		return names(p.People)
	case "files":
		return names(p.Files)
	case "date":
		if p.Date != nil && p.Date.End != "" {
			return p.Date.Start + " – " + p.Date.End
		}
		if p.Date != nil {
			return p.Date.Start
		}
	case "checkbox":
		if p.Checkbox != nil && *p.Checkbox {
			return "yes"
		}
		return "no"
	case "url":
		return p.URL
	case "email":
		return p.Email
	case "phone_number":
		return p.Phone
	case "unique_id":
		var id struct {
			Prefix string `json:"prefix"`
			Number int    `json:"number"`
		}
		if json.Unmarshal(p.UniqueID, &id) != nil || id.Number == 0 {
			return ""
		}
		if id.Prefix == "" {
			return strconv.Itoa(id.Number)
		}
		return id.Prefix + "-" + strconv.Itoa(id.Number)
	}
	return ""
}

func (o *option) text() string {
	if o == nil {
		return ""
	}
	return o.Name
}

func names(all []option) string {
	var said []string
	for _, o := range all {
		if o.Name != "" {
			said = append(said, o.Name)
		}
	}
	return strings.Join(said, ", ")
}

// mostMetadata and longestMetadata limit the properties that become metadata. Every passage
// includes the metadata.
const (
	mostMetadata    = 12
	longestMetadata = 120 // bytes
)

// properties returns all properties of a page as lines of text. Short ones of some types are also
// returned as metadata.
func properties(all map[string]property, own func([]rich) string) (lines []string, metadata map[string]string) {
	metadata = make(map[string]string)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p := all[name]
		text := p.text(own)
		if text == "" {
			continue
		}
		lines = append(lines, name+": "+text)
		switch p.Type {
		case "select", "status", "multi_select", "date", "people", "unique_id":
			if len(text) <= longestMetadata && len(metadata) < mostMetadata {
				metadata[name] = text
			}
		}
	}
	return lines, metadata
}
