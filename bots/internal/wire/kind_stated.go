package wire

import (
	"errors"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sources"
)

func statedKind(s config.Stated) Kind {
	connect := func(c *clients, source config.Source) (index.Connector, error) {
		settings := s.Of(source)
		if settings == nil {
			return nil, errors.New(source.Name + " is no source of the kind " + s.Name)
		}
		return settings.Open(c.opening(source.Name))
	}
	k := Kind{
		Name: s.Name, Title: s.Title, Steps: s.Steps, Bound: s.Bound, Paused: s.Paused, Unit: s.Unit, Empty: s.Empty, Looks: s.Looks,
		Secrets: []Secret{{Env: s.Secret.Env, What: s.Secret.What, set: func(c *config.Config) bool { return s.Secret.Set(c.Credential) }}},
		holds:   func(source config.Source) bool { return s.Of(source) != nil },
		source:  named(s.Source), connect: connect, check: checked(connect),
	}
	for _, r := range s.Rights {
		k.Rights = append(k.Rights, Right(r))
	}
	for _, one := range s.New().Settings() {
		k.Keys = append(k.Keys, Key{Path: s.Name + "." + one.Key, Ask: one.Ask, Needed: one.Needed, Sort: sortOf(one.Bind)})
	}
	k.Keys = append(k.Keys, schedule)
	below := func(given map[string]string) map[string]string {
		own := make(map[string]string)
		for _, one := range s.New().Settings() {
			own[one.Key] = given[s.Name+"."+one.Key]
		}
		return own
	}
	if s.Called != nil {
		k.calls = func(given map[string]string) string { return s.Called(below(given)) }
	}
	if s.Lacks != nil {
		k.Lacks = func(given map[string]string) string { return s.Lacks(below(given)) }
	}
	if s.Hooked != nil {
		k.hooks = func(c *config.Config) bool { return s.Hooked(c.Credential) }
	}
	return k
}

func sortOf(bind any) Sort {
	switch bind.(type) {
	case *bool:
		return Yes
	case *[]string, *access.ACL, sources.Some:
		return List
	case *sources.Lists:
		return Lists
	default:
		return Text
	}
}

func (c *clients) opening(name string) sources.Opening {
	return sources.Opening{
		Name: name, Credential: c.config.Credential, AllowHosts: c.config.PrivateHosts, CAFile: c.config.CAFile, MaxBytes: c.config.MaxDocumentBytes,
		Read: c.attached, Wanted: files.MayHold, Clients: c.stated,
		Folder: func(f sources.Folder) (index.Connector, error) {
			return files.New(files.Options{Path: f.Path, BaseURL: f.Base, ACL: f.ACL, Include: f.Files, Source: f.Source, MaxBytes: c.config.MaxDocumentBytes})
		},
	}
}

// attached reads a file attached to a document as a file in a folder would be read.
func (c *clients) attached(path string) (index.Connector, error) {
	return files.New(files.Options{Path: path, MaxBytes: c.config.MaxDocumentBytes})
}
