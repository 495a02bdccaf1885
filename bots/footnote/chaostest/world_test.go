package chaostest_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/footnotehq/footnote/adapters/redis/redistest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// world is the replicas and everything that they talk to.
type world struct {
	*testing.T
	slack    *slacktest.Server
	db       *postgres.DB
	env      []string
	replicas []*footnotetest.Replica
}

// question is what somebody asked. Its mark stands in the question and, once, in the answer.
type question struct {
	mark string
	room *slacktest.Channel
	root string
}

var mark = regexp.MustCompile(`Q\d+x\d+`)

// answer writes for a few hundred milliseconds, so that replicas are hit in the middle of it.
func answer(req openaitest.Request) openaitest.Reply {
	asked := ""
	for _, m := range req.Messages {
		if m.Role == "user" {
			if found := mark.FindString(m.Text()); found != "" {
				asked = found
			}
		}
	}
	words := strings.Repeat("one word after another ", 15)
	return openaitest.Reply{Text: "The answer to " + asked + " begins. " + words + "And here it ends.", Delay: 10 * time.Millisecond}
}

func open(t *testing.T) *world {
	t.Helper()
	// Tiers count in seconds instead of minutes, and Slack delivers again after seconds: ten minutes hold an hour.
	url := localtest.URL(t)
	w := &world{T: t, slack: slacktest.Start(slacktest.Config{
		Minute: 5 * time.Second, Redeliver: []time.Duration{0, 2 * time.Second, 10 * time.Second, 20 * time.Second},
	})}
	t.Cleanup(w.slack.Close)
	model, redis := openaitest.New(t), redistest.Start(t)
	model.Otherwise(answer)
	w.env = footnotetest.Environment(
		"DATABASE_URL="+url, "REDIS_URL="+redis.URL(), "OPENAI_BASE_URL="+model.URL(), "LOG_FORMAT=json",
		"SLACK_BOT_TOKEN="+slacktest.BotToken, "SLACK_APP_TOKEN="+slacktest.AppToken, "SLACK_API_URL="+w.slack.URL(),
	)
	footnotetest.Run(t, binary, w.env, "migrate")
	db, err := postgres.Open(t.Context(), postgres.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	w.db = db
	return w
}

// start starts all replicas and waits for them.
func (w *world) start() {
	for range replicas {
		w.replicas = append(w.replicas, footnotetest.Serve(w, binary, w.env))
	}
	for _, r := range w.replicas {
		r.Ready()
	}
}

// count asks the database for a number.
func (w *world) count(query string) int {
	var n int
	if err := w.db.Pool.QueryRow(w.Context(), query).Scan(&n); err != nil {
		w.Fatal(err)
	}
	return n
}

func (q question) String() string { return fmt.Sprintf("%s in %s of %s", q.mark, q.root, q.room.Name) }
