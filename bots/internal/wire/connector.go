package wire

import (
	"errors"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/adapters/git"
	"github.com/footnotehq/footnote/adapters/web"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sources"
)

// IsURL reports whether place is a web address. Otherwise it is a path.
func IsURL(place string) bool {
	lower := strings.ToLower(place)
	return strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "http://")
}

// clients holds what the sources of a process share. Each system has one client per credential, so
// that its rate limits are counted together.
type clients struct {
	config *config.Config
	// politeness limits requests to web sites; nil: each connector limits itself.
	politeness *web.Politeness
	chats
	stated *sources.Clients // clients of the kinds that adapters declare
}

func newClients(cfg *config.Config) *clients {
	return &clients{
		config: cfg, chats: newChats(cfg, nil, nil, nil), stated: new(sources.Clients),
	}
}

// Connect returns the connector that reads a source. All sources on a host share one rate limit.
func (b *Base) Connect(s config.Source) (index.Connector, error) {
	return b.listen(b.clients.connect(s))
}

// listen passes the tenant's hints of changed documents to a connector that can use them.
func (b *Base) listen(c index.Connector, err error) (index.Connector, error) {
	if l, ok := c.(interface{ Listen(hints index.Hints) }); ok && err == nil && b.Index != nil {
		l.Listen(b.Index.Hints(b.Tenant))
	}
	return c, err
}

// connectScheduled is like [Base.Connect] for a source with a schedule. Between full scans, its
// connector reads only changes that the source reported.
func (b *Base) connectScheduled(s config.Source) (index.Connector, error) {
	c := *b.clients
	c.hints = b.Index.Hints(b.Tenant)
	return b.listen(c.connect(s))
}

// Connect returns the connector that reads a source. Unlike [Base.Connect], it shares no rate limit
// with other sources. Its error says what is wrong with s.
func Connect(cfg *config.Config, s config.Source) (index.Connector, error) {
	return newClients(cfg).connect(s)
}

func (c *clients) connect(s config.Source) (index.Connector, error) { return KindOf(s).connect(c, s) }

func (c *clients) folder(s config.Source) files.Options {
	return files.Options{Path: s.Path, BaseURL: s.BaseURL, ACL: s.ACL, Include: s.Include, Exclude: s.Exclude, MaxBytes: c.config.MaxDocumentBytes}
}

func connectFolder(c *clients, s config.Source) (index.Connector, error) {
	return files.New(c.folder(s))
}

func connectGit(c *clients, s config.Source) (index.Connector, error) {
	folder := c.folder(s)
	return git.New(git.Options{
		URL: s.URL, BaseURL: s.BaseURL, Token: c.config.GitToken, AllowHosts: c.config.PrivateHosts, CAFile: c.config.CAFile, MaxBytes: c.config.MaxDocumentBytes,
		Wanted: files.MayHold, Commits: s.Commits, ACL: s.ACL, Withhold: files.Narrows, Told: folder.Reads,
		Read: func(path, base string, source document.Source) (index.Connector, error) {
			folder.Path, folder.BaseURL, folder.Source = path, base, source
			return files.New(folder)
		},
	})
}

func connectSite(c *clients, s config.Source) (index.Connector, error) {
	if s.BaseURL != "" {
		return nil, errors.New("a base address is for folders and repositories: the pages of a site have their own addresses")
	}
	return web.New(web.Options{
		URL: s.URL, ACL: s.ACL, Include: s.Include, Exclude: s.Exclude, Politeness: c.politeness, AllowHosts: c.config.PrivateHosts, CAFile: c.config.CAFile,
		MaxBytes: c.config.MaxDocumentBytes,
		// 0 means no waiting, not the connector's default
		Interval: max(c.config.CrawlInterval, time.Nanosecond),
	})
}
