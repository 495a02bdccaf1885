package history_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/transcript/transcripttest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/access"
)

// Of files that hold plain text it is read what they say, of others their names; what Slack does
// not hand out stands there by its name alone.
func TestFilesOfMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, slacktest.Config{})
	t.Cleanup(w.Close)
	ann := w.Person("ann", nil)
	room := w.Channel("general", nil, ann)
	ann.Send(room, "", "here is the recipe", slacktest.File{Name: "recipe.txt", Media: "text/plain", Data: []byte("two eggs\n\nand flour")})
	ann.Send(room, "", "", slacktest.File{Name: "plan.png", Media: "image/png", Data: []byte("\x89PNG")})
	ann.Send(room, "", "locked", slacktest.File{Name: "secret.txt", Media: "text/plain", Data: []byte("not for the bot"), NoAccess: true})
	ann.Send(room, "", "large", slacktest.File{Name: "log.txt", Media: "text/plain", Data: []byte(strings.Repeat("noise ", 50_000))})
	run := w.Sync(t)
	text := w.Words(access.Members)
	transcripttest.Has(t, text, true, "here is the recipe", "(file: recipe.txt)", "two eggs", "and flour", "(file: plan.png)", "(file: secret.txt)", "(file: log.txt)")
	transcripttest.Has(t, text, false, "not for the bot", "noise", "<html", "sign in")
	if len(run.Failures) != 0 {
		t.Errorf("there are failures: %+v", run.Failures)
	}
}
