package main_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// laughingBook is a workbook of 1,200 bytes with 57 MB of text: 440 rows show one text of 130 kB.
func laughingBook(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for _, part := range [][2]string{
		{"xl/workbook.xml", `<workbook><sheets><sheet name="A" r:id="a"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<a><Relationship Id="a" Type="t/worksheet" Target="sheet.xml"/><Relationship Id="b" Type="t/sharedStrings" Target="strings.xml"/></a>`},
		{"xl/strings.xml", "<sst><si><t>" + strings.Repeat("laughs ", 130_000/7) + "</t></si></sst>"},
		{"xl/sheet.xml", "<worksheet><sheetData>" + strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, 440) + "</sheetData></worksheet>"},
	} {
		w, err := archive.Create(part[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(part[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

const workbookMedia = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// TestHostileAttachmentsInLittleMemory sends ten workbooks in one message, then eight messages with
// one each at the same time, to a replica of 1 GiB. Each question is answered by the same process.
func TestHostileAttachmentsInLittleMemory(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{NoTiers: true})
	t.Cleanup(slack.Close)
	discord, err := discordtest.New(discordtest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = discord.Close() })
	model := openaitest.New(t)
	model.Otherwise(func(openaitest.Request) openaitest.Reply {
		return openaitest.Reply{Text: beginning + " and " + ending}
	})
	p := newProgram(t, socketSettings(slack, "OPENAI_BASE_URL="+model.URL(), "DISCORD_BOT_TOKEN="+discord.Token(), "DISCORD_API_URL="+discord.URL())...)
	alice, guild := slack.Person("alice", nil), discord.AddGuild("Guild")
	inSlack := footnotetest.InSlack{Server: slack, Person: alice, Room: slack.Channel("room", nil, alice)}
	inDiscord := footnotetest.InDiscord{Server: discord, Person: guild.AddPerson("bob", false), Room: guild.AddText("room")}
	book := laughingBook(t)
	if len(book) > 2000 {
		t.Fatalf("the workbook has %d bytes", len(book))
	}
	r := footnotetest.Serve(t, footnotetest.Limited(t, footnotetest.Plain(t), 1<<30), footnotetest.Environment(p.env...))
	r.Ready()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	for _, talk := range []struct {
		footnotetest.Talk
		send func(files int) (root string)
	}{
		{inSlack, func(files int) string {
			return alice.Send(inSlack.Room, "", slacktest.Mention()+" what is in them?", slices.Repeat([]slacktest.File{{Name: "a.xlsx", Media: workbookMedia, Data: book}}, files)...)
		}},
		{inDiscord, func(files int) string {
			return inDiscord.Person.Attach(inDiscord.Room.ID, "<@"+discord.Bot().ID+"> what is in them?",
				slices.Repeat([]discordtest.Upload{{Name: "a.xlsx", Media: workbookMedia, Content: string(book)}}, files)...)
		}},
	} {
		for _, files := range [][]int{{10}, slices.Repeat([]int{1}, 8)} {
			var roots []string
			for _, n := range files {
				roots = append(roots, talk.send(n))
			}
			for _, root := range roots {
				if err := talk.Until(ctx, func() bool {
					return slices.ContainsFunc(talk.Shows(root), func(p footnotetest.Post) bool { return !p.Writing && strings.Contains(p.Text, ending) })
				}); err != nil {
					t.Fatalf("%s: a message among %d has no answer: %v\n%v", talk, len(files), err, talk.Shows(root))
				}
			}
			t.Logf("%s, %d messages with %d files each: at most %s of data so far", talk, len(files), files[0], dataOf(t, r.PID()))
		}
	}
	r.End(syscall.SIGTERM)
}

// dataOf returns the resident memory of a process at its peak.
func dataOf(t *testing.T, pid int) string {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "an unknown amount" // where the system has no /proc
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprintf("%d MiB", kilobytes>>10)
		}
	}
	return "an unknown amount"
}
