package main_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
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

// largePicture is a picture of half the bytes that the pictures of a message may have.
func largePicture(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, 100, 100))); err != nil {
		t.Fatal(err)
	}
	return append(out.Bytes(), make([]byte, 3<<20-out.Len())...)
}

// TestHostileAttachmentsInLittleMemory sends ten workbooks in one message, then eight messages with
// one each at the same time, ten PDF files in one message, and eight messages with ten pictures
// each, to a replica of 1 GiB. Each question is answered by the same process.
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
	book := attached{"a.xlsx", workbookMedia, laughingBook(t)}
	if len(book.data) > 2000 {
		t.Fatalf("the workbook has %d bytes", len(book.data))
	}
	form := attached{"a.pdf", "application/pdf", []byte(formThatDrawsItself)}
	picture := attached{"a.png", "image/png", largePicture(t)}
	// A container counts what is resident. The limit on data also counts what the Go runtime has
	// given back, so it is half as much again, and the peak is compared with what a container of 1
	// GiB allows.
	p.env = append(p.env, fmt.Sprintf("GOMEMLIMIT=%d", 1<<30/10*9))
	r := footnotetest.Serve(t, footnotetest.Limited(t, footnotetest.Plain(t), 3<<29), footnotetest.Environment(p.env...))
	r.Ready()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	for _, talk := range []struct {
		footnotetest.Talk
		send func(files []attached) (root string)
	}{
		{inSlack, func(files []attached) string {
			var sent []slacktest.File
			for _, f := range files {
				sent = append(sent, slacktest.File{Name: f.name, Media: f.media, Data: f.data})
			}
			return alice.Send(inSlack.Room, "", slacktest.Mention()+" what is in them?", sent...)
		}},
		{inDiscord, func(files []attached) string {
			var sent []discordtest.Upload
			for _, f := range files {
				sent = append(sent, discordtest.Upload{Name: f.name, Media: f.media, Content: string(f.data)})
			}
			return inDiscord.Person.Attach(inDiscord.Room.ID, "<@"+discord.Bot().ID+"> what is in them?", sent...)
		}},
	} {
		for _, wave := range []struct {
			messages, files int
			file            attached
		}{{1, 10, book}, {8, 1, book}, {1, 10, form}, {8, 10, picture}} {
			var roots []string
			for range wave.messages {
				roots = append(roots, talk.send(slices.Repeat([]attached{wave.file}, wave.files)))
			}
			for _, root := range roots {
				if err := talk.Until(ctx, func() bool {
					return slices.ContainsFunc(talk.Shows(root), func(p footnotetest.Post) bool { return !p.Writing && strings.Contains(p.Text, ending) })
				}); err != nil {
					t.Fatalf("%s: a message among %d has no answer: %v\n%v", talk, wave.messages, err, talk.Shows(root))
				}
			}
			peak := peakOf(t, r.PID())
			t.Logf("%s, %d messages with %d of %s each: at most %d MiB so far", talk, wave.messages, wave.files, wave.file.name, peak)
			if peak >= 1<<10 {
				t.Fatalf("a container of 1 GiB would have ended it at %d MiB", peak)
			}
		}
	}
	r.End(syscall.SIGTERM)
}

// formThatDrawsItself is a PDF file whose page draws a form, which draws itself twelve times.
const formThatDrawsItself = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
	"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>>endobj\n" +
	"4 0 obj<</Length 5>>stream\n/F Do\nendstream endobj\n" +
	"5 0 obj<</Type/XObject/Subtype/Form/BBox[0 0 300 100]/Resources<</XObject<</F 5 0 R>>>>/Length 72>>stream\n" +
	"/F Do /F Do /F Do /F Do /F Do /F Do /F Do /F Do /F Do /F Do /F Do /F Do\nendstream endobj\ntrailer<</Root 1 0 R>>\n"

// attached is a file that comes with a message.
type attached struct {
	name, media string
	data        []byte
}

// peakOf returns the resident memory of a process at its peak.
func peakOf(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0 // where the system has no /proc
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return kilobytes >> 10
		}
	}
	return 0
}
