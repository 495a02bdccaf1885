package session

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
)

// Place is the scope of a setting: a channel. If Channel is empty, the scope is all channels of a
// workspace. If Workspace is also empty, the scope is the whole platform.
type Place struct {
	Platform  thread.Platform
	Workspace string
	Channel   string
}

// Name returns the name of the place, on one line.
func (p Place) Name() string {
	if p == (Place{}) {
		return "everywhere"
	}
	name := cmp.Or(string(p.Platform), "every platform")
	if p.Workspace != "" {
		name += " workspace " + p.Workspace
	}
	if p.Channel != "" {
		name += " channel " + p.Channel
	}
	return name
}

// PlaceOf returns the channel of a thread.
func PlaceOf(r thread.Ref) Place {
	return Place{Platform: r.Platform, Workspace: r.Workspace, Channel: r.Channel}
}

// Setting is one value that was changed in chat or in the console. The store does not interpret
// keys and values.
type Setting struct {
	Place
	Key   string
	Value string
	By    string    // who changed it last (AuthorOf)
	At    time.Time // by the store's clock
}

// SettingChange is a new value of a setting. An empty Value resets the setting, so that the
// configuration file applies again.
type SettingChange struct {
	Key, Value string
	// Was is the stored value that the person saw. It is empty if no value was stored. nil matches
	// any value.
	Was *string
}

// ErrSettingChanged reports that another person changed a setting first.
var ErrSettingChanged = errors.New("the setting was changed meanwhile")

// AuthorOf returns the id of the person who changes a setting, for [Setting.By]. The platform's
// name precedes the id if the person is from another platform than the place.
func AuthorOf(at Place, by Actor) string {
	if by.Platform == at.Platform {
		return by.ID
	}
	return string(by.Platform) + ":" + by.ID
}

// Settings stores the system prompt and the values that were changed in chat. Every replica reads
// the same values. It is safe for concurrent use by any number of processes.
type Settings interface {
	// Settings returns the changed values for a channel, its workspace and its platform. The values
	// are ordered from general to specific places, then by key.
	Settings(ctx context.Context, tenant access.TenantID, at Place) ([]Setting, error)
	// AllSettings returns every changed value of a tenant, ordered by platform, workspace, channel
	// and key.
	AllSettings(ctx context.Context, tenant access.TenantID) ([]Setting, error)
	// ChangeSettings changes settings of one place. It makes all changes or none. It adds an Entry
	// to the audit trail for each change. It fails with ErrSettingChanged if a stored value differs
	// from Was.
	ChangeSettings(ctx context.Context, tenant access.TenantID, at Place, by Actor, changes ...SettingChange) error
	// Prompt returns the current system prompt.
	Prompt(ctx context.Context, tenant access.TenantID) (Prompt, error)
	// SetPrompt replaces the prompt and returns the stored prompt. An empty text restores the
	// built-in prompt. Earlier prompts remain stored.
	SetPrompt(ctx context.Context, tenant access.TenantID, text, by string) (Prompt, error)
}
