package confluence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/onefile"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

func (c *Connector) file(ctx context.Context, s space, e entry, acl access.ACL) (document.Document, error) {
	var none document.Document
	k, err := c.attachment(ctx, e)
	if err != nil {
		return none, err
	}
	answer, err := c.client.Download(ctx, c.downloadPath(k))
	if errors.Is(err, sourcehttp.ErrTooLarge) {
		return none, fmt.Errorf("the file is larger than what is read of one: %w", index.ErrSkipped)
	}
	if err != nil {
		return none, asGone(err)
	}
	d, err := onefile.Read(ctx, e.title, answer.Body, c.options.Read)
	d.Ref = document.Ref{Title: e.title, URL: c.client.address(cmp.Or(k.Links.WebUI, k.Links.Download)), UpdatedAt: k.Version.When}
	d.ACL, d.Metadata = acl, map[string]string{"space": cmp.Or(s.Name, s.Key)}
	return d, err
}

// downloadPath returns the path of a file's data. On Cloud it is the request that "redirects the
// client to a URL that serves an attachment's binary data"
// (https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-content---attachments/). The
// link in the response is for browsers: tokens with granular scopes cannot open it.
func (c *Connector) downloadPath(k content) string {
	if !c.client.Cloud {
		return strings.TrimPrefix(k.Links.Download, "/")
	}
	return "rest/api/content/" + string(k.Container.ID) + "/child/attachment/" + string(k.ID) + "/download"
}

// attachment returns an error that wraps index.ErrSkipped if the file is invisible. A refused
// search does not mean that.
func (c *Connector) attachment(ctx context.Context, e entry) (k content, err error) {
	left, err := c.tree().bulk(ctx, []string{e.id}, "version,container", func(found content) { k = found })
	switch {
	case err != nil:
		return k, err
	case left[e.id] != nil:
		return k, left[e.id]
	case k.ID == "" || k.Links.Download == "" || c.client.Cloud && (k.Container == nil || !isID(string(k.Container.ID))):
		return k, fmt.Errorf("it is not shown any more: %w", index.ErrSkipped)
	}
	return k, nil
}
