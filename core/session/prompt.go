package session

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/access"
)

// Prompt is the stored system prompt of a tenant.
type Prompt struct {
	Text    string // empty means the built-in one
	Version int    // grows with each change; 0 when it was never changed
	By      string // who changed it last
	At      time.Time
}

// Prompts keeps the system prompt where every replica reads it anew for each turn. Safe for concurrent use.
type Prompts interface {
	// Prompt returns the current system prompt.
	Prompt(ctx context.Context, tenant access.TenantID) (Prompt, error)
	// SetPrompt replaces it and returns what is now stored. An empty text goes back to the built-in one; earlier ones are kept.
	SetPrompt(ctx context.Context, tenant access.TenantID, text, by string) (Prompt, error)
}
