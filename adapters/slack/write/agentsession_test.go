package write_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/google/go-cmp/cmp"
)

func TestSessionTellsOfTheWork(t *testing.T) {
	t.Parallel()
	d := newDesk(t, slacktest.Config{}, nil)
	question := "how do I <!here> " + strings.Repeat("set it up ", 40)
	for range 2 {
		if working, err := d.client.Working(t.Context(), d.to, d.ann.ID, question); !working || err != nil {
			t.Fatalf("Working() = %v, %v", working, err)
		}
		if err := d.client.Rested(t.Context(), d.to); err != nil {
			t.Fatal(err)
		}
	}
	got := d.Session(d.channel, d.to.Thread)
	if diff := cmp.Diff([]string{"processing", "active", "processing", "active"}, got.Statuses); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	if got.Initiator != d.ann.ID || len([]rune(got.Title)) > 200 || !strings.HasPrefix(got.Title, "how do I ") || strings.Contains(got.Title, "<!here>") {
		t.Errorf("session: %+v", got)
	}
}

func TestWorkspaceWithoutSessionsIsAskedNoMore(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		slack slacktest.Config
		fault slacktest.Fault
		calls int // of five
		begun bool
	}{
		{name: "no such method", slack: slacktest.Config{NoSessions: true}, calls: 1},
		{name: "no such page", fault: slacktest.Fault{Status: http.StatusNotFound}, calls: 1},
		{name: "scope is missing", fault: slacktest.Fault{Error: "missing_scope"}, calls: 1},
		{name: "refused for another reason", fault: slacktest.Fault{Error: "not_an_agent"}, calls: 3},
		{name: "down for a moment", fault: slacktest.Fault{Status: http.StatusBadGateway}, calls: 5, begun: true},
		{name: "limited for a moment", fault: slacktest.Fault{Error: "ratelimited"}, calls: 5},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, tt.slack, nil)
			if tt.fault.Status != 0 || tt.fault.Error != "" {
				tt.fault.Method, tt.fault.Times = "agents.sessions.setStatus", 5
				d.Fail(tt.fault)
			}
			for range 5 {
				if working, err := d.client.Working(t.Context(), d.to, d.ann.ID, "question"); working != tt.begun {
					t.Errorf("it may show that the bot is at work: %v (%v), want %v", working, err, tt.begun)
				}
			}
			if n := len(d.Calls("agents.sessions.setStatus")); n != tt.calls {
				t.Errorf("Slack was asked %d times, want %d", n, tt.calls)
			}
		})
	}
}
