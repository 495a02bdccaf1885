package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
)

// SettingValue is the value of one setting with its origin.
type SettingValue struct {
	Key    string
	Value  string
	Origin Origin
}

// Origin says where a value was set.
type Origin struct {
	File  string // file and line, such as "footnote.yaml:12"; empty if not from a file
	Chat  bool   // changed by a person, in chat or in the console
	Place session.Place
	By    string    // for Chat: who changed it last
	At    time.Time // for Chat
}

// String describes the origin.
func (o Origin) String() string {
	switch {
	case o.Chat:
		return fmt.Sprintf("changed by %s on %s", o.By, o.At.UTC().Format("2006-01-02"))
	case o.File != "":
		return o.File
	default:
		return "default"
	}
}

// SayOrigins says where a setting's value comes from.
func SayOrigins(origins []Origin) string {
	if len(origins) == 0 {
		return Origin{}.String()
	}
	all := make([]string, len(origins))
	for i, o := range origins {
		all[i] = o.String()
	}
	return strings.Join(all, "; ")
}

// ChatValue returns a stored change as a value.
func ChatValue(s session.Setting) SettingValue {
	return SettingValue{Key: s.Key, Value: s.Value, Origin: Origin{Chat: true, Place: s.Place, By: s.By, At: s.At}}
}

// Effective is the policy that applies in a channel, with the origin of each value.
type Effective struct {
	Policy
	values []SettingValue // applied values, in order
	// Ignored are invalid values: written by another version, or with names that no longer exist.
	Ignored []SettingValue
}

// Resolve applies values to the defaults, from the most general to the most specific. A later value
// replaces an earlier one. But values from chat can only narrow what the file allows
// (Setting.Narrows). Invalid values are listed in Ignored and do not affect the others.
func Resolve(said ...SettingValue) Effective {
	e := Effective{Policy: DefaultPolicy()}
	for _, v := range said {
		s, ok := FindSetting(v.Key)
		if !ok {
			e.Ignored = append(e.Ignored, v)
			continue
		}
		changed := e.Policy
		read := s.parse
		if v.Origin.Chat && s.Narrows {
			read = s.narrow
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

// Origins returns where a setting's value was set. There are several if chat narrows the file's
// value, and none for a default.
func (e Effective) Origins(key string) []Origin {
	var all []Origin
	for _, s := range e.values {
		if s.Key == key {
			all = append(all, s.Origin)
		}
	}
	return all
}

// Values returns the applied values.
func (e Effective) Values() []SettingValue { return slices.Clone(e.values) }

// Source returns the policies of channels. It is safe for concurrent use.
type Source interface {
	// Policy returns the current policy of a channel, from the file and from changes in chat.
	Policy(ctx context.Context, tenant access.TenantID, at session.Place) (Effective, error)
}

// In returns a source's policy for a channel, or the defaults if s is nil.
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
