package directory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/core/access"
	api "github.com/slack-go/slack"
)

const (
	// groupAge is the lifetime of cached user groups. A change that arrives as an event expires
	// them earlier.
	groupAge = 10 * time.Minute
	// groupScope is the scope of all user groups of a workspace. It is also their cache key.
	groupScope = "usergroups"
)

// members maps the id of a user group to the set of people in the group.
type members map[string]map[string]bool

// boundGroups returns the configured groups of which all of the people are members. The members
// come from Slack user groups. It returns none if any person is not a full member of the workspace.
func (d *Directory) boundGroups(ctx context.Context, people []access.Account) ([]access.Held, error) {
	bound := d.bound()
	if len(bound) == 0 || len(people) == 0 || slices.ContainsFunc(people, func(a access.Account) bool { return !a.Full }) {
		return nil, nil
	}
	of, err := d.userGroups(ctx)
	if err != nil {
		return nil, err
	}
	return groupsOf(bound, of, people), nil
}

func (d *Directory) bound() []access.BoundGroup {
	if d.slack.Config.Groups == nil {
		return nil
	}
	return d.slack.Config.Groups()
}

func (d *Directory) domains() []string {
	if d.slack.Config.Domains == nil {
		return nil
	}
	return d.slack.Config.Domains()
}

func groupsOf(bound []access.BoundGroup, of members, people []access.Account) []access.Held {
	var held []access.Held
	for _, g := range bound {
		if of[g.ID] != nil && !slices.ContainsFunc(people, func(a access.Account) bool { return !a.Full || !of[g.ID][a.ID] }) {
			held = append(held, access.Held{Principal: access.Group(g.Name), From: "the Slack user group " + g.ID + ", to which footnote.yaml binds it"})
		}
	}
	return held
}

// userGroups returns the members of the workspace's user groups. It returns an empty map if the app
// may not read user groups.
func (d *Directory) userGroups(ctx context.Context) (members, error) {
	found, ok, version, err := recall(ctx, d, d.groups, groupScope, groupAge, groupScope)
	if err != nil {
		return nil, fmt.Errorf("find out who is in which user group: %w", err)
	}
	if ok {
		return found, nil
	}
	asked := d.asking.DoChan(groupScope+" "+string(version), func() (any, error) {
		// other callers wait for the same result
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.slack.Config.Timeout)
		defer cancel()
		if err := waitForLookup(limited, d.slack.Groups); err != nil {
			return nil, err
		}
		list, err := d.slack.API.GetUserGroupsContext(limited, api.GetUserGroupsOptionIncludeUsers(true))
		if err != nil {
			err = call.Explain("usergroups.list", err)
			if call.Transient(err) {
				return nil, err
			}
			d.slack.Logger.WarnContext(limited, "user groups are not read, and the groups that are bound to them have no members", "error", err)
		}
		found := make(members, len(list))
		for _, g := range list {
			found[g.ID] = make(map[string]bool, len(g.Users))
			for _, id := range g.Users {
				found[g.ID][id] = true
			}
		}
		keep(d, d.groups, groupScope, found, version)
		return found, nil
	})
	select {
	case r := <-asked:
		if r.Err != nil {
			return nil, fmt.Errorf("find out who is in which user group: %w", r.Err)
		}
		found, _ = r.Val.(members)
		return found, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("find out who is in which user group: %w", context.Cause(ctx))
	}
}
