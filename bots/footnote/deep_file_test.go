package main_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// A report that is too long for messages is a file below its beginning. A process that is killed
// after Slack took the file, and before it knows, leaves none that stands there twice.
func TestLongReportOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	answers := researcher(nil)
	o := newWorkplace(t, func(r openaitest.Request) openaitest.Reply {
		if slices.ContainsFunc(r.Messages, func(m openaitest.Message) bool { return strings.Contains(m.Text(), "Write a report") }) {
			return openaitest.Reply{Text: strings.Repeat("Thirty days of vacation [1], and the engineering manager is paged [2].\n\n", 600) + "That is all [1]."}
		}
		return answers(r)
	})
	slack, room := o.slack, o.room
	first := o.serve()
	slack.Fail(slacktest.Fault{Method: "files.info", Delay: time.Hour})
	root := o.ask(twoMatters)
	const uploads = "files.completeUploadExternal"
	o.until("the file is there", func() bool { return len(slack.Calls(uploads)) == 1 })
	first.kill(t)
	slack.Mend()
	db := database(t, o.program)
	second := serve(t, o.program)
	defer second.stop(t)
	within(o.ctx, t, "the answer is delivered", func() bool {
		var left int
		return db.Pool.QueryRow(o.ctx, `select count(*) from turn where state <> 'done'`).Scan(&left) == nil && left == 0
	})
	shown, files := slack.Answers(room, root), []string(nil)
	for _, m := range shown {
		files = append(files, m.Files...)
	}
	began, gone := len(slack.Calls(uploads)), len(slack.Calls("files.delete"))
	if len(shown) != 3 || len(files) != 1 || len(shown[2].Files) != 1 || began != 1 || gone != 0 {
		t.Fatalf("%d messages, %d files, %d uploads, %d deleted\n%s", len(shown), len(files), began, gone, second.log)
	}
	if file := slack.Content(files[0]); strings.Count(file, "the engineering manager is paged") != 600 || !strings.Contains(file, "That is all [[") {
		t.Errorf("the file holds %d bytes", len(file))
	}
	if !strings.Contains(shown[1].Shown(), "answer.md") || !strings.Contains(string(shown[1].Blocks), "footnote:up:") {
		t.Errorf("its digest ends with %q", shown[1].Blocks)
	}
}
