package session

import (
	"time"
)

// Prompt is the stored system prompt of a tenant.
type Prompt struct {
	Text    string // empty means the built-in prompt
	Version int    // grows with each change; 0 when it was never changed
	By      string // the person who changed it last
	At      time.Time
}
