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

// Connect returns the connector that reads a source.
func Connect(cfg *config.Config, s config.Source) (index.Connector, error) {
	if s.URL == "" {
		return files.New(files.Options{
			Path: s.Path, BaseURL: s.BaseURL, ACL: s.ACL, Include: s.Include, Exclude: s.Exclude, MaxBytes: cfg.MaxDocumentBytes,
		})
	}
	if s.BaseURL != "" || len(s.Include)+len(s.Exclude) > 0 {
		return nil, errors.New("a base address and patterns are for folders: of a site, index the part that you want, such as https://docs.example.org/guide/")
	}
	return web.New(web.Options{
		URL: s.URL, ACL: s.ACL, AllowHosts: cfg.PrivateHosts, CAFile: cfg.CAFile, MaxBytes: cfg.MaxDocumentBytes,
		Interval: max(cfg.CrawlInterval, time.Nanosecond), // 0 is not to wait at all, and not the connector's default
	})
}
