package session

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
)

// Place is where something holds: a channel, with an empty Channel all channels of a workspace,
// with an empty Workspace as well all of a platform.
type Place struct {
	Platform  thread.Platform
	Workspace string
	Channel   string
}

// PlaceOf is the channel of a thread.
func PlaceOf(r thread.Ref) Place {
	return Place{Platform: r.Platform, Workspace: r.Workspace, Channel: r.Channel}
}

// Setting is one value that was changed in chat. What keys and values mean is not the store's
// concern.
type Setting struct {
	Place
	Key   string
	Value string
	By    string    // platform id of who changed it last
	At    time.Time // by the store's clock
}

// Settings keeps what is changed in chat, and the system prompt, where every replica reads them
// again. Safe for concurrent use by any number of processes.
type Settings interface {
	// Settings returns what was changed for a channel, its workspace and its platform, the more
	// general places first, by key.
	Settings(ctx context.Context, tenant access.TenantID, at Place) ([]Setting, error)
	// AllSettings returns every change of a tenant by platform, workspace, channel and key.
	AllSettings(ctx context.Context, tenant access.TenantID) ([]Setting, error)
	// SetSetting stores a value, replaces an earlier one, and adds an Entry to the audit trail. At
	// is ignored.
	SetSetting(ctx context.Context, tenant access.TenantID, s Setting) error
	// ResetSetting forgets a value, so that the configuration file counts again, and reports
	// whether there was one. by is whoever wants that.
	ResetSetting(ctx context.Context, tenant access.TenantID, at Place, key, by string) (bool, error)
	// Prompt returns the current system prompt.
	Prompt(ctx context.Context, tenant access.TenantID) (Prompt, error)
	// SetPrompt replaces it and returns what is now stored. An empty text goes back to the built-in
	// one; earlier ones are kept.
	SetPrompt(ctx context.Context, tenant access.TenantID, text, by string) (Prompt, error)
}
