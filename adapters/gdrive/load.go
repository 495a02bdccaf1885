package gdrive

import (
	"cmp"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/gdrive/body"
	"github.com/footnotehq/footnote/adapters/internal/onefile"
	"github.com/footnotehq/footnote/adapters/internal/outhttp"
	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// loadWait is the maximum time that Google may take to deliver a file.
const loadWait = 2 * time.Minute

func (c *Connector) load(ctx context.Context, in corpus, f file, name string, acl access.ACL) (document.Document, error) {
	d := document.Document{Ref: document.Ref{Title: f.Name, URL: webAddress(f), UpdatedAt: f.ModifiedTime}, ACL: acl, Metadata: make(map[string]string)}
	if in.shared {
		d.Metadata["drive"] = in.name
	}
	if by := f.LastModifyingUser.DisplayName; by != "" {
		d.Metadata["author"] = by
	}
	var err error
	switch f.MimeType {
	case typeDoc:
		d.Sections, err = c.doc(ctx, in, f, d.URL)
	case typeSlides:
		err = c.slides(ctx, in, f, name, &d)
	case typeSheet:
		err = c.export(ctx, in, f, name, &d)
	default:
		err = c.readFile(ctx, in, "files/"+url.PathEscape(f.ID)+"?"+query("alt", "media", "supportsAllDrives", "true"), name, f.MD5, &d)
	}
	if err == nil && len(d.Sections) == 0 { // no text, maybe only pictures: use the title
		d.Sections = []document.Section{{Blocks: []document.Block{{Kind: document.Paragraph, Text: d.Title}}}}
	}
	return d, err
}

// webAddress returns the web address of a file, without tracking parameters. If Google returns an
// address that is not on google.com, it is not used, because citations show it.
func webAddress(f file) string {
	at, err := url.Parse(f.WebViewLink)
	if err != nil || !outhttp.At(at, "google.com") {
		return "https://drive.google.com/file/d/" + f.ID + "/view"
	}
	asked := at.Query()
	asked.Del("usp")
	at.RawQuery, at.Fragment = asked.Encode(), ""
	return at.String()
}

// asGone wraps index.ErrSkipped around an error that means that a file is invisible or must not be
// downloaded. Other errors, such as an exceeded download quota, do not get this wrapper.
func asGone(err error) error {
	switch why := reason(err); {
	case why == "cannotDownloadFile" || why == "cannotExportFile":
		return fmt.Errorf("its owner does not let it be downloaded: %w", index.ErrSkipped)
	case why == "downloadQuotaExceeded":
		return fmt.Errorf("it was downloaded too often lately, and Google gives it out again later: a run after that reads it (%w)", err)
	case absent(err) && sourcehttp.Status(err) == http.StatusForbidden:
		return fmt.Errorf("Google does not give it out (%s, %w): %w", cmp.Or(why, "without a reason"), err, index.ErrSkipped)
	case absent(err):
		return fmt.Errorf("it is not shown any more: %w", index.ErrSkipped)
	}
	return err
}

// tooLarge reports whether an error means that a file is too large to export. Google's limit is 10
// MB.
func tooLarge(err error) bool {
	return reason(err) == "exportSizeLimitExceeded" || errors.Is(err, sourcehttp.ErrTooLarge)
}

// doc reads a Doc with its tabs. If the Docs API is not enabled or rejects the file, it reads
// Google's HTML export. The export has anchors for headings but not for tabs.
func (c *Connector) doc(ctx context.Context, in corpus, f file, at string) ([]document.Section, error) {
	if !c.client.enabled(docs) {
		return c.exportedDoc(ctx, in, f)
	}
	asked := "documents/" + url.PathEscape(f.ID) + "?" + query("includeTabsContent", "true", "suggestionsViewMode", "PREVIEW_WITHOUT_SUGGESTIONS")
	answer, err := c.client.raw(ctx, docs, in.subject, sourcehttp.Request{Path: asked})
	if err == nil {
		return body.Doc(ctx, answer.Body, at)
	}
	if final(ctx, err) || !absent(err) && !stale(err) && !tooLarge(err) {
		return nil, err
	}
	c.client.note(docs, err)
	return c.exportedDoc(ctx, in, f)
}

// exportedDoc reads a Doc from Drive's HTML export. If that is too large, it reads the plain text.
func (c *Connector) exportedDoc(ctx context.Context, in corpus, f file) ([]document.Section, error) {
	page, err := c.exported(ctx, in, f, "text/html")
	if tooLarge(err) {
		page, err = c.exported(ctx, in, f, "text/plain")
		if err == nil {
			return body.Plain(string(page)), nil
		}
	}
	if tooLarge(err) {
		return nil, fmt.Errorf("Google exports no more than 10 MB of a document, and this one is larger: split it, or enable the Google Docs API: %w", index.ErrSkipped)
	}
	if err != nil {
		return nil, asGone(err)
	}
	return body.HTML(ctx, string(page))
}

// slides reads a presentation from its PowerPoint export, which has the notes of each slide. If
// PowerPoint is not supported or the export is too large, it reads the plain text.
func (c *Connector) slides(ctx context.Context, in corpus, f file, name string, d *document.Document) error {
	if c.options.Read != nil && c.options.Wanted(name) {
		err := c.export(ctx, in, f, name, d)
		if err == nil || !errors.Is(err, errLarge) {
			return err
		}
	}
	text, err := c.exported(ctx, in, f, "text/plain")
	switch {
	case tooLarge(err):
		return fmt.Errorf("Google exports no more than 10 MB of a presentation, and the text of this one is larger: split it: %w", index.ErrSkipped)
	case err != nil:
		return asGone(err)
	}
	d.Sections = body.Plain(string(text))
	return nil
}

var errLarge = fmt.Errorf("Google exports no more than 10 MB of a file, and this one is larger: split it: %w", index.ErrSkipped)

func (c *Connector) exported(ctx context.Context, in corpus, f file, mime string) ([]byte, error) {
	answer, err := c.client.raw(ctx, drive, in.subject, sourcehttp.Request{Path: exportPath(f, mime)})
	if err != nil {
		return nil, err
	}
	return answer.Body, nil
}

func exportPath(f file, mime string) string {
	return "files/" + url.PathEscape(f.ID) + "/export?" + query("mimeType", mime)
}

func (c *Connector) export(ctx context.Context, in corpus, f file, name string, d *document.Document) error {
	err := c.readFile(ctx, in, exportPath(f, exports[f.MimeType].mime), name, "", d)
	switch {
	case tooLarge(err):
		return errLarge
	case err != nil:
		return err
	}
	return c.mark(ctx, in, f, d.Sections)
}

// readFile downloads a file and parses it with Options.Read. sum is the MD5 that Drive reports, or
// "".
func (c *Connector) readFile(ctx context.Context, in corpus, asked, name, sum string, d *document.Document) error {
	answer, err := c.client.raw(ctx, drive, in.subject, sourcehttp.Request{Path: asked})
	switch {
	case tooLarge(err):
		return err
	case err != nil:
		return asGone(err)
	}
	if got := md5.Sum(answer.Body); sum != "" && !strings.EqualFold(hex.EncodeToString(got[:]), sum) {
		return errors.New("what came is not the file that Drive listed: it was changed just then, or something on the way answered in its place. The next run reads it again")
	}
	read, err := onefile.Read(ctx, name, answer.Body, c.options.Read)
	d.Language, d.Sections = read.Language, read.Sections
	return err
}
