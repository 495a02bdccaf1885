package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

type configCommand struct {
	Show configShowCommand `cmd:"" default:"withargs" help:"Print what holds in each channel, and who said so."`
	Diff configDiffCommand `cmd:"" help:"Print what people changed in chat and in the console, next to what the configuration file says."`
}

type place struct {
	Platform  string `name:"platform" enum:",slack,discord,console" default:"" help:"Only this platform: slack, discord or console."`
	Workspace string `name:"workspace" help:"Only this workspace or server, by its id."`
	Channel   string `name:"channel" help:"Only this channel, by its id: everything that holds there."`
}

type configShowCommand struct {
	place `embed:""`
	JSON  bool `name:"json" help:"Print JSON."`
}

// settingJSON is a setting in the output of config show --json. Its field names are stable.
type settingJSON struct {
	Key    string   `json:"key"`
	Value  string   `json:"value"`
	Origin []string `json:"origin"` // empty: the default
	Undo   string   `json:"undo,omitempty"`
}

// placeJSON is an item in the output of config show --json. Its field names are stable. Empty ids
// mean all platforms, workspaces or channels.
type placeJSON struct {
	Platform  thread.Platform `json:"platform"`
	Workspace string          `json:"workspace"`
	Channel   string          `json:"channel"`
	Settings  []settingJSON   `json:"settings"`
}

// Run executes "footnote config show".
func (c *configShowCommand) Run(ctx context.Context, env *environment) error {
	return env.withBase(ctx, func(base *wire.Base) error {
		hash, err := base.Hash(ctx)
		if err != nil {
			return err
		}
		changed, err := base.Settings().AllSettings(ctx, base.Tenant)
		if err != nil {
			return err
		}
		shown := []placeJSON{}
		for _, at := range c.wanted(base.File().Places(changed)) {
			e, err := base.Policies().Policy(ctx, base.Tenant, at)
			if err != nil {
				return err
			}
			shown = append(shown, describePlace(at, e, at == session.Place{} || c.Channel != ""))
		}
		if c.JSON {
			return newEncoder(env.stdout).Encode(struct {
				Configuration string      `json:"configuration"`
				File          string      `json:"file"`
				Places        []placeJSON `json:"places"`
			}{hash, base.File().Path, shown})
		}
		if _, err := fmt.Fprintf(env.out, "configuration %s, file %s\n", hash, cmp.Or(base.File().Path, "none")); err != nil {
			return err
		}
		for _, p := range shown {
			if err := printPlace(env.out, p); err != nil {
				return err
			}
		}
		return nil
	})
}

// wanted always includes the settings that hold everywhere, unless one channel is selected.
func (c *configShowCommand) wanted(all []session.Place) []session.Place {
	if c.Channel != "" {
		return []session.Place{{Platform: thread.Platform(c.Platform), Workspace: c.Workspace, Channel: c.Channel}}
	}
	return slices.DeleteFunc(all, func(p session.Place) bool {
		return p != session.Place{} && (c.Platform != "" && string(p.Platform) != c.Platform || c.Workspace != "" && p.Workspace != c.Workspace)
	})
}

func describePlace(at session.Place, e policy.Effective, all bool) placeJSON {
	p := placeJSON{Platform: at.Platform, Workspace: at.Workspace, Channel: at.Channel, Settings: []settingJSON{}}
	for _, s := range review.SettingsOf(at, e, all).Settings {
		said := []string{}
		for _, o := range s.Origins {
			said = append(said, o.String())
		}
		p.Settings = append(p.Settings, settingJSON{Key: s.Key, Value: s.Value, Origin: said, Undo: s.Undo})
	}
	return p
}

func printPlace(to io.Writer, p placeJSON) error {
	if _, err := fmt.Fprintf(to, "\n%s\n", session.Place{Platform: p.Platform, Workspace: p.Workspace, Channel: p.Channel}.Name()); err != nil {
		return err
	}
	for _, s := range p.Settings {
		origin := "default"
		if len(s.Origin) > 0 {
			origin = strings.Join(s.Origin, "; ")
		}
		if s.Undo != "" {
			origin += "; to undo it, write " + s.Undo + " there"
		}
		if _, err := fmt.Fprintf(to, "  %-14s %-24s %s\n", s.Key, cmp.Or(s.Value, "-"), origin); err != nil {
			return err
		}
	}
	return nil
}

type configDiffCommand struct {
	JSON bool `name:"json" help:"Print a JSON array."`
}

// changeJSON is an item in the output of config diff --json. Its field names are stable.
type changeJSON struct {
	Platform  thread.Platform `json:"platform"`
	Workspace string          `json:"workspace"`
	Channel   string          `json:"channel"`
	Key       string          `json:"key"`
	File      string          `json:"file"`      // value of the file, or the default
	Chat      string          `json:"chat"`      // value set in chat
	Effective string          `json:"effective"` // effective value
	By        string          `json:"by"`
	At        string          `json:"at"`
	Counts    bool            `json:"counts"` // false: the value is no longer valid
}

// Run executes "footnote config diff".
func (c *configDiffCommand) Run(ctx context.Context, env *environment) error {
	return env.withBase(ctx, func(base *wire.Base) error {
		changed, err := base.Settings().AllSettings(ctx, base.Tenant)
		if err != nil {
			return err
		}
		changes := []changeJSON{}
		for _, s := range changed {
			change, err := describeChange(ctx, base, s)
			if err != nil {
				return err
			}
			changes = append(changes, change)
		}
		if c.JSON {
			return newEncoder(env.stdout).Encode(changes)
		}
		if len(changes) == 0 {
			_, err := fmt.Fprintln(env.errs, "No setting was changed.")
			return err
		}
		for _, d := range changes {
			if err := printChange(env.out, d); err != nil {
				return err
			}
		}
		return nil
	})
}

func describeChange(ctx context.Context, base *wire.Base, s session.Setting) (changeJSON, error) {
	d := changeJSON{
		Platform: s.Platform, Workspace: s.Workspace, Channel: s.Channel, Key: s.Key, Chat: s.Value, By: s.By, At: s.At.Format("2006-01-02T15:04:05Z07:00"),
	}
	e, err := base.Policies().Policy(ctx, base.Tenant, s.Place)
	if err != nil {
		return d, err
	}
	setting, known := policy.FindSetting(s.Key)
	if known {
		d.File = setting.Show(policy.Resolve(base.File().Said(s.Place)...).Policy)
		d.Effective = setting.Show(e.Policy)
	}
	d.Counts = known && !slices.ContainsFunc(e.Ignored, func(v policy.SettingValue) bool {
		return v.Key == s.Key && v.Value == s.Value && v.Origin.Place == s.Place
	})
	return d, nil
}

func printChange(to io.Writer, d changeJSON) error {
	at := session.Place{Platform: d.Platform, Workspace: d.Workspace, Channel: d.Channel}.Name()
	note := ""
	switch {
	case !d.Counts:
		note = "; does not count: it is no value any more"
	case d.Effective != d.Chat:
		note = "; holds: " + cmp.Or(d.Effective, "-")
	}
	_, err := fmt.Fprintf(to, "%s\n  %s: %s -> %s, by %s on %s%s\n", at, d.Key, cmp.Or(d.File, "-"), d.Chat, d.By, d.At, note)
	return err
}
