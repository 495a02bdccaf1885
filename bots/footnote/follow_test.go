package main_test

import (
	"context"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
)

// A terminal shows the plan of a deep search, what it finds and the time that it took. Where the answer
// goes into a pipe, standard error says how far the search is.
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
