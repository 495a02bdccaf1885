package main_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// A text beyond MAX_FILE_TOKENS, a file of 50 MB and forty files are answered on both platforms,
// and the answer says what of them was not read.
func TestAttachmentsBeyondTheLimits(t *testing.T) {
	t.Parallel()
	discord := newClub(t)
	w := newWorkplace(t, func(openaitest.Request) openaitest.Reply {
		return openaitest.Reply{Text: beginning + " and " + ending}
	}, append(discord.settings(), "MAX_FILE_TOKENS=100")...)
	s := w.serve()
	defer s.stop(t)
	if err := discord.Until(w.ctx, discord.Connected); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	inSlack := footnotetest.InSlack{Server: w.slack, Person: w.alice, Room: w.room}
	inDiscord := footnotetest.InDiscord{Server: discord.Server, Person: discord.ann, Room: discord.general}
	var forty []attached
	for i := range 40 {
		forty = append(forty, attached{fmt.Sprintf("%d.txt", i), "text/plain", fmt.Appendf(nil, "part %d;", i)})
	}
	for _, talk := range []struct {
		footnotetest.Talk
		send func(files []attached) (root string)
	}{
		{inSlack, func(files []attached) string {
			var sent []slacktest.File
			for _, f := range files {
				sent = append(sent, slacktest.File{Name: f.name, Media: f.media, Data: f.data})
			}
			return w.alice.Send(w.room, "", slacktest.Mention()+" what is in them?", sent...)
		}},
		{inDiscord, func(files []attached) string {
			var sent []discordtest.Upload
			for _, f := range files {
				sent = append(sent, discordtest.Upload{Name: f.name, Media: f.media, Content: string(f.data)})
			}
			return discord.ann.Attach(discord.general.ID, "<@"+discord.Bot().ID+"> what is in them?", sent...)
		}},
	} {
		for _, sent := range []struct {
			files       []attached
			says        string
			read, never string // in the prompt
		}{
			{[]attached{{"long.txt", "text/plain", []byte(strings.Repeat("many words ", 200) + "until here")}}, `Only the beginning of the file "long.txt" was read`, "many words", "until here"},
			{[]attached{{"huge.txt", "text/plain", []byte(strings.Repeat("much more ", 5<<20))}}, "larger than 10 MB", "huge.txt", "much more"},
			{forty, "Only the first 10 files of a message are read.", "part 9;", "part 10;"},
		} {
			root := talk.send(sent.files)
			shows := func(post footnotetest.Post) bool { return !post.Writing && strings.Contains(post.Text, ending) }
			if err := talk.Until(w.ctx, func() bool { return slices.ContainsFunc(talk.Shows(root), shows) }); err != nil {
				t.Fatalf("%s: %v: %+v\n%s", talk, err, talk.Shows(root), s.log)
			}
			var text strings.Builder
			for _, post := range talk.Shows(root) {
				text.WriteString(post.Text + "\n")
			}
			if !strings.Contains(text.String(), sent.says) {
				t.Errorf("%s: %q is missing in\n%s", talk, sent.says, text.String())
			}
			requests := w.model.ChatRequests()
			prompt := textOf(*requests[len(requests)-1].Chat, "user")
			if !strings.Contains(prompt, sent.read) || strings.Contains(prompt, sent.never) {
				t.Errorf("%s: the prompt has to hold %q and not %q:\n%.2000s", talk, sent.read, sent.never, prompt)
			}
		}
	}
}
