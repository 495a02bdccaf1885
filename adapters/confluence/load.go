package confluence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/atlassian"
	"github.com/footnotehq/footnote/adapters/internal/atlassian/body"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

const mostBodies = 50

// Load implements crawl.Vendor. If reading items together fails, it reads them one by one.
func (v *vendor) Load(ctx context.Context, batch []crawl.Item) (map[document.ID]crawl.Read, error) {
	var ids []string
	for _, it := range batch {
		if e := it.Data.(found); e.of != attachments {
			ids = append(ids, e.id)
		}
	}
	texts := make(map[string]content, len(ids))
	left, err := v.Connector.tree().bulk(ctx, ids, expandBody, func(k content) { texts[string(k.ID)] = k })
	if err != nil && atlassian.Final(ctx, err) {
		return nil, err
	}
	all := make(map[document.ID]crawl.Read, len(batch))
	for _, it := range batch {
		e := it.Data.(found)
		all[it.ID] = func(ctx context.Context) (document.Document, error) {
			if e.of == attachments {
				return v.file(ctx, e.in, e.entry, it.ACL)
			}
			k, shown := texts[e.id]
			if !shown || k.Body.Storage == nil {
				why, searched := left[e.id]
				if !shown && !searched { // the search ended early
					why = err
				}
				var err error
				if k, err = v.single(ctx, e.entry, k, shown, why); err != nil {
					return document.Document{}, err
				}
			}
			return v.document(ctx, e.in, e.entry, k, it.ACL)
		}
	}
	return all, nil
}

// expandBody is the "expand" parameter of requests for text. It includes the restriction, which may
// have changed since the content was listed.
const expandBody = "body.storage,version,history,container,metadata.labels,metadata.properties.editor," + expandRestrictions

// single reads the text of one content with a separate request. It is used if the search did not
// return the text. why says why no search for the content succeeded.
func (c *Connector) single(ctx context.Context, e entry, k content, found bool, why error) (content, error) {
	if !c.client.Cloud {
		var alone content
		err := c.client.Get(ctx, "rest/api/content/"+e.id+"?"+atlassian.Query("expand", expandBody), &alone)
		return alone, asGone(err)
	}
	path := "api/v2/pages/"
	switch e.of {
	case posts:
		path = "api/v2/blogposts/"
	case comments:
		switch {
		case why != nil: // it may still exist
			return k, why
		case !found: // the search does not find it any more
			return k, fmt.Errorf("the comment has been deleted: %w", index.ErrSkipped)
		}
		return k, nil
	case pages, attachments:
	}
	var alone struct {
		listed
		Labels struct {
			Results []struct {
				Name string `json:"name"`
			} `json:"results"`
		} `json:"labels"`
		Body struct {
			Storage  *struct{ Value string } `json:"storage"`
			Document *struct{ Value string } `json:"atlas_doc_format"`
		} `json:"body"`
		Links struct {
			WebUI string `json:"webui"`
		} `json:"_links"`
	}
	for _, form := range []string{"storage", "atlas_doc_format"} {
		err := c.client.Get(ctx, path+e.id+"?"+atlassian.Query("body-format", form, "include-labels", "true"), &alone)
		if err != nil && (!atlassian.Broken(err) || form != "storage") {
			return k, asGone(err)
		}
		if err == nil && (alone.Body.Storage != nil || alone.Body.Document != nil) {
			break
		}
	}
	k.ID, k.Title, k.Version.Number, k.Version.When = alone.ID, alone.Title, alone.Version.Number, alone.Version.CreatedAt
	k.Body.Storage, k.Body.Document = alone.Body.Storage, alone.Body.Document
	k.Metadata.Labels.Results, k.Links.WebUI = alone.Labels.Results, cmp.Or(k.Links.WebUI, alone.Links.WebUI)
	if k.Body.Storage == nil {
		k.Metadata.Properties.Editor.Value = newEditor
	}
	return k, nil
}

// asGone wraps err in index.ErrSkipped if the content no longer exists or is no longer visible. It
// returns other errors unchanged.
func asGone(err error) error {
	if atlassian.Absent(err) {
		return fmt.Errorf("it is not shown any more: %w", index.ErrSkipped)
	}
	return err
}

// newEditor is the value of the property "editor" of pages that were written with the new editor of
// Confluence Cloud.
const newEditor = "v2"

// document converts content to a document. If the content has a restriction, the restriction
// replaces acl, which may be older.
func (c *Connector) document(ctx context.Context, s space, e entry, k content, acl access.ACL) (document.Document, error) {
	own := list{state: unrestricted}
	switch {
	case e.of == comments:
	case k.Restrictions != nil && k.Restrictions.Read.complete():
		own = c.listOf(k.Restrictions.Read.Restrictions.User.Results, k.Restrictions.Read.Restrictions.Group.Results)
	default:
		var err error
		if own, err = c.restrictionOf(ctx, e.id); err != nil {
			return document.Document{}, asGone(err)
		}
	}
	if own.state != unrestricted { // the restriction may be newer than the list
		acl = access.ACL{c.node(s.within(e.id))}
	}
	d := document.Document{
		Ref: document.Ref{Title: cmp.Or(k.Title, e.title), URL: c.pageURL(e, k), UpdatedAt: k.Version.When}, ACL: acl,
		Metadata: map[string]string{"space": cmp.Or(s.Name, s.Key)},
	}
	if e.of == comments && k.Container != nil {
		d.Title = "Comment on " + k.Container.Title
	}
	if by := cmp.Or(k.History.CreatedBy.DisplayName, k.Version.By.DisplayName); by != "" {
		d.Metadata["author"] = by
	}
	c.client.cacheNames(k.Version.By, k.History.CreatedBy)
	var labels []string
	for _, l := range k.Metadata.Labels.Results {
		labels = append(labels, l.Name)
	}
	if len(labels) > 0 {
		d.Metadata["labels"] = strings.Join(labels, ", ")
	}
	about := body.About{
		Site: c.client.address("/"), Page: d.URL, Space: s.Key, Title: d.Title, NewEditor: c.client.Cloud && k.Metadata.Properties.Editor.Value == newEditor,
		Person: c.client.Called,
	}
	var err error
	switch {
	case k.Body.Storage != nil:
		d.Sections, err = body.Storage(ctx, k.Body.Storage.Value, about)
	case k.Body.Document != nil:
		d.Sections, err = body.ADF(ctx, k.Body.Document.Value, about)
	default:
		err = errors.New("Confluence does not show its text")
	}
	if err == nil && len(d.Sections) == 0 { // no text: use the title
		d.Sections = []document.Section{{Blocks: []document.Block{{Kind: document.Paragraph, Text: d.Title}}}}
	}
	return d, err
}

// pageURL returns the address at which people open a page. On Data Center it contains the page's
// id, because the alternative address changes with the title.
func (c *Connector) pageURL(e entry, k content) string {
	if !c.client.Cloud && (e.of == pages || e.of == posts) {
		return c.client.address("pages/viewpage.action?pageId=" + url.QueryEscape(e.id))
	}
	return c.client.address(k.Links.WebUI)
}
