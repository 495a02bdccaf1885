package footnotetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// Talk lets a test act as one person in one channel of a chat platform.
type Talk interface {
	fmt.Stringer
	// Begin asks in the channel and returns the root of the answer's thread, which is the
	// question's id. Follow asks another question in that thread.
	Begin(text string) (root string)
	Follow(ctx context.Context, root, text string) error
	// Edit changes the question that began a thread, Delete deletes it, and Stop reacts to it with
	// 🛑.
	Edit(root, text string)
	Delete(root string)
	Stop(root string)
	// Shows returns the bot's messages in a thread.
	Shows(root string) []Post
	// Seen returns when a text first appeared in a thread, or the zero time.
	Seen(root, text string) time.Time
	// Until waits until a condition is true. It checks the condition after every event.
	Until(ctx context.Context, holds func() bool) error
}

// Post is a message of the bot as people read it.
type Post struct {
	Text    string
	Writing bool // the message is not finished
}

// String returns whether the message is unfinished, and at most 80 bytes of its text.
func (p Post) String() string {
	const most = 80
	return fmt.Sprintf("writing=%t: %s", p.Writing, p.Text[:min(len(p.Text), most)])
}

// InSlack is a Talk in Slack.
type InSlack struct {
	Server *slacktest.Server
	Person *slacktest.Person
	Room   *slacktest.Channel
}

// String implements Talk.
func (t InSlack) String() string { return "Slack #" + t.Room.Name }

// Begin implements Talk.
func (t InSlack) Begin(text string) string {
	return t.Person.Say(t.Room, "", slacktest.Mention()+" "+text)
}

// Follow implements Talk.
func (t InSlack) Follow(_ context.Context, root, text string) error {
	t.Person.Say(t.Room, root, text) //nolint:contextcheck // what Slack delivers outlives the call
	return nil
}

// Edit implements Talk.
func (t InSlack) Edit(root, text string) {
	t.Person.Edit(t.Room, root, slacktest.Mention()+" "+text)
}

// Delete implements Talk.
func (t InSlack) Delete(root string) { t.Person.Delete(t.Room, root) }

// Stop implements Talk.
func (t InSlack) Stop(root string) { t.Person.React(t.Room, root, "octagonal_sign") }

// Shows implements Talk.
func (t InSlack) Shows(root string) []Post {
	var posts []Post
	for _, m := range t.Server.Answers(t.Room, root) {
		posts = append(posts, Post{m.Shown(), m.Streaming})
	}
	return posts
}

// Seen implements Talk.
func (t InSlack) Seen(root, text string) time.Time {
	for _, v := range t.Server.Versions() {
		if v.Bot && v.Channel == t.Room.ID && v.Thread == root && strings.Contains(v.Shown(), text) {
			return v.At
		}
	}
	return time.Time{}
}

// Until implements Talk.
func (t InSlack) Until(ctx context.Context, holds func() bool) error {
	return t.Server.Wait(ctx, "it holds in "+t.Room.Name, holds)
}

// InDiscord is a Talk in Discord.
type InDiscord struct {
	Server *discordtest.Server
	Person *discordtest.Person
	Room   *discordtest.Channel
}

// String implements Talk.
func (t InDiscord) String() string { return "Discord " + t.Room.ID }

// Begin implements Talk.
func (t InDiscord) Begin(text string) string { return t.Person.Mention(t.Room.ID, text) }

// Follow implements Talk. It first waits until the bot has opened a thread.
func (t InDiscord) Follow(ctx context.Context, root, text string) error {
	err := t.Server.Until(ctx, func() bool {
		return slices.ContainsFunc(t.Server.Threads(t.Room.ID), func(thread discordtest.Thread) bool { return thread.ID == root })
	})
	if err == nil {
		t.Person.Say(root, text)
	}
	return err
}

// Edit implements Talk.
func (t InDiscord) Edit(root, text string) {
	t.Person.Edit(root, "<@"+t.Server.Bot().ID+"> "+text)
}

// Delete implements Talk.
func (t InDiscord) Delete(root string) { t.Person.Delete(root) }

// Stop implements Talk.
func (t InDiscord) Stop(root string) { t.Person.React(root, "🛑") }

// Shows implements Talk.
func (t InDiscord) Shows(root string) []Post {
	var posts []Post
	for _, v := range t.Server.Answers(root) {
		posts = append(posts, Post{v.Content, strings.Contains(v.Content, "▌")})
	}
	return posts
}

// Seen implements Talk.
func (t InDiscord) Seen(root, text string) time.Time {
	for _, v := range t.Server.Versions() {
		if v.Author == t.Server.Bot().ID && v.Channel == root && strings.Contains(v.Content, text) {
			return v.At
		}
	}
	return time.Time{}
}

// Until implements Talk.
func (t InDiscord) Until(ctx context.Context, holds func() bool) error {
	return t.Server.Until(ctx, holds)
}
