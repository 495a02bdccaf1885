package history_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"pgregory.net/rapid"
)

// actors do random things in a server.
type actors struct {
	*world
	t        *rapid.T
	people   []*discordtest.Person
	channels []string
	forums   map[string]bool
	threads  map[string]string // to their channels
	order    []string          // of threads
	roles    []string
	gone     map[string]bool
	marks    int
	faults   bool
}

func (a *actors) text() string {
	a.marks++
	return fmt.Sprintf("mark%dx", a.marks)
}

func (a *actors) person() *discordtest.Person { return rapid.SampledFrom(a.people).Draw(a.t, "person") }

// place is a channel or thread in which something can be written.
func (a *actors) place() string {
	var all []string
	for _, c := range a.channels {
		if !a.forums[c] {
			all = append(all, c)
		}
	}
	for _, t := range a.order {
		if !a.gone[t] && !a.gone[a.threads[t]] {
			all = append(all, t)
		}
	}
	return rapid.SampledFrom(all).Draw(a.t, "place")
}

// act does one thing.
func (a *actors) act() {
	p, at := a.person(), a.place()
	ago := time.Duration(rapid.SampledFrom([]int{1, 30, 400, 2000}).Draw(a.t, "hours"))*time.Hour + time.Minute
	channel := rapid.SampledFrom(a.channels).Draw(a.t, "channel")
	standing := a.Standing(at)
	m := ""
	if len(standing) > 0 {
		m = rapid.SampledFrom(standing).Draw(a.t, "message").Message
	}
	_, inThread := a.threads[at]
	switch what := rapid.SampledFrom([]string{"say", "say", "say", "post", "open", "private", "edit", "delete", "delete", "archive", "destroy", "hide", "show", "grant", "shut", "deaf", "lock out", "let in", "fault", "restart"}).Draw(a.t, "act"); {
	case what == "say" && inThread:
		p.EarlierReply(at, a.text(), time.Minute)
	case what == "say":
		p.EarlierReply(at, a.text(), ago)
	case what == "post" && a.forums[channel]:
		a.note(p.PostEarlier(channel, "a post", a.text(), ago), channel)
	case what == "open" && m != "" && !inThread && a.threads[m] == "":
		a.note(p.Open(m, "a thread"), at)
		p.EarlierReply(m, a.text(), time.Minute)
	case what == "private" && !a.forums[channel]:
		p.EarlierReply(p.OpenPrivate(channel, "hush", a.person()), a.text(), time.Minute)
	case what == "edit" && m != "":
		p.Edit(m, a.text())
	case what == "delete" && m != "":
		p.Delete(m)
	case what == "archive" && inThread:
		a.Archive(at)
	case what == "destroy" && inThread:
		a.Destroy(at)
		a.gone[at] = true
	case what == "hide":
		a.guild.Hide(channel, rapid.SampledFrom(a.roles).Draw(a.t, "role"))
	case what == "show":
		a.guild.Show(channel)
	case what == "grant":
		a.guild.Grant(p, rapid.SampledFrom(append([]string{""}, a.roles...)).Draw(a.t, "role"))
	case what == "shut":
		a.guild.Overwrite(channel, p.ID, true, 0, discordtest.ViewChannel)
	case what == "deaf":
		a.guild.Overwrite(channel, rapid.SampledFrom(a.roles).Draw(a.t, "role"), false, 0, discordtest.ReadMessageHistory)
	case what == "lock out":
		a.guild.Overwrite(channel, a.Bot().ID, true, 0, discordtest.ViewChannel)
	case what == "let in":
		a.guild.Overwrite(channel, a.Bot().ID, true, discordtest.ViewChannel|discordtest.ReadMessageHistory, 0)
	case what == "fault":
		a.faults = true
		f := rapid.SampledFrom([]discordtest.Fault{
			{Status: 500, Body: "{}"}, {Status: 404, Body: `{"message": "Unknown Channel", "code": 10003}`}, {Status: 403, Body: `{"message": "Missing Access", "code": 50001}`},
			{Status: 200, Body: "{"}, {Drop: true}, {RetryAfter: time.Millisecond},
		}).Draw(a.t, "fault")
		f.Method, f.Times = "GET", rapid.SampledFrom([]int{1, 4}).Draw(a.t, "times")
		f.Path = rapid.SampledFrom([]string{"/messages", "/threads/active", "/threads/archived", "/guilds/", "/channels", "/users/@me"}).Draw(a.t, "path")
		a.Inject(f)
	case what == "restart":
		a.restart(a.t)
	}
}

func (a *actors) note(thread, channel string) {
	a.threads[thread] = channel
	a.order = append(a.order, thread)
}

// may is what a person may read by Discord's own rules, and of that what the source reads: of
// channels that the bot can read, and in which nobody may look without reading what was said
// before.
func (a *actors) may(p *discordtest.Person) (opens, read map[string]bool) {
	opens, read = make(map[string]bool), make(map[string]bool)
	note := func(channel, place string) {
		for _, m := range a.Standing(place) {
			opens[m.Content] = opens[m.Content] || a.MayRead(p.ID, place)
			read[m.Content] = opens[m.Content] && a.MayRead(a.Bot().ID, channel) && a.whole(channel)
		}
	}
	for _, c := range a.channels {
		note(c, c)
	}
	for t, c := range a.threads {
		if !a.gone[t] {
			note(c, t)
		}
	}
	return opens, read
}

// whole reports whether nobody at all may look into a channel without reading what was said before,
// whatever roles they hold.
func (a *actors) whole(channel string) bool {
	return !a.Denies(channel, discordtest.ReadMessageHistory)
}

// check compares what each person finds with what the person may read, and where whole is set with
// all that there is to find.
func (a *actors) check(whole bool) {
	client := a.client(a.t)
	defer client.Close()
	for _, p := range a.people {
		opens, read := a.may(p)
		a.Check(a.t, p.Username, a.foundBy(a.t, client, p), opens, read, whole)
	}
}

// TestMain runs fewer draws of a property than usual: they keep to Discord's 40 calls a second.
func TestMain(m *testing.M) {
	checks := flag.Lookup("rapid.checks")
	if err := checks.Value.Set("25"); err != nil {
		panic(err)
	}
	os.Exit(m.Run()) // which reads the flags: one that is given counts
}

// Whatever people write, edit, delete, archive and hide, and whatever fails: after every pass that
// was not disturbed nobody finds text that is deleted or that the person could not read on Discord,
// and everybody finds all else.
func TestNobodyFindsWhatDiscordWouldNotShow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		a := &actors{
			world: newWorld(rt, discordtest.Config{ThreadPage: rapid.IntRange(1, 4).Draw(rt, "page")}), t: rt, forums: make(map[string]bool), threads: make(map[string]string),
			gone: make(map[string]bool),
		}
		defer a.close(t)
		for _, name := range []string{"ann", "bob", "eve"} {
			a.people = append(a.people, a.guild.AddPerson(name, false))
		}
		a.guild.Own(a.people[2])
		a.roles = []string{a.guild.AddRole("staff", 0), a.guild.AddRole("board", 0)}
		for i := range 2 {
			a.channels = append(a.channels, a.guild.AddText(numbered("room%d", i)).ID)
		}
		forum := a.guild.AddForum("help").ID
		a.channels, a.forums[forum] = append(a.channels, forum), true
		a.options.Channels = a.channels
		a.options.RecentAge, a.options.Age = time.Nanosecond, time.Nanosecond
		for range rapid.IntRange(1, 4).Draw(rt, "passes") {
			for range rapid.IntRange(1, 8).Draw(rt, "acts") {
				a.act()
			}
			run, err := a.Try(rt.Context(), rt)
			if err == nil && len(run.Failures) == 0 {
				a.Mend() // faults that nobody met are not for the look at who may read
				a.check(!a.faults)
			}
			a.faults = a.faults && err == nil
		}
		a.Mend()
		a.Sync(rt)
		a.Sync(rt)
		a.check(true)
	})
}
