package history

import (
	"cmp"
	"context"
	"regexp"
	"strings"
	"time"

	api "github.com/slack-go/slack"
)

type named struct {
	name string
	at   time.Time
}

const (
	nameAge  = 24 * time.Hour
	maxNames = 50_000
	// unnamed is the name of a person if Slack returns no profile.
	unnamed = "someone"
)

// name returns a person's display name, or unnamed if Slack returns none. It fails only if ctx is
// done.
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

// plainName removes the characters from a name that would be read as markup.
func plainName(name string) string {
	name = strings.Join(strings.Fields(strings.NewReplacer("<", "", ">", "", "|", "", "`", "").Replace(name)), " ")
	return cmp.Or(name, unnamed)
}

var mention = regexp.MustCompile(`<@([UW][A-Z0-9]+)>`)

const mostMentions = 20

// named adds people's names to the mentions in a message's markup, as labels for event.ReadText.
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
