package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
)

// Editor changes settings of channels for commands in chat and forms of the console.
type Editor struct {
	Settings Settings
	Policies Policies
	// FileSays returns where the configuration file sets a key with effect on the channel or
	// workspace at, and whether it does. People can only narrow or reset such a setting. If
	// FileSays is nil, people may override the file.
	FileSays func(at session.Place, key string) (policy.Origin, bool)
	Logger   *slog.Logger
}

// Edit is a set of changes that a person wants to make to the settings of a channel or workspace.
// The caller must have verified By and Admin.
type Edit struct {
	Tenant  access.TenantID
	At      session.Place
	By      session.Actor
	Admin   bool // the person may change settings in At
	Changes []session.SettingChange
}

// Edited says which changes of an [Edit] were made, and why others were refused.
type Edited struct {
	// Refused has a sentence in Markdown for each key that cannot be changed. If there is at least
	// one, no setting was changed.
	Refused map[string]string
	// Done are the changes that were made. Each has the previous value in Was.
	Done []session.SettingChange
}

// Edit applies all changes of e. If one of them is refused, it applies none.
func (s Editor) Edit(ctx context.Context, e Edit) (Edited, error) {
	const tries = 3 // another person may change a setting between the check and the change
	for try := 1; ; try++ {
		done, err := s.edit(ctx, e)
		if !errors.Is(err, session.ErrSettingChanged) || try == tries {
			return done, err
		}
	}
}

func (s Editor) edit(ctx context.Context, e Edit) (Edited, error) {
	out := Edited{Refused: make(map[string]string)}
	if !e.Admin {
		for _, c := range e.Changes {
			out.Refused[c.Key] = sentenceAdminsOnly
		}
		return out, nil
	}
	stored, err := s.Settings.Settings(ctx, e.Tenant, e.At)
	if err != nil {
		return out, err
	}
	for _, c := range e.Changes {
		var now session.Setting
		if i := slices.IndexFunc(stored, func(o session.Setting) bool { return o.Place == e.At && o.Key == c.Key }); i >= 0 {
			now = stored[i]
		}
		if c.Value == now.Value && (c.Value == "" || c.Was != nil) {
			continue // a form that is sent twice changes nothing
		}
		if refused := s.refusal(e.At, c, now); refused != "" {
			out.Refused[c.Key] = refused
			continue
		}
		out.Done = append(out.Done, session.SettingChange{Key: c.Key, Value: c.Value, Was: &now.Value})
	}
	for _, c := range out.Done { // this may index a project, so it comes last
		if c.Value == "" || len(out.Refused) > 0 {
			continue
		}
		if err := s.Policies.Accept(ctx, e.Tenant, e.At, c.Key, c.Value); err != nil {
			out.Refused[c.Key] = fmt.Sprintf("%s cannot be set: %s.", asCode(c.Key+" "+c.Value), strings.TrimRight(err.Error(), "."))
		}
	}
	if len(out.Refused) > 0 || len(out.Done) == 0 {
		out.Done = nil
		return out, nil
	}
	if err := s.Settings.ChangeSettings(ctx, e.Tenant, e.At, e.By, out.Done...); err != nil {
		return Edited{}, err
	}
	for _, c := range out.Done {
		s.Logger.InfoContext(ctx, "setting changed", "platform", e.At.Platform, "workspace", e.At.Workspace, "channel", e.At.Channel,
			"key", c.Key, "by", session.AuthorOf(e.At, e.By))
	}
	return out, nil
}

// refusal returns why a change is refused, or "" if it is not. now is the stored setting.
func (s Editor) refusal(at session.Place, c session.SettingChange, now session.Setting) string {
	setting, known := policy.FindSetting(c.Key)
	if !known {
		return fmt.Sprintf("There is no setting %s. The settings are %s.", asCode(c.Key), settingKeys())
	}
	if c.Value != "" {
		if err := setting.Check(c.Value); err != nil {
			return fmt.Sprintf("%s is no value of `%s`: %s.", asCode(c.Value), setting.Key, err)
		}
		if s.FileSays != nil && !setting.Narrows {
			if of, says := s.FileSays(at, c.Key); says {
				return fmt.Sprintf("`%s` is set in the configuration file (%s), so it is changed there.", setting.Key, of)
			}
		}
	}
	switch {
	case c.Was == nil || *c.Was == now.Value:
		return ""
	case now.Value == "":
		return fmt.Sprintf("Another person reset `%s` after you opened the form. Send the form again to store your value.", setting.Key)
	default:
		return fmt.Sprintf("%s set `%s` to %s after you opened the form. Send the form again to replace it.", asCode(now.By), setting.Key, asCode(now.Value))
	}
}
