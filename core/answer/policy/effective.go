package policy

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
)

// SettingValue is one setting's value with where it comes from.
type SettingValue struct {
	Key    string
	Value  string
	Origin Origin
}

// Origin says where a value comes from.
type Origin struct {
	File  string // with its line: "footnote.yaml:12"; empty where it is from elsewhere
	Chat  bool   // changed in chat
	Place session.Place
	By    string    // Chat: who changed it last
	At    time.Time // Chat
}

// String says the origin in words.
func (o Origin) String() string {
	switch {
	case o.Chat:
		return fmt.Sprintf("changed in chat by %s on %s", o.By, o.At.UTC().Format("2006-01-02"))
	case o.File != "":
		return o.File
	default:
		return "default"
	}
}

// ChatValue is a stored change as a value.
func ChatValue(s session.Setting) SettingValue {
	return SettingValue{Key: s.Key, Value: s.Value, Origin: Origin{Chat: true, Place: s.Place, By: s.By, At: s.At}}
}

// Effective is what holds in a channel, and who said so.
type Effective struct {
	Policy
	values []SettingValue // that count, in the order in which they were applied
	// Ignored are values that do not count because they are not valid: written by another version,
	// or names that no longer exist.
	Ignored []SettingValue
}

// Resolve applies values to the defaults, the more general first: what comes later counts in place
// of what came before, except that chat can only take away from what the file allows
// (Setting.Narrows). A value that is not valid is left out, and is listed in Ignored: a fault in
// one setting is no reason for the others not to count.
func Resolve(said ...SettingValue) Effective {
	e := Effective{Policy: DefaultPolicy()}
	for _, v := range said {
		s, ok := FindSetting(v.Key)
		if !ok {
			e.Ignored = append(e.Ignored, v)
			continue
		}
		changed := e.Policy
		read := s.read
		if v.Origin.Chat && s.Narrows {
			read = s.add
		}
		if err := read(&changed, v.Value); err != nil {
			e.Ignored = append(e.Ignored, v)
			continue
		}
		if !v.Origin.Chat || !s.Narrows {
			e.values = slices.DeleteFunc(e.values, func(o SettingValue) bool { return o.Key == v.Key })
		}
		e.Policy, e.values = changed, append(e.values, v)
	}
	return e
}

// Origins says where a setting's value comes from: one place, or several where chat narrows what
// the file says. A default setting has none.
func (e Effective) Origins(key string) []Origin {
	var all []Origin
	for _, s := range e.values {
		if s.Key == key {
			all = append(all, s.Origin)
		}
	}
	return all
}

// Values lists the values that count.
func (e Effective) Values() []SettingValue { return slices.Clone(e.values) }

// Source knows what holds where. Safe for concurrent use.
type Source interface {
	// Policy returns what holds in a channel at this moment: what the file says and what was
	// changed in chat.
	Policy(ctx context.Context, tenant access.TenantID, at session.Place) (Effective, error)
}

// In is what a source says of a channel; the defaults where there is none.
func In(ctx context.Context, s Source, tenant access.TenantID, at session.Place) (Effective, error) {
	if s == nil {
		return Resolve(), nil
	}
	e, err := s.Policy(ctx, tenant, at)
	if err != nil {
		return Effective{}, fmt.Errorf("find out what holds in channel %s of %s: %w", at.Channel, at.Platform, err)
	}
	return e, nil
}
