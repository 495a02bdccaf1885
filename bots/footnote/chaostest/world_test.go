package chaostest_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/footnotehq/footnote/adapters/redis/redistest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// world is the replicas and everything that they talk to.
type world struct {
	*testing.T
	slack    *slacktest.Server
	db       *postgres.DB
	env      []string
	replicas []*replica
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
	w.env = []string{
		"DATABASE_URL=" + url, "REDIS_URL=" + redis.URL(), "OPENAI_BASE_URL=" + model.URL(), "LOG_FORMAT=json",
		"SLACK_BOT_TOKEN=" + slacktest.BotToken, "SLACK_APP_TOKEN=" + slacktest.AppToken, "SLACK_API_URL=" + w.slack.URL(),
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TMPDIR=" + os.Getenv("TMPDIR"),
	}
	migrate := exec.CommandContext(t.Context(), binary, "migrate")
	migrate.Env = w.env
	if out, err := migrate.CombinedOutput(); err != nil {
		t.Fatalf("migrate: %v\n%s", err, out)
	}
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
	for i := range replicas {
		r := &replica{admin: freeAddress(w)}
		w.replicas = append(w.replicas, r)
		w.Cleanup(func() {
			r.end(w, syscall.SIGKILL)
			if w.Failed() {
				w.Logf("replica %d:\n%s", i, r.log.tail())
			}
		})
		r.start(w)
	}
	for _, r := range w.replicas {
		w.ready(r)
	}
}

// ready waits until a replica says that it is.
func (w *world) ready(r *replica) {
	ctx, cancel := context.WithTimeout(w.Context(), time.Minute)
	defer cancel()
	for pause(ctx, 50*time.Millisecond) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.admin+"/readyz", nil)
		if err != nil {
			w.Fatal(err)
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return
			}
		}
	}
	w.Fatalf("a replica is not ready after a minute:\n%s", r.log.tail())
}

// count asks the database for a number.
func (w *world) count(query string) int {
	var n int
	if err := w.db.Pool.QueryRow(w.Context(), query).Scan(&n); err != nil {
		w.Fatal(err)
	}
	return n
}

// replica is footnote serve, time and again.
type replica struct {
	admin string
	log   log
	cmd   *exec.Cmd
	ended chan struct{}
}

func (r *replica) start(w *world) {
	// The address was free a moment ago; a replica that has just been killed may still hold it for an instant, and then it is not ready.
	cmd := exec.Command(binary, "serve") // ended by end, whatever becomes of the test's context
	cmd.Env = append([]string{"ADMIN_ADDR=" + r.admin}, w.env...)
	cmd.Stderr = &r.log
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	ended := make(chan struct{})
	r.cmd, r.ended = cmd, ended
	go func() {
		defer close(ended)
		_ = cmd.Wait() // ended by a signal, which is what this test is about
	}()
}

func (r *replica) signal(w *world, s syscall.Signal) {
	if err := r.cmd.Process.Signal(s); err != nil {
		w.Errorf("signal %v: %v\n%s", s, err, r.log.tail())
	}
}

// end ends the process and returns when it has.
func (r *replica) end(w *world, s syscall.Signal) {
	if r.cmd == nil {
		return
	}
	r.signal(w, s)
	<-r.ended
	if s == syscall.SIGTERM && !r.cmd.ProcessState.Success() {
		w.Errorf("told to end, a replica ended with %v:\n%s", r.cmd.ProcessState, r.log.tail())
	}
	r.cmd = nil
}

// log keeps what a replica wrote.
type log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (l *log) tail() string {
	const most = 8 << 10
	text := l.String()
	return text[max(0, len(text)-most):]
}

func (q question) String() string { return fmt.Sprintf("%s in %s of %s", q.mark, q.root, q.room.Name) }
