package wire

import (
	"fmt"
	"os"
	"sync"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/adapters/gdrive"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/index"
)

// googleDrives are the clients of Google Drive, one for all sources below an address, so that they share its limits. It is safe for concurrent use.
type googleDrives struct {
	config *config.Config

	mu      sync.Mutex
	clients map[string]*gdrive.Client // by the address
}

func newGoogleDrives(cfg *config.Config) *googleDrives {
	return &googleDrives{config: cfg, clients: make(map[string]*gdrive.Client)}
}

func (g *googleDrives) client(url string) (*gdrive.Client, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if known, ok := g.clients[url]; ok {
		return known, nil
	}
	settings := gdrive.Config{URL: url, AllowHosts: g.config.PrivateHosts, CAFile: g.config.CAFile}
	if g.config.GoogleKeyFile != "" {
		key, err := os.ReadFile(g.config.GoogleKeyFile)
		if err != nil {
			return nil, fmt.Errorf("read GOOGLE_KEY_FILE: %w", err)
		}
		settings.Key = key
	}
	client, err := gdrive.New(settings)
	if err == nil {
		g.clients[url] = client
	}
	return client, err
}

func connectGoogleDrive(c *clients, s config.Source) (index.Connector, error) {
	from := s.GoogleDrive
	client, err := c.drive.client(from.URL)
	if err != nil {
		return nil, err
	}
	return gdrive.NewConnector(client, gdrive.Options{
		Name: s.Name, Admin: from.Admin, Customer: from.Customer, Reader: from.Reader, Drives: from.Drives, MyDrives: from.MyDrives, Users: from.Users, Links: from.Links, ACL: from.ACL,
		Anonymous: from.Anonymous, Wanted: files.MayHold, MaxBytes: min(c.config.MaxDocumentBytes, gdrive.MostOfFile),
		Read: c.attached,
	})
}
