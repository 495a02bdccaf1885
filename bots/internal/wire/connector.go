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
)

// IsURL reports whether a place is the address of a site and no path.
func IsURL(place string) bool {
	lower := strings.ToLower(place)
	return strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "http://")
}

// Connect returns the connector that reads a source. Sources on the same host, however many are read at once, ask it no faster than one.
func (b *Base) Connect(s config.Source) (index.Connector, error) {
	return connectorOf(b.Config, s, b.politeness, b.history, b.github)
}

// Connect returns the connector of a source that is read alone, or says what is wrong with the source.
func Connect(cfg *config.Config, s config.Source) (index.Connector, error) {
	return connectorOf(cfg, s, nil, newChats(cfg, nil, nil, nil), newGitHubs(cfg))
}

func connectorOf(cfg *config.Config, s config.Source, politeness *web.Politeness, history chats, hubs *githubs) (index.Connector, error) {
	if s.Chat() {
		return history.connector(s)
	}
	if s.GitHub != nil {
		return hubs.connector(s)
	}
	folder := files.Options{Path: s.Path, BaseURL: s.BaseURL, ACL: s.ACL, Include: s.Include, Exclude: s.Exclude, MaxBytes: cfg.MaxDocumentBytes}
	if s.URL == "" {
		return files.New(folder)
	}
	if git.IsURL(s.URL) {
		return git.New(git.Options{
			URL: s.URL, BaseURL: s.BaseURL, Token: cfg.GitToken, AllowHosts: cfg.PrivateHosts, CAFile: cfg.CAFile, MaxBytes: cfg.MaxDocumentBytes,
			Wanted: files.MayHold,
			Read: func(path, base string, source document.Source) (index.Connector, error) {
				folder.Path, folder.BaseURL, folder.Source = path, base, source
				return files.New(folder)
			},
		})
	}
	if s.BaseURL != "" {
		return nil, errors.New("a base address is for folders and repositories: the pages of a site have addresses of their own")
	}
	return web.New(web.Options{
		URL: s.URL, ACL: s.ACL, Include: s.Include, Exclude: s.Exclude, Politeness: politeness, AllowHosts: cfg.PrivateHosts, CAFile: cfg.CAFile, MaxBytes: cfg.MaxDocumentBytes,
		Interval: max(cfg.CrawlInterval, time.Nanosecond), // 0 is not to wait at all, and not the connector's default
	})
}
