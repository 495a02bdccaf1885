package main_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// little is how much memory a program may have that meets hostile texts, in bytes of data: a
// quarter of what one of them took, most of it for the race detector, which keeps several times the
// program's own memory beside it.
const little = 3 << 30

// inLittleMemory is the program with a limit of the system on its memory, beyond which it dies.
func inLittleMemory(t *testing.T) string {
	t.Helper()
	return footnotetest.Limited(t, binary, little)
}

// emptyRows is a table of many columns whose rows lack all cells, in about size bytes. Who fills
// them in takes the square of that.
func emptyRows(size int) string { return emptyTable(size/8, size/4) }

func emptyTable(columns, rows int) string {
	return "|" + strings.Repeat("a|", columns) + "\n|" + strings.Repeat("-|", columns) + "\n" + strings.Repeat("|\n", rows)
}

// emptyCells is such a table in HTML.
func emptyCells(size int) string {
	n := size / 14
	return "<table><tr>" + strings.Repeat("<td>a", n) + strings.Repeat("<tr><td>", n) + "</table>"
}

func TestHostileTablesAreIndexedInLittleMemory(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "GOMEMLIMIT=512MiB")
	docs := handbook(t)
	for _, size := range []int{50_000, 400_000} {
		for name, text := range map[string]string{
			"table.md": emptyRows(size), "table.html": "<p>" + emptyRows(size), "quoted.md": "> " + strings.ReplaceAll(emptyRows(size), "\n", "\n> "), "cells.html": emptyCells(size),
		} {
			name = fmt.Sprintf("%d-%s", size, name)
			if err := os.WriteFile(filepath.Join(docs, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	index := p.command(ctx, "index", docs)
	index.Path = inLittleMemory(t)
	if out, err := index.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.4000s", err, out)
	}
	for question, answer := range map[string]string{
		"How many vacation days does an employee have?": "thirty vacation days", "How do I roll back a failed deployment?": "make rollback", "When do I escalate an unanswered page?": "fifteen minutes",
	} {
		if got := jsonOf[answered](t, p.run(t, "ask", question, "--json")); !strings.Contains(got.Answer, answer) {
			t.Errorf("%s: %s", question, got.Answer)
		}
	}
}

func TestHostileTableIsAnsweredInLittleMemory(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{NoTiers: true})
	t.Cleanup(slack.Close)
	discord, err := discordtest.New(discordtest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = discord.Close() })
	model := openaitest.New(t)
	model.Otherwise(func(req openaitest.Request) openaitest.Reply {
		text := beginning + "."
		if strings.Contains(req.Last("user").Text(), "table") {
			text += "\n\n" + emptyRows(50_000) + "\n\n" + emptyTable(2000, 20_000)
		}
		return openaitest.Reply{Text: text + "\n\nThere is more, " + ending, Split: func(s string) []string {
			return slices.Collect(func(yield func(string) bool) {
				for ; len(s) > 0 && yield(s[:min(len(s), 500)]); s = s[min(len(s), 500):] {
				}
			})
		}}
	})
	p := newProgram(t, socketSettings(slack, "OPENAI_BASE_URL="+model.URL(), "DISCORD_BOT_TOKEN="+discord.Token(), "DISCORD_API_URL="+discord.URL(), "GOMEMLIMIT=512MiB")...)
	alice, guild := slack.Person("alice", nil), discord.AddGuild("Guild")
	talks := []footnotetest.Talk{
		footnotetest.InSlack{Server: slack, Person: alice, Room: slack.Channel("room", nil, alice)},
		footnotetest.InDiscord{Server: discord, Person: guild.AddPerson("bob", false), Room: guild.AddText("room")},
	}
	r := footnotetest.Serve(t, inLittleMemory(t), footnotetest.Environment(p.env...))
	r.Ready()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	for _, in := range talks {
		for _, question := range []string{"write a table", "and now?"} { // the second one is answered by the same process
			root := in.Begin(question)
			if err := in.Until(ctx, func() bool {
				return slices.ContainsFunc(in.Shows(root), func(p footnotetest.Post) bool {
					return !p.Writing && (strings.Contains(p.Text, ending) || strings.Contains(p.Text, "All of it is in "))
				})
			}); err != nil {
				t.Fatalf("%s: %q has no answer: %v\n%v", in, question, err, in.Shows(root))
			}
		}
	}
	r.End(syscall.SIGTERM)
}
