package session

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
)

// Place is the scope of a setting: a channel. An empty Channel means all channels of a workspace.
// If Workspace is empty too, it means the whole platform.
type Place struct {
	Platform  thread.Platform
	Workspace string
	Channel   string
}

// PlaceOf returns the channel of a thread.
func PlaceOf(r thread.Ref) Place {
	return Place{Platform: r.Platform, Workspace: r.Workspace, Channel: r.Channel}
}

// Setting is one value that was changed in chat. The store does not interpret keys and values.
type Setting struct {
	Place
	Key   string
	Value string
	By    string    // platform id of the person who changed it last
	At    time.Time // by the store's clock
}

// Settings stores values that were changed in chat and the system prompt, so that every replica
// reads the same ones. It is safe for concurrent use by any number of processes.
type Settings interface {
	// Settings returns the changed values for a channel, its workspace and its platform. It orders
	// them from general to specific places, then by key.
	Settings(ctx context.Context, tenant access.TenantID, at Place) ([]Setting, error)
	// AllSettings returns every changed value of a tenant, ordered by platform, workspace, channel
	// and key.
	AllSettings(ctx context.Context, tenant access.TenantID) ([]Setting, error)
	// SetSetting stores or replaces a value and adds an Entry to the audit trail. It ignores At.
	SetSetting(ctx context.Context, tenant access.TenantID, s Setting) error
	// ResetSetting deletes a value, so that the configuration file applies again. It reports
	// whether there was one. by is the person who resets it.
	ResetSetting(ctx context.Context, tenant access.TenantID, at Place, key, by string) (bool, error)
	// Prompt returns the current system prompt.
	Prompt(ctx context.Context, tenant access.TenantID) (Prompt, error)
	// SetPrompt replaces the prompt and returns the stored one. An empty text restores the built-in
	// prompt. Earlier prompts remain stored.
	SetPrompt(ctx context.Context, tenant access.TenantID, text, by string) (Prompt, error)
}
