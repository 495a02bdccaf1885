package directory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/sleep"
	api "github.com/slack-go/slack"
	"golang.org/x/sync/errgroup"
)

const (
	listLimit = 15 * time.Minute
	listLook  = 5 * time.Second
)

// Keep reads the list of the workspace's people regularly, in one process at a time. It also
// registers this process as a receiver of changes. It blocks until ctx is done.
func (d *Directory) Keep(ctx context.Context) {
	var group errgroup.Group
	defer func() { _ = group.Wait() }() // its functions return no errors
	group.Go(func() error {
		d.keepHearing(ctx)
		return nil
	})
	for {
		limited, cancel := context.WithTimeout(ctx, listLimit)
		err := d.list(limited)
		cancel()
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			d.slack.Logger.WarnContext(ctx, "members of the workspace are not known; people are looked up one by one", "error", err)
		}
		if sleep.For(ctx, listLook) != nil {
			return
		}
	}
}

// list reads all people of the workspace if [access.Lists] says that a new list is due. It stores
// the people of each page at once.
func (d *Directory) list(ctx context.Context) (err error) {
	if err := d.hear(ctx); err != nil {
		return err
	}
	// equals the version of each person without a recent change
	version, err := d.changes.Version(ctx, d.here())
	if err != nil {
		return err
	}
	at, due, err := d.people.Begin(ctx, d.here())
	if err != nil || !due {
		return err
	}
	var listed []string
	defer func() {
		if err != nil {
			listed = nil
		}
		if err != nil && errors.Is(ctx.Err(), context.Canceled) { // the process ends
			at = time.Time{}
		}
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.slack.Config.Timeout)
		defer cancel()
		err = errors.Join(err, d.people.End(ending, d.here(), listed, at))
	}()
	page := d.slack.API.GetUsersPaginated(api.GetUsersOptionLimit(pageSize))
	for {
		if err := d.slack.Lists.Wait(ctx); err != nil {
			return fmt.Errorf("list the members of the workspace: %w", err)
		}
		next, err := page.Next(ctx)
		var refused *api.RateLimitedError
		if errors.As(err, &refused) {
			if err := sleep.For(ctx, refused.RetryAfter); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("list the members of the workspace: %w", call.Explain("users.list", err))
		}
		page = next
		found := make(map[string]bool, len(page.Users))
		people := make([]access.Account, len(page.Users))
		for i, u := range page.Users {
			found[u.ID], people[i] = d.isInside(&u), d.account(d.profile(&u))
			listed = append(listed, u.ID)
			if len(listed) < maxCached/2 { // they need not be looked up one by one
				keep(d, d.profiles, u.ID, d.profile(&u), version)
			}
		}
		saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.slack.Config.Timeout)
		if err = d.accounts.Saw(saving, d.here(), people, at); err == nil {
			err = d.people.Found(saving, d.here(), found, at)
		}
		if err == nil && page.Cursor == "" {
			err = d.accounts.Listed(saving, d.here(), listed, at)
		}
		cancel()
		if err != nil || page.Cursor == "" {
			return err
		}
	}
}
