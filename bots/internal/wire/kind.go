package wire

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sources"
)

// Kind describes a kind of source, such as "slack", for `footnote sources add` and for checks.
//
// To add a kind, write a sources.Kind in its adapter and list it in the table of systems of package
// config.
type Kind struct {
	Name  string // as people type it: "slack"
	Title string // as a sentence names it: "the history of a Slack workspace"
	Keys  []Key  // keys of an entry, in the order of the questions
	// Steps are the steps to take in the source before adding it, each a sentence or two with the
	// reason.
	Steps   []string
	Rights  []Right  // rights that the credential must have
	Secrets []Secret // none if the source needs no credential
	// Bound says who may read the documents, and how soon a change of permissions takes effect.
	Bound string
	// Looks gives the maximum delay of each kind of permission change; nil if the source has no
	// permissions.
	Looks index.Looks
	// Paused says which documents of a paused source are still shown.
	Paused string
	// Unpaused says why a source of this kind cannot be paused; empty if it can.
	Unpaused string
	// Unit is the plural name of the source's nodes. Empty says what to do if the credential sees
	// none. Both are for sources that have their own readers.
	Unit, Empty string
	// Lacks says which flags an entry with these keys lacks; empty if none.
	Lacks func(given map[string]string) string
	// hooks reports whether the source sends change notifications (index.Hooked) that can be
	// verified; nil: it sends none.
	hooks func(*config.Config) bool
	// holds reports whether an entry of the file is of this kind.
	holds func(config.Source) bool
	// calls returns the default name of a source with these keys.
	calls func(given map[string]string) string
	// source returns the source of an entry. It reads nothing.
	source func(config.Source) (document.Source, error)
	// connect returns the connector of a source.
	connect func(*clients, config.Source) (index.Connector, error)
	// check checks whether a source can be read. nil: the connector reads its first documents
	// instead.
	check func(context.Context, *clients, config.Source) (Seen, error)
}

// Key is one setting of a source's entry in footnote.yaml.
type Key struct {
	Path string // below the source's name, as in footnote.yaml: "slack.channels"
	// Ask is the question for a person at a terminal; empty: the key is only a flag.
	Ask    string
	Sort   Sort
	Needed bool
}

// Sort is the type of a [Key]'s value.
type Sort int

// Types of values.
const (
	Text Sort = iota
	List      // texts, separated by commas
	// Lists are named lists of texts, written as "PAGE=members,OTHER=group:a+group:b".
	Lists
	Yes    // true or false
	Folder // a path on this machine
)

// Flag returns the command-line flag of the key, without the dashes.
func (k Key) Flag() string {
	return strings.ReplaceAll(k.Path[strings.LastIndexByte(k.Path, '.')+1:], "_", "-")
}

// Help returns the documentation of the key.
func (k Key) Help() config.FileKey {
	for _, f := range config.FileKeys() {
		if f.Key == "sources.NAME."+k.Path {
			return f
		}
	}
	return config.FileKey{Key: k.Path}
}

// Right is a scope or permission that a credential needs, with the reason.
type Right struct{ Name, Reason string }

// Secret is a credential that a source needs. It is set in the environment, never in footnote.yaml.
type Secret struct {
	Env  string // name of the setting
	What string // what the credential is, and where to find it
	// Optional reports that some sources of the kind need no such credential.
	Optional bool
	set      func(*config.Config) bool
}

// Set reports whether the environment provides the secret.
func (s Secret) Set(cfg *config.Config) bool { return s.set(cfg) }

// Kinds returns all kinds of sources.
func Kinds() []Kind {
	kinds := []Kind{folderKind(), siteKind(), gitKind(), slackKind(), discordKind()}
	for _, s := range config.StatedKinds() {
		kinds = append(kinds, statedKind(s))
	}
	return kinds
}

// FindKind returns the kind with that name, such as "slack", or false if there is none.
func FindKind(name string) (Kind, bool) {
	kinds := Kinds()
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, false
	}
	return kinds[i], true
}

// KindOf returns the kind of an entry in footnote.yaml. An entry that fits no kind counts as a
// folder.
func KindOf(s config.Source) Kind {
	kinds := Kinds()
	return kinds[max(0, slices.IndexFunc(kinds, func(k Kind) bool { return k.holds(s) }))]
}

// named is for kinds whose sources are identified by their names in the configuration file.
func named(source func(name string) document.Source) func(config.Source) (document.Source, error) {
	return func(s config.Source) (document.Source, error) { return source(s.Name), nil }
}

// Called returns the name that a new source gets if the person gives none. given holds the entry's
// values by [Key] path.
func (k Kind) Called(given map[string]string) string {
	name := k.Name
	if k.calls != nil {
		name = cmp.Or(k.calls(given), name)
	}
	name = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '.' || r == '_' {
			return r
		}
		return '-'
	}, strings.ToLower(name))
	return cmp.Or(strings.Trim(name, "-._"), k.Name)
}

// Entry returns an entry for footnote.yaml with the given values by [Key] path. Keys without a
// value are left out.
func (k Kind) Entry(given map[string]string) ([]config.Pair, error) {
	var pairs []config.Pair
	for _, key := range k.Keys {
		text := strings.TrimSpace(given[key.Path])
		if text == "" {
			continue
		}
		var value any = text
		switch key.Sort {
		case List:
			var list []string
			for part := range strings.SplitSeq(text, ",") {
				if part = strings.TrimSpace(part); part != "" {
					list = append(list, part)
				}
			}
			value = list
		case Yes:
			switch strings.ToLower(text) {
			case "true", "yes", "y":
				value = true
			case "false", "no", "n":
				if key.Help().Default != "true" {
					continue
				}
				value = false
			default:
				return nil, fmt.Errorf("--%s is true or false, and not %s", key.Flag(), text)
			}
		case Lists:
			value = listsOf(text)
		case Text, Folder:
		}
		pairs = append(pairs, config.Pair{Key: key.Path, Value: value})
	}
	below := k.Name + "."
	if slices.ContainsFunc(k.Keys, func(key Key) bool { return strings.HasPrefix(key.Path, below) }) &&
		!slices.ContainsFunc(pairs, func(p config.Pair) bool { return strings.HasPrefix(p.Key, below) }) {
		// Every key has its default.
		pairs = append([]config.Pair{{Key: k.Name, Value: []config.Pair{}}}, pairs...)
	}
	return pairs, nil
}

// listsOf parses text such as "PAGE=members,OTHER=group:a+group:b". In "PAGE", PAGE has no list.
func listsOf(text string) []config.Pair {
	var pairs []config.Pair
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		p := config.Pair{Key: part}
		if at := strings.LastIndexByte(part, '='); at >= 0 {
			p.Key = strings.TrimSpace(part[:at])
			var list []string
			for one := range strings.SplitSeq(part[at+1:], "+") {
				if one = strings.TrimSpace(one); one != "" {
					list = append(list, one)
				}
			}
			if len(list) > 0 {
				p.Value = list
			}
		}
		pairs = append(pairs, p)
	}
	return pairs
}

var schedule = Key{Path: "every", Ask: "How often is it read again (such as 1h or 1d; empty: only by footnote index)?"}

func checked(connect func(*clients, config.Source) (index.Connector, error)) func(context.Context, *clients, config.Source) (Seen, error) {
	return func(ctx context.Context, c *clients, s config.Source) (Seen, error) {
		connector, err := connect(c, s)
		if err != nil {
			return Seen{}, err
		}
		if looker, ok := connector.(sources.Looker); ok {
			seen, err := looker.Look(ctx)
			return Seen{Sees: []string{seen.Sees}, Lacks: seen.Lacks, Notes: seen.Notes}, err
		}
		checker, ok := connector.(interface {
			Check(ctx context.Context) (string, error)
		})
		if !ok {
			return Seen{}, fmt.Errorf("%s cannot be checked", s.Name)
		}
		what, err := checker.Check(ctx)
		if what == "" {
			return Seen{}, err
		}
		return Seen{Sees: []string{what}, Lacks: sources.Sentences(err)}, nil
	}
}
