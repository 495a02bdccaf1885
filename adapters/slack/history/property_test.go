package history_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"pgregory.net/rapid"
)

// actors do random things in a workspace.
type actors struct {
	*world
	t        *rapid.T
	people   []*slacktest.Person
	channels []*slacktest.Channel
	marks    int
	faults   bool
}

func (a *actors) text() string {
	a.marks++
	return fmt.Sprintf("mark%dx", a.marks)
}

func (a *actors) person() *slacktest.Person { return rapid.SampledFrom(a.people).Draw(a.t, "person") }
func (a *actors) channel() *slacktest.Channel {
	return rapid.SampledFrom(a.channels).Draw(a.t, "channel")
}

// message is one that stands in a channel; false where there is none.
func (a *actors) message(c *slacktest.Channel) (slacktest.Message, bool) {
	all := a.Standing(c)
	if len(all) == 0 {
		return slacktest.Message{}, false
	}
	return rapid.SampledFrom(all).Draw(a.t, "message"), true
}

// act does one thing.
func (a *actors) act() {
	c, p := a.channel(), a.person()
	m, some := a.message(c)
	ago := time.Duration(rapid.SampledFrom([]int{1, 30, 400, 2000}).Draw(a.t, "hours"))*time.Hour + time.Minute
	switch what := rapid.SampledFrom([]string{"say", "say", "reply", "reply", "edit", "delete", "delete", "convert", "kick", "invite", "join", "leave", "fault", "restart"}).Draw(a.t, "act"); {
	case what == "say":
		p.Earlier(c, "", a.text(), ago)
	case what == "reply" && some:
		root := m.TS
		if m.Thread != "" {
			root = m.Thread
		}
		p.Earlier(c, root, a.text(), time.Minute)
	case what == "edit" && some:
		p.Edit(c, m.TS, a.text())
	case what == "delete" && some:
		p.Delete(c, m.TS)
	case what == "convert":
		a.Convert(c, !c.Private)
	case what == "kick":
		a.Kick(c)
	case what == "invite" && !slices.Contains(c.Members, slacktest.BotUser):
		a.Change(func() { c.Members = append(c.Members, slacktest.BotUser) })
	case what == "join" && !slices.Contains(c.Members, p.ID):
		p.Join(c)
	case what == "leave":
		a.Change(func() { c.Members = slices.DeleteFunc(c.Members, func(id string) bool { return id == p.ID }) })
	case what == "fault":
		a.faults = true
		a.Fail(slacktest.Fault{
			Method: rapid.SampledFrom([]string{"conversations.history", "conversations.replies", "users.conversations", "conversations.info"}).Draw(a.t, "method"),
			Error:  rapid.SampledFrom([]string{"internal_error", "thread_not_found", "channel_not_found", "invalid_cursor"}).Draw(a.t, "error"),
		})
	case what == "restart":
		a.restart(a.t)
	}
}

// may is what a person may read, by Slack's own rules, of what the source reads: everything, and of
// that which the bot can see.
func (a *actors) may(p *slacktest.Person) (opens, read map[string]bool) {
	opens, read = make(map[string]bool), make(map[string]bool)
	for _, c := range a.channels {
		for _, m := range a.Standing(c) {
			if a.MayOpen(p, c) {
				opens[m.Text] = true
				read[m.Text] = slices.Contains(c.Members, slacktest.BotUser) && (!c.Private || slices.Contains(a.options.Channels, c.ID))
			}
		}
	}
	return opens, read
}

// check compares what each person finds with what the person may read, and where whole is set with
// all that there is to find.
func (a *actors) check(whole bool) {
	for _, p := range a.people {
		opens, read := a.may(p)
		a.Check(a.t, p.Name, a.found(a.t, p), opens, read, whole)
	}
}

// Whatever people write, edit, delete and make private, and whatever fails: after every pass that
// was not disturbed nobody finds text that is deleted or that the person could not open in Slack,
// and everybody finds all else.
func TestNobodyFindsWhatSlackWouldNotShow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := &actors{world: newWorld(t, slacktest.Config{ListPage: rapid.IntRange(1, 4).Draw(t, "list"), HistoryPage: rapid.IntRange(1, 6).Draw(t, "page")}), t: t}
		defer a.Close()
		a.people = []*slacktest.Person{
			a.Person("ann", nil), a.Person("bob", nil), a.Person("guest", func(p *slacktest.Person) { p.Guest = true }),
			a.Person("partner", func(p *slacktest.Person) { p.Team = "T9OTHER" }),
		}
		for i := range 3 {
			private := i == 2
			c := a.Channel(numbered("room%d", i), func(c *slacktest.Channel) { c.Private = private }, a.people[rapid.IntRange(0, 3).Draw(t, "first")])
			a.channels = append(a.channels, c)
		}
		a.options.Channels = []string{a.channels[1].ID, a.channels[2].ID}
		a.options.RecentAge, a.options.Age = time.Nanosecond, time.Nanosecond
		for range rapid.IntRange(1, 5).Draw(t, "passes") {
			for range rapid.IntRange(1, 8).Draw(t, "acts") {
				a.act()
			}
			run, err := a.Try(t.Context(), t)
			if err == nil && len(run.Failures) == 0 {
				a.check(!a.faults)
			}
			a.faults = a.faults && err == nil // a fault may wait for its method to be called
		}
		a.Mend()
		a.Sync(t)
		a.Sync(t)
		a.check(true)
	})
}
