package main_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// reporting is a program whose report to a channel is due whenever the test says so.
type reporting struct {
	p  *program
	db *postgres.DB
}

// reportsDue writes a configuration file in which reports to channels were due at the last full
// hour.
func reportsDue(t *testing.T, platform string, channels ...string) string {
	t.Helper()
	now := time.Now().UTC()
	var b strings.Builder
	b.WriteString("reports:\n")
	for _, c := range channels {
		fmt.Fprintf(&b, "  - {platform: %s, channel: %q, day: %s, hour: %d}\n", platform, c, strings.ToLower(now.Weekday().String()), now.Hour())
	}
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func (r reporting) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	if _, err := r.db.Pool.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// age moves what was asked into the period of the report that is due.
func (r reporting) age(t *testing.T) {
	t.Helper()
	r.exec(t, `update turn set intake_at = intake_at - interval '1 day'`)
}

// due makes reports due that were not posted.
func (r reporting) due(t *testing.T, names ...string) {
	t.Helper()
	r.exec(t, `delete from schedule`)
	r.exec(t, `insert into schedule (tenant_id, name, known_at) select 'default', unnest($1::text[]), now() - interval '1 month'`, names)
}

// until starts servers and waits for the state of a report. It returns what they logged.
func (r reporting) until(t *testing.T, servers int, name, state string) string {
	t.Helper()
	var all []*server
	for range servers {
		s := serve(t, r.p)
		all = append(all, s)
	}
	logs := func() string {
		var b strings.Builder
		for _, s := range all {
			b.WriteString(s.log.String())
		}
		return b.String()
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	for now := ""; now != state; {
		if err := r.db.Pool.QueryRow(ctx, `select state || case when note <> '' and state = 'begun' then ' noted' else '' end from schedule where name = $1`, name).Scan(&now); err != nil {
			t.Fatalf("wait until the report %s is %s, and not %s: %v\n%s", name, state, now, err, logs())
		}
	}
	for _, s := range all {
		s.begun(ctx, t)
		s.stop(t)
	}
	return logs()
}

const parking = "How do I get a parking permit for the garage?"

// Two servers at the due moment post one report, over restarts too. It holds what everyone in its
// channel may read, and text of others cannot ping or link. What cannot be posted is said once, and
// the schedule goes on.
func TestReportToSlack(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	alice := slack.Person("alice", func(p *slacktest.Person) { p.Admin = true })
	people := []*slacktest.Person{alice, slack.Person("bob", nil), slack.Person("cy", nil)}
	help := slack.Channel("help", nil, people...)
	private := func(c *slacktest.Channel) { c.Private = true }
	board, office := slack.Channel("board", private, people...), slack.Channel("office", private, people[0], people[1])
	name, gone := "slack:"+office.ID+":report", "slack:C999GONE:report"
	p := newProgram(t, "FOOTNOTE_CONFIG="+reportsDue(t, "slack", office.ID, "C999GONE"), "SLACK_BOT_TOKEN="+slacktest.BotToken,
		"SLACK_APP_TOKEN="+slacktest.AppToken, "SLACK_API_URL="+slack.URL())
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example", "--acl", "members")
	r := reporting{p, database(t, p)}
	s := serve(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	ask := func(by *slacktest.Person, in *slacktest.Channel, text string) {
		t.Helper()
		root := by.Say(in, "", slacktest.Mention()+" "+text)
		if err := slack.Wait(ctx, "an answer", func() bool { a := slack.Answers(in, root); return len(a) == 1 && !a[0].Streaming }); err != nil {
			t.Fatalf("%v\n%s", err, s.log)
		}
	}
	const evil = " <!channel> <https://evil.example|intranet>"
	for _, by := range people {
		ask(by, help, parking+evil)
		ask(by, board, "When does the merger with Initech close?")
		ask(alice, help, "Where does the zebra sleep?")
	}
	s.stop(t)
	r.age(t)
	posted := func() []string {
		var all []string
		for _, m := range slack.Roots(office) {
			if m.User == slacktest.BotUser {
				all = append(all, m.Shown())
			}
		}
		return all
	}
	preview := p.run(t, "report").stdout
	if len(posted()) > 0 || !strings.Contains(preview, "Weekly report") || !strings.Contains(preview, "parking permit") || strings.Contains(preview, "Initech") || !strings.Contains(preview, "channel C999GONE") {
		t.Errorf("the preview is\n%s", preview)
	}

	r.due(t, name, gone)
	logs := r.until(t, 2, name, "done")
	if all := posted(); len(all) != 1 || !strings.Contains(all[0], "parking permit") || !strings.Contains(all[0], "3 people") || strings.Contains(all[0], "Initech") || strings.Contains(all[0], "zebra") ||
		strings.Contains(all[0], "<!channel>") || strings.Contains(all[0], "|intranet>") {
		t.Fatalf("posted %q\n%s", all, logs)
	}
	logs += r.until(t, 1, gone, "failed")
	if n := strings.Count(logs, "a weekly report was not posted"); n != 1 {
		t.Errorf("the channel that is gone is logged %d times\n%s", n, logs)
	}
	if doctor := p.try(t, "", "doctor").stdout; !strings.Contains(doctor, "channel C999GONE of slack") {
		t.Errorf("the doctor does not name it:\n%s", doctor)
	}

	// a process was killed between the post and its note
	r.exec(t, `update schedule set state = 'begun', posted = true, again_at = now() where name = $1`, name)
	r.until(t, 1, name, "done")
	if all := posted(); len(all) != 1 {
		t.Errorf("after a kill, posted %q", all)
	}

	// Slack posts it and is cut off before it says so
	r.due(t, name, gone)
	before := len(posted())
	slack.Fail(slacktest.Fault{Method: "chat.postMessage", Holds: "Weekly report", After: true, Drop: true})
	r.until(t, 1, name, "begun noted")
	r.exec(t, `update schedule set again_at = now() where name = $1`, name)
	r.until(t, 1, name, "done")
	if n := len(posted()); n != before+1 {
		t.Errorf("%d reports after Slack did not say whether it posted one, of %d", n, before)
	}

	// Slack is down at that hour
	r.due(t, name, gone)
	slack.Fail(slacktest.Fault{Method: "conversations.info", Status: 503, Times: 1000})
	r.until(t, 1, name, "begun noted")
	slack.Mend()
	r.exec(t, `update schedule set again_at = now() where name = $1`, name)
	r.until(t, 1, name, "done")
	if n := len(posted()); n != before+2 {
		t.Errorf("%d reports after Slack was down, of %d before", n, before)
	}

	// administrators of the channel switch it off
	s = serve(t, p)
	again, end := context.WithTimeout(t.Context(), limit)
	defer end()
	// a command that no socket takes is not sent again
	if err := slack.Wait(again, "a socket", func() bool { n, _ := slack.Sockets(); return n > 0 }); err != nil {
		t.Fatal(err)
	}
	for _, by := range slices.Backward(people[:2]) {
		id, want := by.Slash(office, "/footnote", "report off"), map[bool]string{true: "No weekly report", false: "Only administrators"}[by == alice]
		if err := slack.Wait(again, "a reply", func() bool { d, ok := slack.Delivered(id); return ok && strings.Contains(string(d.Payload), want) }); err != nil {
			t.Errorf("%s: %v", by.Name, err)
		}
	}
	s.stop(t)
	r.due(t, name, gone)
	r.until(t, 1, name, "off")
	if preview := p.run(t, "report").stdout; !strings.Contains(preview, "switched off in the channel. To undo it, an administrator writes /footnote report on there") {
		t.Errorf("the preview is\n%s", preview)
	}

	// the bot was removed from the channel
	r.exec(t, `delete from setting`)
	slack.Kick(office)
	r.due(t, name, gone)
	r.until(t, 1, name, "failed")
	// no server ran for days
	r.due(t, name)
	r.exec(t, `update schedule set due_at = now() - interval '2 days', begun_at = now() - interval '2 days', again_at = now(), state = 'begun', attempts = 1 where name = $1`, name)
	logs = r.until(t, 1, name, "missed")
	if n := len(posted()); n != before+2 || !strings.Contains(logs, "state=missed") {
		t.Errorf("%d reports, and the log says\n%s", n, logs)
	}
}
