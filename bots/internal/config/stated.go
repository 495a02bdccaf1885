package config

import (
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/sources"
	"github.com/goccy/go-yaml/ast"
)

// Stated is a kind of source whose adapter declares its settings, so that this package needs no
// code for them.
type Stated struct {
	sources.Kind
	of func(Systems) sources.Settings // returns nil for a source of another kind
}

// Of returns the settings of a source, or nil if the source is of another kind.
func (k Stated) Of(s Source) sources.Settings { return k.of(s.Systems) }

// StatedKinds returns the kinds of source whose adapters declare their settings, in the order of
// the documentation.
func StatedKinds() []Stated {
	var kinds []Stated
	for _, s := range systems {
		if s.stated.New != nil {
			kinds = append(kinds, s.stated)
		}
	}
	return kinds
}

// stated returns the system for a kind of source whose adapter declares its settings. The function
// at returns the field of Systems that holds them.
func stated[S any, P interface {
	*S
	sources.Settings
}](kind sources.Kind, at func(*Systems) **S) system {
	row := system{
		key: kind.Name, set: func(s *Systems) bool { return *at(s) != nil }, readers: kind.Access,
		keys: []FileKey{{"sources.NAME." + kind.Name, "the keys below it", "", kind.Help}},
		read: func(r *fileReader, s *Systems) func(string, ast.Node) {
			return func(path string, n ast.Node) {
				settings, ok := kind.New().(P)
				if !ok {
					panic(kind.Name + " has settings of another type") // a bug in its adapter
				}
				r.stated(path, n, settings)
				*at(s) = settings
			}
		},
		stated: Stated{kind, func(s Systems) sources.Settings {
			if settings := *at(&s); settings != nil {
				return P(settings)
			}
			return nil
		}},
	}
	for _, s := range kind.New().Settings() {
		row.keys = append(row.keys, FileKey{row.keys[0].Key + "." + s.Key, s.Values, s.Default, s.Help})
	}
	return row
}

func (r *fileReader) stated(path string, n ast.Node, to sources.Settings) {
	before := len(r.faults)
	var fields []field
	for _, s := range to.Settings() {
		fields = append(fields, field{s.Key, r.bound(s.Bind)})
	}
	r.fields(path, n, fields...)
	if len(r.faults) > before {
		return
	}
	if fault := to.Fault(path); fault != "" {
		r.fault(n, "%s", fault)
	}
}

// bound panics if it does not know the type of to.
func (r *fileReader) bound(to any) func(string, ast.Node) {
	switch to := to.(type) {
	case *string:
		return r.text(to)
	case *bool:
		return r.yes(to)
	case *[]string:
		return r.texts(to)
	case *access.ACL:
		return r.acl(to)
	case *sources.Lists:
		return r.lists(to)
	case sources.Some:
		return func(path string, n ast.Node) {
			var list []string
			if r.texts(&list)(path, n); len(list) == 1 && list[0] == to.None {
				list = nil
			}
			*to.To = list
		}
	case sources.Address:
		return r.url(to.To)
	case sources.Audience:
		return func(path string, n ast.Node) {
			chosen := access.Principal("")
			if word(&r.reader, &chosen, access.Members, access.Public, sources.NoOne)(path, n); chosen == sources.NoOne {
				chosen = ""
			}
			*to.To = chosen
		}
	case sources.Word:
		return func(path string, n ast.Node) {
			var chosen string
			if word(&r.reader, &chosen, to.Words...)(path, n); chosen != "" {
				to.Set(chosen)
			}
		}
	default:
		panic("a setting binds what no reader knows") // a bug in its adapter
	}
}

// lists reads named access lists. A name without a list is hidden from everyone.
func (r *fileReader) lists(to *sources.Lists) func(string, ast.Node) {
	return func(path string, n ast.Node) {
		r.pairs(path, n, func(name string, _, value ast.Node) {
			var list access.ACL
			if _, empty := r.value(value).(*ast.NullNode); !empty {
				r.acl(&list)(join(path, name), value)
			}
			(*to)[name] = list
		})
	}
}

// credentials returns the environment variables that hold the credentials of [StatedKinds].
func (c *Config) credentials() []Setting {
	var rows []Setting
	for _, s := range systems {
		for _, one := range s.stated.Credentials {
			unset := ""
			if one.Number {
				unset = "0"
			}
			rows = append(rows, Setting{one.Env, unset, one.Help, func(v string) error {
				value := Secret(v)
				var err error
				switch {
				case one.Number:
					err = wholeNumber(new(int64))(v)
				case !one.File:
					err = secret(&value)(v)
				}
				if err != nil || v == unset {
					return err
				}
				if c.Credentials == nil {
					c.Credentials = make(map[string]Secret)
				}
				c.Credentials[one.Env] = value
				return nil
			}})
		}
	}
	return rows
}

// Credential returns the value of an environment variable that the adapter of a source declares, or
// "" if it is not set.
func (c *Config) Credential(env string) string { return c.Credentials[env].Reveal() }
