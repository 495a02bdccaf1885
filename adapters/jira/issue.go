package jira

import (
	"encoding/json"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
)

type issue struct {
	ID     atlassian.ID
	Key    string
	Fields fields
	raw    map[string]json.RawMessage // all requested fields, as JSON
}

// UnmarshalJSON implements json.Unmarshaler.
func (i *issue) UnmarshalJSON(text []byte) error {
	var is struct {
		ID     atlassian.ID    `json:"id"`
		Key    string          `json:"key"`
		Fields json.RawMessage `json:"fields"`
	}
	if err := json.Unmarshal(text, &is); err != nil {
		return err
	}
	*i = issue{ID: is.ID, Key: is.Key}
	if len(is.Fields) == 0 { // only ids were requested
		return nil
	}
	if err := json.Unmarshal(is.Fields, &i.raw); err != nil {
		return err
	}
	return json.Unmarshal(is.Fields, &i.Fields)
}

type named struct {
	Name string `json:"name"`
}

func (n *named) name() string {
	if n == nil {
		return ""
	}
	return n.Name
}

// fields has the fields of an issue
// (https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/). Long texts are
// JSON on Cloud, and wiki markup on Data Center.
type fields struct {
	Project *struct {
		ID   atlassian.ID `json:"id"`
		Name string       `json:"name"`
	} `json:"project"`
	Summary     string          `json:"summary"`
	Description json.RawMessage `json:"description"`
	Environment json.RawMessage `json:"environment"`
	Type        *named          `json:"issuetype"`
	Status      *named          `json:"status"`
	Priority    *named          `json:"priority"`
	Resolution  *named          `json:"resolution"`
	Labels      []string        `json:"labels"`
	Components  []named         `json:"components"`
	Versions    []named         `json:"fixVersions"`
	Reporter    *account        `json:"reporter"`
	Assignee    *account        `json:"assignee"`
	Created     stamp           `json:"created"`
	Updated     stamp           `json:"updated"`
	Due         string          `json:"duedate"`
	Parent      *struct {
		Key string `json:"key"`
	} `json:"parent"`
	Links    []link `json:"issuelinks"`
	Security *struct {
		ID atlassian.ID `json:"id"`
	} `json:"security"`
	Comment     *page[comment] `json:"comment"`
	Attachments []attached     `json:"attachment"`
}

type link struct {
	Type struct {
		Inward  string `json:"inward"`
		Outward string `json:"outward"`
	} `json:"type"`
	Inward *struct {
		Key string `json:"key"`
	} `json:"inwardIssue"`
	Outward *struct {
		Key string `json:"key"`
	} `json:"outwardIssue"`
}

type comment struct {
	ID         atlassian.ID    `json:"id"`
	Author     *account        `json:"author"`
	Body       json.RawMessage `json:"body"`
	Created    stamp           `json:"created"`
	Visibility json.RawMessage `json:"visibility"` // role or group to which the comment is limited
	// Public is false if the comment is internal to a service desk. Data Center does not set it.
	Public     *bool `json:"jsdPublic"`
	Properties *[]struct {
		Key   string          `json:"key"`
		Value json.RawMessage `json:"value"`
	} `json:"properties"` // nil unless requested
}

// internal reports whether a comment is, or may be, internal to a service desk. On Data Center,
// only the property "sd.public.comment": {"internal": true} says so. A comment whose properties are
// unknown may therefore be internal.
func (c *comment) internal() bool {
	if c.Properties == nil {
		return true
	}
	for _, p := range *c.Properties {
		if p.Key != "sd.public.comment" {
			continue
		}
		var is struct {
			Internal *bool `json:"internal"`
		}
		if json.Unmarshal(p.Value, &is) != nil || is.Internal == nil || *is.Internal {
			return true
		}
	}
	return false
}

type attached struct {
	ID      atlassian.ID `json:"id"`
	Name    string       `json:"filename"`
	Size    int64        `json:"size"`
	Created stamp        `json:"created"`
	Content string       `json:"content"` // download address, used on Data Center
}

// stamp is a time in Jira's format: "2026-11-20T09:00:00.000+0000".
type stamp struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler. An invalid time becomes the zero time.
func (s *stamp) UnmarshalJSON(text []byte) error {
	var written string
	if err := json.Unmarshal(text, &written); err != nil {
		return err
	}
	*s = stamp{}
	for _, form := range []string{"2006-01-02T15:04:05.000-0700", time.RFC3339} {
		if at, err := time.Parse(form, written); err == nil {
			s.Time = at.UTC()
			break
		}
	}
	return nil
}
