package write_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/render"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/adapters/slack/write"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
)

// reporting is a desk whose log can be read.
func reporting(t *testing.T, config slacktest.Config) (*desk, *bytes.Buffer) {
	t.Helper()
	d, said := newDesk(t, config, nil), new(bytes.Buffer)
	var err error
	d.client, err = slack.New(call.Config{BotToken: slacktest.BotToken, APIURL: d.URL(), Logger: slog.New(slog.NewTextHandler(said, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d, said
}

var section = "A finding of some length, which says what was found in the documents.\n\n"

// long is a report of three messages, with an end of its own.
var long = strings.Repeat(section, 400) + "The last words."

// report writes a deep search's answer as a process does that has the given log.
func (d *desk) report(t *testing.T, turn string, log stream.Log, packets ...packet.Payload) error {
	t.Helper()
	surface := d.client.Surface(write.SurfaceOptions{Turn: turn, Question: thread.MessageID(d.to.Thread)})
	s, err := stream.Open(t.Context(), d.to, 0, stream.Pace{FinalOnly: true}, stream.Deps[render.Page]{Surface: surface, Renderer: &render.Renderer{}, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append([]packet.Payload{packet.DeepSearchPlanStart{}}, packets...) {
		s.Accept(packet.Packet{Payload: p})
	}
	return s.Finish(t.Context())
}

// read is what the thread shows: the text of the messages, and the files.
func (d *desk) read() (text string, files []string) {
	for _, m := range d.Answers(d.channel, d.to.Thread) {
		if len(m.Files) == 0 {
			text += m.Shown()
		}
		for _, f := range m.Files {
			files = append(files, d.Content(f))
		}
	}
	return text, files
}

func TestReportAsFile(t *testing.T) {
	t.Parallel()
	const get, post, share = "files.getUploadURLExternal", "upload", "files.completeUploadExternal"
	without := slices.DeleteFunc(slices.Clone(slacktest.AllScopes), func(s string) bool { return s == "files:write" })
	blind := slices.DeleteFunc(slices.Clone(slacktest.AllScopes), func(s string) bool { return s == "files:read" })
	for _, tt := range []struct {
		name   string
		scopes []string
		fault  slacktest.Fault
		file   bool   // else messages
		begun  int    // uploads
		says   string // the log, once for two reports
		asked  int    // for a place to upload the second report to; -1: there is none
	}{
		{name: "all is well", file: true, begun: 1, asked: 1},
		{name: "whether it arrived cannot be seen", scopes: blind, file: true, begun: 1, asked: 1},
		{name: "the scope is missing", scopes: without, begun: 1, says: "lacks the scope files:write"},
		{name: "files are disabled", fault: slacktest.Fault{Method: get, Error: "file_uploads_disabled"}, begun: 1, says: "whoever manages it can allow files"},
		{name: "not in this channel", fault: slacktest.Fault{Method: share, Error: "not_in_channel"}, begun: 1, says: "invite it there", asked: 1},
		{name: "limited", fault: slacktest.Fault{Method: get, Status: http.StatusTooManyRequests, RetryAfter: time.Second}, file: true, begun: 2, asked: 1},
		{name: "the upload fails once", fault: slacktest.Fault{Method: post, Status: http.StatusInternalServerError}, file: true, begun: 2, asked: 1},
		{name: "the upload fails for ever", fault: slacktest.Fault{Method: post, Status: http.StatusInternalServerError, Times: 3}, begun: 3, says: "could not be uploaded", asked: 1},
		{name: "the upload's answer is lost", fault: slacktest.Fault{Method: post, Drop: true}, file: true, begun: 2, asked: 1},
		{name: "the last answer is lost", fault: slacktest.Fault{Method: share, Drop: true, After: true}, file: true, begun: 1, asked: 1},
		{name: "the last call fails", fault: slacktest.Fault{Method: share, Status: http.StatusBadGateway}, file: true, begun: 2, asked: 1},
		{name: "it is said to be there and is not", fault: slacktest.Fault{Method: share, Bare: true}, begun: 1, says: "did not show it", asked: -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d, said := reporting(t, slacktest.Config{Scopes: tt.scopes, NoTiers: true})
			if tt.fault.Method != "" {
				d.Fail(tt.fault)
			}
			if err := d.report(t, "turn-1", &stream.MemoryLog{}, packet.MessageDelta{Text: long}, packet.Stop{}); err != nil {
				t.Fatal(err)
			}
			text, files := d.read()
			if n := len(d.Calls(get)); n != tt.begun {
				t.Errorf("%d uploads were begun, want %d", n, tt.begun)
			}
			if tt.file && (len(files) != 1 || !strings.HasPrefix(files[0], "A finding") || strings.Count(files[0], "A finding") != 400 || !strings.Contains(files[0], "The last words.")) {
				t.Errorf("%d files", len(files))
			}
			if !tt.file && (len(files) > 0 || strings.Count(text, "A finding") != 400 || !strings.Contains(text, "The last words.") || strings.Contains(text, render.FileTitle)) {
				t.Errorf("%d files, and the messages show %d parts of 400", len(files), strings.Count(text, "A finding"))
			}
			if tt.file && (!strings.Contains(text, render.FileTitle) || strings.Contains(text, "The last words.")) {
				t.Error("the messages do not point to the file")
			}
			if before := len(d.Calls(get)); tt.asked >= 0 {
				if err := d.report(t, "turn-2", &stream.MemoryLog{}, packet.MessageDelta{Text: long}, packet.Stop{}); err != nil {
					t.Fatal(err)
				}
				if n := len(d.Calls(get)) - before; n != tt.asked {
					t.Errorf("for another report Slack was asked %d times, want %d", n, tt.asked)
				}
			}
			if tt.says != "" && strings.Count(said.String(), tt.says) != 1 || tt.says == "" && said.Len() > 0 {
				t.Errorf("the log says %q", said)
			}
			if strings.Contains(said.String(), "/upload/v1/") {
				t.Error("the log tells where may be written")
			}
		})
	}
}

// killed is the log of a process that ends before it knows the id of what it posted last.
type killed struct {
	stream.MemoryLog
	posted, most int
}

var errKilled = errors.New("killed")

func (k *killed) Posted(ctx context.Context, page int, id thread.MessageID, hash string) error {
	if k.posted++; k.most > 0 && k.posted > k.most {
		return errKilled
	}
	return k.MemoryLog.Posted(ctx, page, id, hash)
}

// Whoever takes over finds the file by its name, and another turn's is not taken for it.
func TestFileOfAProcessThatWasKilled(t *testing.T) {
	t.Parallel()
	d, _ := reporting(t, slacktest.Config{NoTiers: true})
	other := append([]packet.Payload{packet.MessageDelta{Text: long + " Another one."}}, packet.Stop{})
	if err := d.report(t, "turn-0", &stream.MemoryLog{}, other...); err != nil {
		t.Fatal(err)
	}
	log := &killed{most: 1}
	ctx, cancel := context.WithCancel(t.Context())
	surface := d.client.Surface(write.SurfaceOptions{Turn: "turn-1", Question: thread.MessageID(d.to.Thread)})
	s, err := stream.Open(ctx, d.to, 0, stream.Pace{FinalOnly: true}, stream.Deps[render.Page]{Surface: &dying{surface, cancel}, Renderer: &render.Renderer{}, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []packet.Payload{packet.DeepSearchPlanStart{}, packet.MessageDelta{Text: long}, packet.Stop{}} {
		s.Accept(packet.Packet{Payload: p})
	}
	if err := s.Finish(ctx); err == nil {
		t.Fatal("it was not killed")
	}
	log.most = 0
	if err := d.report(t, "turn-1", log, packet.MessageDelta{Text: long}, packet.Stop{}); err != nil {
		t.Fatal(err)
	}
	_, files := d.read()
	if len(files) != 2 || len(d.Calls("files.completeUploadExternal")) != 2 || len(d.Calls("files.delete")) != 0 {
		t.Errorf("%d files stand there, of %d uploads; %d deleted", len(files), len(d.Calls("files.completeUploadExternal")), len(d.Calls("files.delete")))
	}
	// What it says has changed: the file is replaced.
	if err := d.report(t, "turn-1", log, packet.MessageDelta{Text: long + " Changed."}, packet.Stop{}); err != nil {
		t.Fatal(err)
	}
	if _, files := d.read(); len(files) != 2 || !strings.Contains(files[1], "Changed.") || !strings.Contains(files[0], "Another one.") {
		t.Errorf("after a change %d files stand there", len(files))
	}
	// It is taken away, with its file.
	if err := d.report(t, "turn-1", log, packet.Stop{Removed: true, Message: "This answer was removed."}); err != nil {
		t.Fatal(err)
	}
	text, files := d.read()
	if len(files) != 1 || !strings.Contains(files[0], "Another one.") || !strings.Contains(text, "This answer was removed.") {
		t.Errorf("after it was removed: %d files", len(files))
	}
}

// dying ends its process when a file was posted.
type dying struct {
	*write.Surface
	kill func()
}

func (d *dying) Post(ctx context.Context, to thread.Ref, page render.Page) (thread.MessageID, error) {
	id, err := d.Surface.Post(ctx, to, page)
	if page.File != "" {
		d.kill()
	}
	return id, err
}
