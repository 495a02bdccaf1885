package main_test

import (
	"context"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
)

// A terminal shows the plan of a deep search, what it finds and the time that it took. Where the
// answer goes into a pipe, standard error says how far the search is.
func TestDeepSearchShowsHowFarItIs(t *testing.T) {
	t.Parallel()
	model, hold := openaitest.New(t), make(chan struct{})
	model.Otherwise(researcher(hold))
	p := withModel(t, model)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := p.command(ctx, "ask", "--deep", twoMatters)
	var out, said lockedBuffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	term := openTerminal(t, p, "ask", "--deep", twoMatters)
	at := term.await(t, "1. "+vacationDays, 0)
	at = term.await(t, "2. "+whoIsPaged, at)
	at = term.await(t, "1. found: ", at)
	within(ctx, t, "a line in the middle", func() bool { return strings.Contains(said.String(), "1 of 2 done · ") })
	close(hold)
	at = term.await(t, "2. found: ", at)
	term.await(t, "2 of 2 done · ", at)
	term.ends(t)
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	if !strings.Contains(said.String(), "2 of 2 done · ") || strings.Contains(out.String(), " done · ") || !strings.Contains(out.String(), "Sources") {
		t.Errorf("standard output:\n%s\nstandard error:\n%s", out.String(), said.String())
	}
}

// Asked deeply, an agent without a search answers plainly and says so, everywhere.
func TestAgentWithoutSearchMakesNoDeepSearch(t *testing.T) {
	t.Parallel()
	const said = "This agent has no search among its tools, so no deep search was made."
	discord := newClub(t)
	w := newWorkplace(t, func(r openaitest.Request) openaitest.Reply {
		if r.Offers("plan_search") || r.Offers("internal_search") {
			t.Error("a search was offered")
		}
		return openaitest.Reply{Text: "Hello there."}
	}, append(discord.settings(), "FOOTNOTE_CONFIG="+folder(t, map[string]string{"footnote.yaml": "agent: reader\nagents:\n  reader: {tools: [read_file]}\n"})+"/footnote.yaml")...)
	if r := w.run(t, "ask", "--deep", twoMatters); !strings.Contains(r.stdout, "Hello there.") || !strings.Contains(r.stdout, said) {
		t.Errorf("the terminal shows\n%s", r.stdout)
	}
	w.run(t, "discord", "allow", discord.guild.ID)
	s := w.serve()
	defer s.stop(t)
	if err := discord.Until(w.ctx, discord.Connected); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	root := w.ask(twoMatters)
	w.until("the answer on Slack", func() bool {
		return strings.Contains(w.shown(root), "Hello there.") && strings.Contains(w.shown(root), said)
	})
	question := discord.ann.Mention(discord.general.ID, "deep: "+twoMatters)
	if err := discord.Until(w.ctx, func() bool {
		all := discord.Answers(question)
		return len(all) > 0 && strings.Contains(all[len(all)-1].Content, "Hello there.") && strings.Contains(all[len(all)-1].Content, said)
	}); err != nil {
		t.Fatalf("%v: Discord shows %+v\n%s", err, discord.Answers(question), s.log)
	}
}
