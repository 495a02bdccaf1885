package main_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	vacationDays = "How many vacation days per year does an employee have?"
	whoIsPaged   = "Who is an unanswered page escalated to?"
	rollBack     = "How do I roll back a failed deployment?"
)

// researcher answers as a model that plans two questions, finds what it is asked for, has enough,
// and reports. What it is asked about who is paged waits for hold.
func researcher(hold <-chan struct{}) func(openaitest.Request) openaitest.Reply {
	return func(r openaitest.Request) openaitest.Reply {
		switch {
		case r.Offers("plan_search"):
			return openaitest.Reply{Calls: []openaitest.Call{{Name: "plan_search", Arguments: `{"sub_questions":["` + vacationDays + `","` + whoIsPaged + `"]}`}}}
		case r.Offers("judge_findings"):
			return openaitest.Reply{Calls: []openaitest.Call{{Name: "judge_findings", Arguments: `{"answer":"","enough":true,"sub_questions":[]}`}}}
		}
		reply := openaitest.Librarian(r)
		if asksFor(r, whoIsPaged) {
			reply.Gate = hold
		}
		return reply
	}
}

// steered is a thread in which a search runs.
type steered struct {
	asker, other func(text string)
	shows        func() []string // what the bot has written there
	told         func(text string, other bool) bool
	wait         func(what string, holds func() bool)
}

// People change the plan of a search while it runs, by the real program, in Slack and Discord;
// whoever may not, and what makes no sense, is told so.
func TestDeepSearchIsSteeredInThreads(t *testing.T) {
	t.Parallel()
	hold, discord := make(chan struct{}), newClub(t)
	defer close(hold)
	o := newWorkplace(t, researcher(hold), discord.settings()...)
	slack, room, alice, ctx := o.slack, o.room, o.alice, o.ctx
	bob := slack.Person("bob", nil)
	bob.Join(room)
	ann, ben := discord.ann, discord.guild.AddPerson("ben", false)
	o.run(t, "discord", "allow", discord.guild.ID)
	s := o.serve()
	defer s.stop(t)
	if err := discord.Until(ctx, discord.Connected); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	root := o.ask(twoMatters)
	asked := ann.Mention(discord.general.ID, "deep: "+twoMatters)

	in := func(texts []string, text string) bool { return strings.Contains(strings.Join(texts, "\n"), text) }
	shownInSlack := func() (shown []string) {
		for _, m := range slack.Answers(room, root) {
			shown = append(shown, m.Shown())
		}
		return shown
	}
	shownInDiscord := func() (shown []string) {
		for _, m := range discord.Answers(asked) {
			shown = append(shown, m.Content)
		}
		return shown
	}
	for name, at := range map[string]steered{
		"slack": {
			asker: func(text string) { alice.Say(room, root, text) }, other: func(text string) { bob.Say(room, root, text) }, shows: shownInSlack,
			told: func(text string, other bool) bool {
				person := alice
				if other {
					person = bob
				}
				var said []string
				for _, m := range slack.Ephemeral(person) {
					said = append(said, m.Text)
				}
				return in(said, text)
			},
			wait: o.until,
		},
		"discord": {
			asker: func(text string) { ann.Say(asked, text) }, other: func(text string) { ben.Say(asked, text) }, shows: shownInDiscord,
			told: func(text string, _ bool) bool { return in(shownInDiscord(), text) },
			wait: func(what string, holds func() bool) {
				t.Helper()
				if err := discord.Until(ctx, holds); err != nil {
					t.Fatalf("%s: %v\n%q\n%s", what, err, shownInDiscord(), s.log)
				}
			},
		},
	} {
		shows := func(text string) func() bool { return func() bool { return in(at.shows(), text) } }
		told := func(text string, other bool) func() bool { return func() bool { return at.told(text, other) } }
		at.wait(name+": a row has its finding", shows("thirty vacation days"))
		at.other("drop 1")
		at.wait(name+": somebody else is told", told("someone else's search", true))
		at.asker("drop 9")
		at.wait(name+": there is no such row", told("numbered from 1 to 2", false))
		at.asker("add:")
		at.wait(name+": nothing was named", told("Say which question is meant", false))
		at.asker("add: " + rollBack)
		at.wait(name+": it is looked into", shows("make rollback"))
		at.asker("drop 2")
		at.wait(name+": the row is left out, and the rest reported", func() bool {
			return in(at.shows(), "Left out.") && in(at.shows(), "3 of 3 done") && strings.Count(strings.Join(at.shows(), ""), "make rollback") > 1
		})
		at.asker("drop 1")
		at.wait(name+": it is over", told("The search is over", false))
		if shown := at.shows(); !strings.Contains(shown[0], "3. "+rollBack) || strings.Contains(shown[0], "somebody else") {
			t.Errorf("%s shows %q", name, shown)
		}
	}
}

// A search that is stopped shows what it had found, and has its report written by a press: nothing
// is searched for again.
func TestTheReportOfAStoppedSearch(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	defer close(hold)
	o := newWorkplace(t, researcher(hold))
	slack, room, alice, wait := o.slack, o.room, o.alice, o.until
	defer o.serve().stop(t)
	root := o.ask(twoMatters)
	button := "footnote:" + string(thread.ActionReport) + ":"
	shown := func(texts ...string) func() bool {
		return func() bool {
			a := slack.Answers(room, root)
			for i, text := range texts {
				if i >= len(a) || a[i].Streaming || !strings.Contains(a[i].Shown()+string(a[i].Blocks), text) {
					return false
				}
			}
			return true
		}
	}
	wait("a row has its finding", shown("thirty vacation days"))
	alice.Say(room, root, "stop")
	wait("the report is offered below the folded plan", shown("1 of 2 done", button))
	asked := len(o.model.ChatRequests())
	last := slack.Answers(room, root)[1]
	id := string(last.Blocks)[strings.Index(string(last.Blocks), button):]
	alice.Click(room, last.TS, id[:strings.IndexByte(id, '"')], "")
	wait("the report is written", func() bool {
		return shown("stopped before this was looked into", "thirty vacation days")() && !strings.Contains(string(slack.Answers(room, root)[1].Blocks), button)
	})
	if n := len(o.model.ChatRequests()) - asked; n != 1 {
		t.Errorf("the model was asked %d times for the report", n)
	}
}

// A guest who joins while a search runs is shown nothing that guests may not read: what was found
// goes, and the search begins anew for all who listen now.
func TestAGuestJoinsADeepSearch(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	o := newWorkplace(t, researcher(hold))
	room, alice, wait := o.room, o.alice, o.until
	guest := o.slack.Person("guest", func(p *slacktest.Person) { p.Guest = true })
	defer o.serve().stop(t)
	root := o.ask(twoMatters)
	all := func() string { return o.shown(root) }
	plans := func() (n int) {
		for _, r := range o.model.ChatRequests() {
			if r.Chat != nil && r.Chat.Offers("plan_search") {
				n++
			}
		}
		return n
	}
	wait("a row has its finding", func() bool { return strings.Contains(all(), "thirty vacation days") })
	guest.Join(room)
	for n := 0; plans() == 1 && n < 6; n++ { // until the program has heard of it
		added := strings.Repeat("really ", n) + "vacation days?"
		alice.Say(room, root, "add: "+added)
		wait("the question is looked into, or all begins anew", func() bool {
			_, row, there := strings.Cut(all(), added)
			return plans() > 1 || there && strings.Contains(row, "↳")
		})
	}
	close(hold)
	wait("the report is there", func() bool { return strings.Contains(all(), "I found nothing about this in your documents.") })
	if shown := all(); strings.Contains(shown, "thirty") || plans() != 2 {
		t.Errorf("%d plans; the thread shows\n%s", plans(), shown)
	}
}

// In the terminal, lines that change the plan of a search do so while it runs; others wait.
func TestDeepSearchIsSteeredInTheTerminal(t *testing.T) {
	t.Parallel()
	model, hold := openaitest.New(t), make(chan struct{})
	defer close(hold)
	model.Otherwise(researcher(hold))
	p := withModel(t, model)
	db := database(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := p.command(ctx, "chat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	say := func(line string) {
		t.Helper()
		if _, err := io.WriteString(in, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	until := func(want, query string) {
		t.Helper()
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			var got string
			if err := db.Pool.QueryRow(ctx, query).Scan(&got); err != nil {
				t.Fatal(err)
			}
			if got == want {
				tick.Stop()
				return
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				t.Fatalf("%s is %q", query, got)
			}
		}
	}
	const states = `select coalesce(string_agg(coalesce(state, '-'), ' ' order by number), '') from deep_question`
	say("deep: " + twoMatters)
	until("found -", states)
	say("drop 9")
	say("What is a question that waits?")
	say("instead of 2: " + rollBack)
	until("found dropped found", states)
	until("2", `select count(*)::text from turn where state = 'done'`)
	say("add: more")
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"numbered from 1 to 2", "make rollback"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}
