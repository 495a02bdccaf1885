package main_test

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// confirming is a configuration whose agent has plans of two questions wait.
const confirming = "agent: careful\nagents:\n  careful:\n    confirm_above: 1\n"

// A plan waits until somebody starts it, by a press that outlives the process, is taken once, and
// from nobody else; or has one search answer; or until nobody has.
func TestDeepSearchWaitsToBeStarted(t *testing.T) {
	t.Parallel()
	discord := newClub(t)
	o := newWorkplace(t, researcher(nil), append(discord.settings(), "FOOTNOTE_CONFIG="+folder(t, map[string]string{"footnote.yaml": confirming})+"/footnote.yaml")...)
	slack, room, alice, ctx, until, db := o.slack, o.room, o.alice, o.ctx, o.until, database(t, o.program)
	bob := slack.Person("bob", nil)
	bob.Join(room)
	o.run(t, "discord", "allow", discord.guild.ID)
	first := o.serve()
	if err := discord.Until(ctx, discord.Connected); err != nil {
		t.Fatalf("%v\n%s", err, first.log)
	}
	started, left := o.ask(twoMatters), o.ask(strings.ToLower(twoMatters))
	asked := discord.ann.Mention(discord.general.ID, "deep: "+twoMatters)

	shows := func(root string, texts ...string) func() bool {
		return func() bool {
			all := o.shown(root)
			return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(all, text) })
		}
	}
	told := func(to *slacktest.Person, text string) func() bool {
		return func() bool {
			return slices.ContainsFunc(slack.Ephemeral(to), func(m slacktest.Message) bool { return strings.Contains(m.Text, text) })
		}
	}
	const waits = `select count(*) from turn where state = 'queued' and owner = '' and not_before > now()`
	parked := func(want int) func() bool {
		return func() bool {
			n := -1
			return db.Pool.QueryRow(ctx, waits).Scan(&n) == nil && n == want
		}
	}
	press := func(by *slacktest.Person, root, action string) {
		t.Helper()
		m := slack.Answers(room, root)[0]
		button := "footnote:" + action + ":"
		_, id, _ := strings.Cut(string(m.Blocks), button)
		id, _, _ = strings.Cut(id, `"`)
		by.Click(room, m.TS, button+id, "")
	}
	for _, root := range []string{started, left} {
		until("the plan is shown with what it would take", shows(root, vacationDays, whoIsPaged, "at most 17 searches", "within 10 min", "footnote:start:", "footnote:plain:"))
	}
	within(ctx, t, "all three wait", parked(3))
	press(bob, started, "start")
	until("somebody else is told", told(bob, "someone else's search"))
	first.kill(t)
	second := o.serve()
	defer second.stop(t)
	press(alice, started, "start")
	press(alice, started, "start")
	until("the report is there", shows(started, "2 of 2 done", "thirty vacation days", "footnote:up:"))
	until("the second press is told", told(alice, "decided already"))
	if n := len(slack.Answers(room, started)); n != 2 {
		t.Errorf("%d messages stand there: %+v", n, slack.Answers(room, started))
	}

	plan := func() discordtest.Version {
		all := discord.Answers(asked)
		if len(all) == 0 {
			return discordtest.Version{}
		}
		return all[0]
	}
	if len(plan().Buttons) != 2 {
		t.Fatalf("Discord shows %+v", plan())
	}
	if err := discord.Until(ctx, discord.Connected); err != nil {
		t.Fatalf("%v\n%s", err, second.log)
	}
	discord.ann.Press(plan().Message, plan().Buttons[1])
	if err := discord.Until(ctx, func() bool { return strings.Contains(plan().Content, "as was chosen") }); err != nil {
		t.Fatalf("%v: %+v\n%s", err, discord.Answers(asked), second.log)
	}
	if shown := discord.Answers(asked); len(shown) != 1 || !strings.Contains(shown[0].Content, "https://docs.example/") || strings.Contains(shown[0].Content, "look into") {
		t.Errorf("Discord shows %+v", shown)
	}

	if _, err := db.Pool.Exec(ctx, `with d as (update deep_search set asked_at = asked_at - interval '10 minutes' where choice is null and asked_at is not null returning turn_id) update turn set not_before = now() where id in (select turn_id from d)`); err != nil {
		t.Fatal(err)
	}
	until("one search answers", shows(left, "The deep search was not started within 10 minutes", "https://docs.example/", "footnote:up:"))
	var turns, plans int
	if err := db.Pool.QueryRow(ctx, `select count(*), count(*) filter (where failures > 0) from turn`).Scan(&turns, &plans); err != nil || turns != 3 || plans != 0 {
		t.Errorf("%d turns, %d of them failed: %v", turns, plans, err)
	}
	for _, r := range o.model.ChatRequests() {
		if r.Chat != nil && r.Chat.Offers("plan_search") {
			plans++
		}
	}
	if plans != 3 {
		t.Errorf("%d plans were made of 3 questions", plans)
	}
}

// within waits for something that neither platform tells of.
func within(ctx context.Context, t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s: %v", what, ctx.Err())
		}
	}
}

// In the terminal a search is started by a word; where nobody sits at it, it begins by itself.
func TestDeepSearchWaitsInTheTerminal(t *testing.T) {
	t.Parallel()
	model := openaitest.New(t)
	model.Otherwise(researcher(nil))
	p := withModel(t, model, "FOOTNOTE_CONFIG="+folder(t, map[string]string{"footnote.yaml": confirming})+"/footnote.yaml")
	if out := p.run(t, "ask", "--deep", twoMatters).stdout; !strings.Contains(out, "Sources") || strings.Contains(out, "just answer") {
		t.Errorf("it prints\n%s", out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := p.command(ctx, "chat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out := new(lockedBuffer)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, "deep: "+twoMatters+"\n"); err != nil {
		t.Fatal(err)
	}
	within(ctx, t, "it asks", func() bool { return strings.Contains(out.String(), `Type "start" or "just answer".`) })
	if _, err := io.WriteString(in, "How do I roll back a failed deployment?\n"); err != nil {
		t.Fatal(err)
	}
	within(ctx, t, "what is asked meanwhile is answered", func() bool { return strings.Contains(out.String(), "make rollback") })
	if _, err := io.WriteString(in, "start\n"); err != nil {
		t.Fatal(err)
	}
	within(ctx, t, "the report", func() bool { return strings.Count(out.String(), "Sources") == 2 })
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if !strings.Contains(out.String(), "  2. "+whoIsPaged) || !strings.Contains(out.String(), "at most 17 searches") {
		t.Errorf("it prints\n%s", out)
	}
}
