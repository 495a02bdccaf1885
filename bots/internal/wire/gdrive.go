package wire

import (
	"fmt"
	"os"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/adapters/gdrive"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/index"
)

// newGoogleDrive returns a client of the API at an address.
func newGoogleDrive(cfg *config.Config, url string) (*gdrive.Client, error) {
	settings := gdrive.Config{URL: url, AllowHosts: cfg.PrivateHosts, CAFile: cfg.CAFile}
	if cfg.GoogleKeyFile != "" {
		key, err := os.ReadFile(cfg.GoogleKeyFile)
		if err != nil {
			return nil, fmt.Errorf("read GOOGLE_KEY_FILE: %w", err)
		}
		settings.Key = key
	}
	return gdrive.New(settings)
}

func connectGoogleDrive(c *clients, s config.Source) (index.Connector, error) {
	from := s.GoogleDrive
	client, err := c.drive.client(from.URL, func() (*gdrive.Client, error) { return newGoogleDrive(c.config, from.URL) })
	if err != nil {
		return nil, err
	}
	return gdrive.NewConnector(client, gdrive.Options{
		Name: s.Name, Admin: from.Admin, Customer: from.Customer, Reader: from.Reader, Drives: from.Drives, MyDrives: from.MyDrives, Users: from.Users, Links: from.Links, ACL: from.ACL,
		Anonymous: from.Anonymous, Wanted: files.MayHold, MaxBytes: min(c.config.MaxDocumentBytes, gdrive.MostOfFile),
		Read: c.attached,
	})
}
