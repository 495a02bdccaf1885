package review

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Editing shows and changes the settings of channels, workspaces and the whole installation in
// the console. It is safe for concurrent use.
type Editing struct {
	Tenant access.TenantID
	Editor command.Editor
	// Places returns the places that have settings in the configuration file or from a person.
	Places func(ctx context.Context) ([]session.Place, error)
	// Room looks up a channel on its platform (chat.Platform).
	Room func(ctx context.Context, at thread.Ref) (chat.Room, error)
	// Names returns the names that can be values of a setting. It returns nil if the values are not
	// names.
	Names func(key string) []string
	// Platforms are the platforms that this process serves.
	Platforms []thread.Platform
}

// MaxValue is the maximum length of a value in a form, in characters.
const MaxValue = 1000

// PlaceForm is the form with the settings of a [session.Place].
type PlaceForm struct {
	session.Place
	Fields []SettingField
}

// SettingField is one setting in a [PlaceForm], with its stored and effective values.
type SettingField struct {
	policy.Setting
	Holds string // effective value; empty: nothing is set
	From  string // origin of Holds
	// Stored is the value that a person set for exactly this channel or workspace, in chat or in
	// the console.
	Stored  string
	Ignored bool // Stored is not valid any more
	// FileSays is the position in the configuration file that sets the value. If it is not empty, a
	// stored value can only be reset. If it is empty, the value can be changed.
	FileSays string
	Fixed    bool     // it cannot be changed in a form
	Choices  []string // nil: free text
	Names    []string // names that Typed may contain
	// Typed is the text in the field. It is Stored, or the text that the person typed.
	Typed   string
	Refused string // why what the person typed is not stored
}

// Editable reports whether people can change settings of the place.
func (p Place) Editable() bool { return Editable(p.Place) }

// Editable reports whether people can change settings of a place. The place must be a channel, or
// all channels of a workspace.
func Editable(at session.Place) bool { return at.Platform != "" && at.Workspace != "" }

// ShowsPlace reports whether a viewer may see the settings of a place. As in chat, people in a
// channel see its settings, those of its workspace and those of the whole installation. If the
// viewer's workspace is unknown, settings of workspaces are hidden.
func ShowsPlace(v Viewer, role Role, at session.Place) bool {
	switch {
	case role.Opens(PartSettings):
		return true
	case at.Channel != "":
		return v.Audience.MayRead(access.ACL{access.Channel(string(at.Platform), at.Channel)})
	case at.Workspace != "":
		return v.Person.Workspace.ID == at.Workspace && v.Person.Platform == string(at.Platform)
	}
	return true
}

// ErrNoReply means that a platform did not answer.
var ErrNoReply = errors.New("the platform does not answer")

// Find completes a place that a person typed: it sets the workspace of a channel. The error is an
// InputError if there is no such place, and ErrNoReply if the platform does not answer.
func (e Editing) Find(ctx context.Context, at session.Place, person access.Account) (session.Place, error) {
	known, err := e.Places(ctx)
	if err != nil {
		return at, err
	}
	own := session.Place{Platform: thread.Platform(person.Platform), Workspace: person.Workspace.ID}
	for _, p := range append(known, own) {
		if p.Channel != at.Channel { // a workspace is known if one of its channels is known
			p.Channel = ""
		}
		if p.Channel == at.Channel && p.Platform == at.Platform && (at.Workspace == "" && at.Channel != "" || p.Workspace == at.Workspace) && Editable(p) {
			return p, nil
		}
	}
	if at.Channel == "" {
		return at, &InputError{Sentence: "There is no such workspace."}
	}
	room, err := e.Room(ctx, thread.Ref{Platform: at.Platform, Workspace: at.Workspace, Channel: at.Channel})
	switch {
	case errors.Is(err, thread.ErrNotPermitted):
		return at, &InputError{Sentence: fmt.Sprintf("%s has no channel %s, or the bot does not see it. Correct the id, or invite the bot there.", at.Platform, at.Channel)}
	case errors.Is(err, errors.ErrUnsupported):
		return at, &InputError{Sentence: "The process that serves the console does not serve this platform, so it cannot look the channel up."}
	case err != nil:
		return at, fmt.Errorf("look up a channel: %w: %w", ErrNoReply, err)
	}
	found := session.PlaceOf(room.Ref)
	if room.Present.Tenant != e.Tenant || found.Channel != at.Channel || at.Workspace != "" && found.Workspace != at.Workspace {
		return at, &InputError{Sentence: "This channel belongs to another workspace."}
	}
	return found, nil
}

// Form returns the form with the current settings of a place.
func (e Editing) Form(ctx context.Context, at session.Place) (PlaceForm, error) {
	f := PlaceForm{Place: at}
	holds, err := e.Editor.Policies.Policy(ctx, e.Tenant, at)
	if err != nil {
		return f, err
	}
	stored, err := e.Editor.Settings.Settings(ctx, e.Tenant, at)
	if err != nil {
		return f, err
	}
	for _, s := range policy.Settings() {
		one := SettingField{Setting: s, Holds: s.Show(holds.Policy), From: policy.SayOrigins(holds.Origins(s.Key)), Choices: s.Choices}
		if i := slices.IndexFunc(stored, func(o session.Setting) bool { return o.Place == at && o.Key == s.Key }); i >= 0 {
			one.Stored = stored[i].Value
			one.Ignored = slices.ContainsFunc(holds.Ignored, func(v policy.SettingValue) bool { return v.Key == s.Key && v.Origin.Place == at })
		}
		if !s.Narrows {
			if of, says := e.Editor.FileSays(at, s.Key); says {
				one.FileSays = of.String()
			}
		}
		if names := e.Names(s.Key); s.Narrows {
			one.Names = names
		} else if names != nil {
			one.Choices = names
		}
		if one.FileSays != "" {
			one.Choices = []string{}
		}
		if one.Choices != nil && one.Stored != "" && !slices.Contains(one.Choices, one.Stored) {
			one.Choices = append(slices.Clip(one.Choices), one.Stored)
		}
		one.Typed = one.Stored
		one.Fixed = one.FileSays != "" && one.Stored == "" || utf8.RuneCountInString(one.Stored) > MaxValue
		f.Fields = append(f.Fields, one)
	}
	return f, nil
}

// Refused returns the keys of the settings whose new values were refused.
func (f PlaceForm) Refused() []string {
	var keys []string
	for _, field := range f.Fields {
		if field.Refused != "" {
			keys = append(keys, field.Key)
		}
	}
	return keys
}

// Undo returns the input for [Editing.Save] that reverts the given changes. It omits fields that a
// form cannot change.
func (f PlaceForm) Undo(done []session.SettingChange) []Given {
	var undo []Given
	for _, c := range done {
		fixed := slices.ContainsFunc(f.Fields, func(field SettingField) bool { return field.Key == c.Key && field.Fixed })
		if !fixed {
			undo = append(undo, Given{Key: c.Key, Value: *c.Was, Was: c.Value})
		}
	}
	return undo
}

// Given is the text that a person entered in a field, and the stored value that the form showed.
type Given struct{ Key, Value, Was string }

// Save stores the entered values and returns the resulting form. done lists the changes, each with
// its previous value. If any change is refused, Save stores nothing. The form then contains the
// entered texts and the reasons of the refusals.
func (e Editing) Save(ctx context.Context, at session.Place, by SignedIn, given []Given) (f PlaceForm, done []session.SettingChange, err error) {
	edit := command.Edit{Tenant: e.Tenant, At: at, By: ActorOf(by.Person), Admin: by.Role.Opens(PartSettings)}
	refused := make(map[string]string)
	for i, g := range given {
		given[i].Value = strings.TrimSpace(strings.ReplaceAll(g.Value, "\r\n", "\n"))
		switch {
		case given[i].Value == g.Was: // this person did not change it
			continue
		case utf8.RuneCountInString(given[i].Value) > MaxValue:
			refused[g.Key] = fmt.Sprintf("This is longer than %d characters.", MaxValue)
		case !utf8.ValidString(g.Value) || strings.ContainsRune(g.Value, 0):
			refused[g.Key] = "This is no text in UTF-8."
		default:
			edit.Changes = append(edit.Changes, session.SettingChange{Key: g.Key, Value: given[i].Value, Was: &given[i].Was})
		}
	}
	if len(refused) == 0 {
		out, err := e.Editor.Edit(ctx, edit)
		if err != nil {
			return f, nil, err
		}
		refused, done = out.Refused, out.Done
	}
	if f, err = e.Form(ctx, at); err != nil || len(refused) == 0 {
		return f, done, err
	}
	for i := range f.Fields {
		field := &f.Fields[i]
		at := slices.IndexFunc(given, func(g Given) bool { return g.Key == field.Key })
		if at >= 0 && given[at].Value != given[at].Was {
			field.Typed, field.Refused = given[at].Value, refused[field.Key]
			delete(refused, field.Key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(refused)) { // refusals that belong to no field
		return f, nil, &InputError{Sentence: refused[key]}
	}
	return f, nil, nil
}
