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
	answer, err := c.client.Signed.Do(ctx, sourcehttp.Request{Path: strings.TrimPrefix(k.Links.Download, "/")})
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

// attachment returns the version, container and download link of an attachment. If the attachment
// is invisible, the error wraps index.ErrSkipped.
func (c *Connector) attachment(ctx context.Context, e entry) (k content, err error) {
	left, err := c.tree().bulk(ctx, []string{e.id}, "version,container", func(found content) { k = found })
	switch {
	case err != nil:
		return k, err
	case len(left) > 0 || k.Links.Download == "":
		return k, fmt.Errorf("it is not shown any more: %w", index.ErrSkipped)
	}
	return k, nil
}
