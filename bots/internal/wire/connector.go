package wire

import (
	"errors"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/adapters/web"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/index"
)

// IsURL reports whether a place is the address of a site and no path.
func IsURL(place string) bool {
	lower := strings.ToLower(place)
	return strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "http://")
}

// politeness is that of this process: sources on the same host, however many are read at once, ask it no faster than one.
var politeness web.Politeness

// Connect returns the connector that reads a source.
func Connect(cfg *config.Config, s config.Source) (index.Connector, error) {
	if s.URL == "" {
		return files.New(files.Options{
			Path: s.Path, BaseURL: s.BaseURL, ACL: s.ACL, Include: s.Include, Exclude: s.Exclude, MaxBytes: cfg.MaxDocumentBytes,
		})
	}
	if s.BaseURL != "" {
		return nil, errors.New("a base address is for folders: the pages of a site have addresses of their own")
	}
	return web.New(web.Options{
		URL: s.URL, ACL: s.ACL, Include: s.Include, Exclude: s.Exclude, Politeness: &politeness, AllowHosts: cfg.PrivateHosts, CAFile: cfg.CAFile, MaxBytes: cfg.MaxDocumentBytes,
		Interval: max(cfg.CrawlInterval, time.Nanosecond), // 0 is not to wait at all, and not the connector's default
	})
}
