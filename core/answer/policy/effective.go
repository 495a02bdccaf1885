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

// SettingValue is a value of one [Setting], with where it was set.
type SettingValue struct {
	Key    string
	Value  string
	Origin Origin
}

// Origin says where the value of a setting was set: in a file, or by a person.
type Origin struct {
	File    string // file and line, such as "footnote.yaml:12"; empty if not from a file
	Changed bool   // by a person, in chat or in the console
	Place   session.Place
	By      string    // for Changed: who changed it last
	At      time.Time // for Changed
}

// String describes the origin: "footnote.yaml:12", "changed by NAME on 2026-01-31" or "default".
func (o Origin) String() string {
	switch {
	case o.Changed:
		return fmt.Sprintf("changed by %s on %s", o.By, o.At.UTC().Format("2006-01-02"))
	case o.File != "":
		return o.File
	default:
		return "default"
	}
}

// SayOrigins joins descriptions of origins with "; ". Without origins it returns "default".
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

// ChangedValue converts a setting that a person changed to a [SettingValue].
func ChangedValue(s session.Setting) SettingValue {
	return SettingValue{Key: s.Key, Value: s.Value, Origin: Origin{Changed: true, Place: s.Place, By: s.By, At: s.At}}
}

// Effective is the [Policy] that applies in a channel, with the origin of each value.
type Effective struct {
	Policy
	values []SettingValue // applied values, in order
	// Ignored are invalid values. Another version wrote them, or they contain names that no longer
	// exist.
	Ignored []SettingValue
}

// Resolve applies values to the default policy. The values must be sorted from the most general to
// the most specific, because later values replace earlier ones. If [Setting].Narrows is set, a
// value from chat can only restrict the earlier values. Invalid values are listed in Ignored.
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
		if v.Origin.Changed && s.Narrows {
			read = s.narrow
		}
		if err := read(&changed, v.Value); err != nil {
			e.Ignored = append(e.Ignored, v)
			continue
		}
		if !v.Origin.Changed || !s.Narrows {
			e.values = slices.DeleteFunc(e.values, func(o SettingValue) bool { return o.Key == v.Key })
		}
		e.Policy, e.values = changed, append(e.values, v)
	}
	return e
}

// Origins returns where a setting's value was set. It returns several origins if a value from chat
// restricts a value from the file. For a default it returns none.
func (e Effective) Origins(key string) []Origin {
	var all []Origin
	for _, s := range e.values {
		if s.Key == key {
			all = append(all, s.Origin)
		}
	}
	return all
}

// Values returns a copy of the values that [Resolve] applied, in order. It omits replaced and
// invalid values.
func (e Effective) Values() []SettingValue { return slices.Clone(e.values) }

// Source looks up the policies of channels. It is safe for concurrent use.
type Source interface {
	// Policy returns the current policy of a channel. It combines the configuration file and
	// changes in chat.
	Policy(ctx context.Context, tenant access.TenantID, at session.Place) (Effective, error)
}

// In returns the current policy of a channel. If s is nil, it returns the defaults.
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
