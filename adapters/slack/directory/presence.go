package directory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
)

// Present returns the audience of an answer in a channel. People lists the members of a small
// private channel. With guests or another organisation in the channel, or after an error, the
// audience has only the permission of the channel itself.
func (d *Directory) Present(ctx context.Context, channel string) (access.Presence, error) {
	there := d.unknown(channel)
	found, err := d.room(ctx, channel)
	if err != nil {
		return there, err
	}
	there.Outsiders = !found.inside
	if found.inside {
		there.Held = append(there.Held, access.Held{Principal: access.Members, From: "everybody here is a full member of this Slack workspace"})
	}
	if !found.named {
		return there, nil
	}
	people, err := d.accountsOf(ctx, found.people)
	if err != nil {
		return d.unknown(channel), err
	}
	if len(people) > access.MostNamed {
		return there, nil
	}
	there.Open, there.People = false, people
	shared, err := d.boundGroups(ctx, people)
	if err != nil {
		return d.unknown(channel), err
	}
	there.Held = append(there.Held, shared...)
	return there, nil
}

// Room returns a channel with its audience. Open is set if every full member of the workspace can
// open the channel. In an organisation with several workspaces, Open is never set.
func (d *Directory) Room(ctx context.Context, channel string) (chat.Room, error) {
	there, err := d.Present(ctx, channel)
	if err != nil {
		return chat.Room{}, call.Translate("look up a channel", err, false)
	}
	found, err := d.room(ctx, channel)
	if err != nil {
		return chat.Room{}, call.Translate("look up a channel", err, false)
	}
	return chat.Room{Ref: d.slack.Ref(channel, ""), Present: there, Open: found.public}, nil
}

// unknown returns the [access.Presence] with the least permissions for a channel. It includes
// everyone who can open the channel, and assumes outsiders.
func (d *Directory) unknown(channel string) access.Presence {
	return access.Presence{
		Tenant: d.slack.Config.Tenant, Held: []access.Held{{Principal: access.Channel(string(call.Platform), channel), From: "everybody here is in this channel"}},
		Open: true, Outsiders: true,
	}
}

// Alone returns the audience of an answer that only one person sees. It includes all permissions of
// the person. After an error, it contains only the permissions that were found.
func (d *Directory) Alone(ctx context.Context, person string) (access.Presence, error) {
	account := access.Account{Workspace: d.here(), ID: person}
	alone := access.Presence{Tenant: d.slack.Config.Tenant, Held: d.held(account, nil), People: []access.Account{account}}
	p, err := d.Profile(ctx, person)
	if err != nil {
		return alone, err
	}
	account = d.account(p)
	homes, err := d.homesOf(ctx, person)
	alone.Held, alone.People = d.held(account, homes), []access.Account{account}
	if err != nil {
		return alone, err
	}
	groups, err := d.boundGroups(ctx, alone.People)
	alone.Held = append(alone.Held, groups...)
	return alone, err
}

func (d *Directory) account(p Profile) access.Account {
	return access.Account{
		Workspace: d.here(), ID: p.ID, Name: p.Name, Email: p.Email, Full: !p.Outsider, Gone: p.Gone,
		Bot: p.Bot && p.Team == d.slack.Identity().Team,
	}
}

// held returns the permissions of a person, except those from groups.
func (d *Directory) held(a access.Account, homes []string) []access.Held {
	held := []access.Held{{Principal: access.User(string(call.Platform), a.ID), From: "your Slack account"}}
	if a.Full {
		held = append(held, access.Held{Principal: access.Members, From: "you are a full member of this Slack workspace"})
	}
	if address := a.Address(d.domains()); address != "" {
		held = append(held, access.Held{Principal: access.User("email", address), From: "the confirmed address in your Slack profile, whose domain identity.domains lists"})
	}
	for _, id := range homes {
		held = append(held, access.Held{Principal: access.Channel(string(call.Platform), id), From: "you are in this channel"})
	}
	return held
}

// accountsOf returns the accounts of people, and omits the workspace's apps. It looks up at most
// maxLookups people in Slack, and returns further unknown people with only an id.
func (d *Directory) accountsOf(ctx context.Context, ids []string) ([]access.Account, error) {
	known, err := d.accounts.Accounts(ctx, d.here(), ids)
	if err != nil {
		return nil, err
	}
	var seen []access.Account
	var pending error
	asked := time.Now()
	for _, id := range ids {
		if _, ok := known[id]; ok || len(seen) == maxLookups {
			continue
		}
		if pending = waitForLookup(ctx, d.slack.Infos); pending != nil {
			break
		}
		u, err := d.slack.API.GetUserInfoContext(ctx, id)
		if err != nil {
			err = call.Explain("users.info", err)
			if call.Transient(err) {
				return nil, fmt.Errorf("look up a person: %w", err)
			}
			continue // Slack does not describe this person
		}
		known[id] = d.account(d.profile(u))
		seen = append(seen, known[id])
	}
	if len(seen) > 0 {
		if err := d.accounts.Saw(ctx, d.here(), seen, asked); err != nil {
			return nil, err
		}
	}
	if pending != nil {
		return nil, fmt.Errorf("look up a person: %w", pending)
	}
	people := make([]access.Account, 0, len(ids))
	for _, id := range ids {
		a, ok := known[id]
		if !ok {
			a = access.Account{Workspace: d.here(), ID: id}
		}
		if !a.Bot {
			people = append(people, a)
		}
	}
	return slices.Clip(people), nil
}
