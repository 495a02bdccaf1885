package write_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

func TestAnswersGoToSlackAlone(t *testing.T) {
	t.Parallel()
	c, err := slack.New(call.Config{BotToken: "xoxb-1", APIURL: "http://127.0.0.1:1/api/"})
	if err != nil {
		t.Fatal(err)
	}
	for address, good := range map[string]bool{
		"https://hooks.slack.com/commands/T1/2/x": true, "https://hooks.slack-gov.com/actions/T1/2/x": true, "http://127.0.0.1:1/respond/x": true,
		"http://hooks.slack.com/commands/x": false, "https://slack.com.example/x": false, "https://evilslack.com/x": false,
		"http://127.0.0.1:2/respond": false, "https://127.0.0.1:1/respond": false, "http://169.254.169.254/latest": false,
		"https://user@hooks.slack.com/x": false, "": false, "://": false,
	} {
		if got := c.Answerable(address); got != good {
			t.Errorf("%q may be called: %v, want %v", address, got, good)
		}
	}
}

func TestNoticeOfOnePersonIsTakenBack(t *testing.T) {
	t.Parallel()
	d := newDesk(t, slacktest.Config{}, nil)
	if err := d.client.Whisper(t.Context(), d.to, d.ann.ID, "There is more.", false, "turn-1"); err != nil {
		t.Fatal(err)
	}
	offer := d.Ephemeral(d.ann)[0]
	address := d.ResponseURL(d.ann, d.channel, offer.TS)
	if err := d.client.Respond(t.Context(), address, "On its **way**"); err != nil {
		t.Fatal(err)
	}
	if err := d.client.Withdraw(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	left := d.Ephemeral(d.ann)
	if len(left) != 1 || !strings.Contains(left[0].Shown(), "On its *way*") {
		t.Errorf("she sees %+v", left)
	}
	if err := d.client.Withdraw(t.Context(), d.ResponseURL(d.ann, d.channel, d.to.Thread)); err == nil {
		t.Error("a message that everybody sees was taken back")
	}
	if err := d.client.Respond(t.Context(), "http://169.254.169.254/", "x"); err == nil || strings.Contains(err.Error(), "169") {
		t.Errorf("another address: %v", err)
	}
}
