package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/boundedxml"
)

// sitemapBytes and sitemapEntries are limits of the sitemap protocol (sitemaps.org). mostSitemaps
// is the maximum number of sitemaps that are read for a site.
const (
	sitemapBytes   = 50 << 20
	sitemapEntries = 50_000
	mostSitemaps   = 200
)

type entry struct {
	address  string
	modified string // date as written
}

// parseSitemap parses a sitemap. For a sitemap index, it returns the addresses of the sitemaps in
// maps.
func parseSitemap(ctx context.Context, raw []byte) (pages, maps []entry, err error) {
	var in io.Reader = bytes.NewReader(raw)
	if bytes.HasPrefix(raw, []byte("\x1f\x8b")) {
		packed, err := gzip.NewReader(in)
		if err != nil {
			return nil, nil, fmt.Errorf("it is not compressed properly: %w", err)
		}
		in = packed
	}
	limited := &io.LimitedReader{R: in, N: sitemapBytes + 1}
	decoder := boundedxml.New(limited, false) // addresses are ASCII, whatever the encoding
	// the prefix of the sitemap's own elements: those for pictures and news have others
	root, space := "", ""
	var open *entry
	keep := func() {
		switch {
		case open == nil:
		case root == "sitemapindex":
			maps = append(maps, *open)
		default:
			pages = append(pages, *open)
		}
		open = nil
	}
	for len(pages)+len(maps) < sitemapEntries {
		token, err := decoder.Next(ctx)
		switch {
		case limited.N <= 0:
			return nil, nil, fmt.Errorf("it is larger than the %d MB that a sitemap may have", sitemapBytes>>20)
		case errors.Is(err, io.EOF) && root == "":
			return nil, nil, errors.New("it is empty")
		case errors.Is(err, io.EOF):
			keep()
			return pages, maps, nil
		case ctx.Err() != nil:
			return nil, nil, context.Cause(ctx)
		case err != nil:
			return pages, maps, fmt.Errorf("it is not XML: %w", err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch name := start.Name.Local; {
		case root == "":
			space = start.Name.Space
			if root = name; root != "urlset" && root != "sitemapindex" {
				return nil, nil, fmt.Errorf("it begins with <%s> and is no sitemap", start.Name.Local)
			}
		case start.Name.Space != space:
		case name == "url" || name == "sitemap":
			keep()
			open = &entry{}
		case open != nil && (name == "loc" || name == "lastmod"):
			text, err := decoder.Text(ctx)
			if err != nil {
				return pages, maps, fmt.Errorf("it is not XML: %w", err)
			}
			if text = strings.TrimSpace(text); name == "loc" && len(text) <= longestAddress && open.address == "" {
				open.address = text
			} else if name == "lastmod" && len(text) <= longestDate {
				open.modified = text
			}
		}
	}
	return pages, maps, nil
}

// longestDate is the maximum length of a date in bytes.
const longestDate = 64

// sitemap reads the site's sitemaps and queues the pages inside the scope. It reports whether it
// queued any. If a sitemap cannot be read, the run is incomplete, so that no page counts as gone.
func (c *crawl) sitemap(ctx context.Context) (bool, error) {
	var queue []string
	explicit := strings.HasSuffix(c.scope.start.Path, ".xml") || strings.HasSuffix(c.scope.start.Path, ".xml.gz")
	switch {
	case explicit:
		queue = []string{c.scope.start.String()}
	case len(c.robots.sitemaps) > 0:
		queue = c.robots.sitemaps
	default:
		queue = []string{c.scope.resource("/sitemap.xml").String()}
		if below := c.scope.resource(c.scope.prefix + "sitemap.xml").String(); below != queue[0] {
			queue = append(queue, below)
		}
	}
	guessed := !explicit && len(c.robots.sitemaps) == 0
	seen := make(map[string]bool)
	found := false
	queue = queue[:min(len(queue), mostSitemaps)]
	for i := 0; i < len(queue); i++ {
		if ctx.Err() != nil {
			return found, context.Cause(ctx)
		}
		address, err := url.Parse(queue[i])
		if err != nil || seen[queue[i]] || !c.scope.sameHost(address) {
			continue
		}
		seen[queue[i]] = true
		pages, maps, err := c.readSitemap(ctx, address)
		if err != nil {
			if explicit && i == 0 {
				return false, fmt.Errorf("read the sitemap %s: %w. Check the address", address, err)
			}
			if !guessed {
				c.blind = true
				c.failed(address.String(), err)
			}
			continue
		}
		for _, m := range maps {
			at, err := url.Parse(m.address)
			if err != nil || !c.scope.sameHost(at) || slices.Contains(queue, m.address) {
				continue
			}
			if len(queue) == mostSitemaps {
				c.blind = true
				c.reportOnce("sitemaps", at, fmt.Sprintf("The site has more than %d sitemaps; the others are left out. Index parts of it as separate sources.", mostSitemaps))
				break
			}
			queue = append(queue, m.address)
		}
		for _, p := range pages {
			if ctx.Err() != nil {
				return found, context.Cause(ctx)
			}
			if at, err := url.Parse(p.address); err == nil && c.add(at, 0, p.modified) {
				found = true
			}
		}
	}
	return found, nil
}

func (c *crawl) readSitemap(ctx context.Context, address *url.URL) (pages, maps []entry, err error) {
	got, err := c.fetch(ctx, request{address: address, limit: sitemapBytes, within: c.scope.sameHost})
	if err != nil {
		return nil, nil, err
	}
	return parseSitemap(ctx, got.body)
}

// isPast reports whether a sitemap's date has ended at the time now. The date may be a year, a
// month, a day, a minute or a second, in W3C Datetime format. A date without a zone ends when it
// has ended everywhere.
func isPast(date string, now time.Time) bool {
	for _, f := range []struct {
		layout       string
		years        int
		months, days int
		length       time.Duration
	}{
		{layout: "2006", years: 1}, {layout: "2006-01", months: 1}, {layout: time.DateOnly, days: 1},
		{layout: "2006-01-02T15:04", length: time.Minute}, {layout: "2006-01-02T15:04Z07:00", length: time.Minute},
		{layout: "2006-01-02T15:04:05", length: time.Second}, {layout: time.RFC3339, length: time.Second},
	} {
		if t, err := time.ParseInLocation(f.layout, date, westernmost); err == nil {
			return t.AddDate(f.years, f.months, f.days).Add(f.length).Before(now)
		}
	}
	return false
}

var westernmost = time.FixedZone("UTC-12", -12*60*60)
