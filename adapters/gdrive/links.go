package gdrive

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/document"
)

// offFor is the delay before an API that is not enabled is called again.
const offFor = time.Hour

// disabled lists the error reasons that mean that an API is not enabled.
var disabled = []string{"SERVICE_DISABLED", "accessNotConfigured"}

// enabled reports whether an API may be called. It returns false for the time offFor after a
// response said that the API is not enabled.
func (c *Client) enabled(of api) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.config.Now().Before(c.off[of])
}

// note records that an API is not enabled, if err says so.
func (c *Client) note(of api, err error) {
	if !slices.Contains(disabled, reason(err)) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.off[of] = c.config.Now().Add(offFor)
}

// mark adds anchors such as "gid=12" or "slide=id.p1" to sections, from the Sheets and Slides APIs.
// Excel and PowerPoint exports do not have them. If the API is not enabled, citations link to the
// whole file.
func (c *Connector) mark(ctx context.Context, in corpus, f file, sections []document.Section) error {
	of, path := sheets, "spreadsheets/"+url.PathEscape(f.ID)+"?"+query("fields", "sheets(properties(sheetId,title))")
	if f.MimeType == typeSlides {
		of, path = slides, "presentations/"+url.PathEscape(f.ID)+"?"+query("fields", "slides(objectId)")
	}
	if !c.client.enabled(of) {
		return nil
	}
	var got struct {
		Sheets []struct {
			Properties struct {
				ID    int64  `json:"sheetId"`
				Title string `json:"title"`
			} `json:"properties"`
		} `json:"sheets"`
		Slides []struct {
			ID string `json:"objectId"`
		} `json:"slides"`
	}
	if err := c.client.get(ctx, of, in.subject, path, &got); err != nil {
		if final(ctx, err) {
			return err
		}
		c.client.note(of, err)
		return nil
	}
	anchors := make(map[string]string)
	for _, s := range got.Sheets {
		anchors[strings.Join(strings.Fields(s.Properties.Title), " ")] = "gid=" + strconv.FormatInt(s.Properties.ID, 10)
	}
	for i, s := range got.Slides {
		anchors["Slide "+strconv.Itoa(i+1)] = "slide=id." + s.ID
	}
	for i, s := range sections {
		if len(s.Heading) == 0 {
			continue
		}
		name := s.Heading[0]
		if f.MimeType == typeSlides {
			name, _, _ = strings.Cut(name, ":")
		}
		if anchor := anchors[name]; anchor != "" && sections[i].Anchor == "" {
			sections[i].Anchor = anchor
		}
	}
	return nil
}
