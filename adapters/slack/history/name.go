package history

import (
	"cmp"
	"context"
	"regexp"
	"strings"
	"time"

	api "github.com/slack-go/slack"
)

// named is a cached name and the time at which it was read.
type named struct {
	name string
	at   time.Time
}

const (
	nameAge  = 24 * time.Hour
	maxNames = 50_000
	// unnamed is the name of a person whom Slack does not describe.
	unnamed = "someone"
)

// name returns a person's name in the workspace. It fails only when ctx is done.
func (w *Workspace) name(ctx context.Context, id string) (string, error) {
	if id == "" {
		return unnamed, nil
	}
	w.mu.Lock()
	known, ok := w.names[id]
	w.mu.Unlock()
	if ok && time.Since(known.at) < nameAge {
		return known.name, nil
	}
	found := unnamed
	u, err := paced(ctx, w, w.slack.Names, "users.info", func(ctx context.Context) (*api.User, error) { return w.slack.API.GetUserInfoContext(ctx, id) })
	switch {
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case err == nil:
		found = plainName(cmp.Or(u.Profile.DisplayName, u.RealName, u.Name))
	case ok:
		found = known.name
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.names) >= maxNames {
		clear(w.names)
	}
	w.names[id] = named{found, time.Now()}
	return found, nil
}

// plainName removes characters that would be read as markup from a name.
func plainName(name string) string {
	name = strings.Join(strings.Fields(strings.NewReplacer("<", "", ">", "", "|", "", "`", "").Replace(name)), " ")
	return cmp.Or(name, unnamed)
}

var mention = regexp.MustCompile(`<@([UW][A-Z0-9]+)>`)

// mostMentions is how many people mentioned in a message are looked up.
const mostMentions = 20

// named adds the names of mentioned people to a message's markup, where event.ReadText finds them.
func (w *Workspace) named(ctx context.Context, text, bot string) (string, error) {
	var failed error
	looked := 0
	text = mention.ReplaceAllStringFunc(text, func(m string) string {
		id := m[2 : len(m)-1]
		if looked++; id == bot || looked > mostMentions || failed != nil {
			return m
		}
		name, err := w.name(ctx, id)
		if err != nil {
			failed = err
			return m
		}
		return "<@" + id + "|" + name + ">"
	})
	return text, failed
}
