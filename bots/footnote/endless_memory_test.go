package main_test

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/jira/jiratest"
	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// gibibyte is the memory of a container in which a program meets hostile servers. A container
// counts what is resident; the limit of the system on data also counts what the runtime has given
// back, and is half as much again.
const gibibyte = 1 << 30

func inAGibibyte(t *testing.T) (path, setting string) {
	t.Helper()
	return footnotetest.Limited(t, footnotetest.Plain(t), gibibyte/2*3), fmt.Sprintf("GOMEMLIMIT=%d", gibibyte/10*9)
}

// endlessModel streams an answer that never ends to a question that names one, and answers others.
type endlessModel struct {
	*openaitest.Server
	front *httptest.Server
}

func newEndlessModel(t *testing.T, pages string) *endlessModel {
	m := &endlessModel{Server: openaitest.New(t)}
	m.Otherwise(func(req openaitest.Request) openaitest.Reply {
		if strings.Contains(req.Last("user").Text(), "page of brackets") && req.Last("tool").Text() == "" {
			return openaitest.Reply{Calls: []openaitest.Call{{Name: "open_url", Arguments: `{"urls":["` + pages + `/a.md"]}`}}}
		}
		return openaitest.Reply{Text: beginning + " and " + ending}
	})
	m.front = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the caller went away
		}
		for attack, piece := range map[string]string{
			"endless text":      `{"content":"` + strings.Repeat("a ", 500) + `"}`,
			"endless arguments": `{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"internal_search","arguments":"` + strings.Repeat("a", 1000) + `"}}]}`,
			"endless name":      `{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"` + strings.Repeat("a", 1000) + `","arguments":""}}]}`,
		} {
			if strings.Contains(string(body), attack) {
				w.Header().Set("Content-Type", "text/event-stream")
				for err == nil && r.Context().Err() == nil {
					_, err = io.WriteString(w, `data: {"choices":[{"index":0,"delta":`+piece+"}]}\n\n")
				}
				return
			}
		}
		again, err := http.NewRequestWithContext(r.Context(), r.Method, m.URL()+strings.TrimPrefix(r.URL.Path, "/v1"), strings.NewReader(string(body)))
		if err != nil {
			t.Error(err)
			return
		}
		again.Header = r.Header
		answer, err := http.DefaultClient.Do(again)
		if err != nil {
			return // the test has ended
		}
		defer answer.Body.Close()
		w.Header().Set("Content-Type", answer.Header.Get("Content-Type"))
		w.WriteHeader(answer.StatusCode)
		_, _ = io.Copy(w, answer.Body) // the caller may go away
	}))
	t.Cleanup(m.front.Close)
	return m
}

// Models that write text, arguments or the name of a tool without end, and a page of 5 kB that
// unpacks to 5 MB of brackets, are met by two replicas of 1 GiB on one database, on Slack and on
// Discord. Each question ends with a sentence, and both replicas go on.
func TestEndlessModelsAndPagesInLittleMemory(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{NoTiers: true})
	t.Cleanup(slack.Close)
	discord, err := discordtest.New(discordtest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = discord.Close() })
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/markdown")
		w.Header().Set("Content-Encoding", "gzip")
		zip := gzip.NewWriter(w)
		_, _ = io.WriteString(zip, strings.Repeat("[", 5<<20)) // the caller may read less
		_ = zip.Close()
	}))
	t.Cleanup(site.Close)
	model := newEndlessModel(t, site.URL)
	binary, memory := inAGibibyte(t)
	p := newProgram(t, socketSettings(slack, "OPENAI_BASE_URL="+model.front.URL+"/v1", "DISCORD_BOT_TOKEN="+discord.Token(), "DISCORD_API_URL="+discord.URL(),
		"OPEN_URL_PRIVATE_HOSTS=127.0.0.1", memory)...)
	alice, guild := slack.Person("alice", nil), discord.AddGuild("Guild")
	talks := []footnotetest.Talk{
		footnotetest.InSlack{Server: slack, Person: alice, Room: slack.Channel("room", nil, alice)},
		footnotetest.InDiscord{Server: discord, Person: guild.AddPerson("bob", false), Room: guild.AddText("room")},
	}
	replicas := []*footnotetest.Replica{
		footnotetest.Serve(t, binary, footnotetest.Environment(p.env...)), footnotetest.Serve(t, binary, footnotetest.Environment(p.env...)),
	}
	for _, r := range replicas {
		r.Ready()
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	done := func(in footnotetest.Talk, root string) func() bool {
		return func() bool {
			posts := in.Shows(root)
			return len(posts) > 0 && !slices.ContainsFunc(posts, func(p footnotetest.Post) bool { return p.Writing })
		}
	}
	for _, in := range talks {
		for _, attack := range []string{"endless text", "endless arguments", "endless name", "What does the page of brackets at " + site.URL + "/a.md say?"} {
			var roots []string
			for range 2 {
				roots = append(roots, in.Begin(attack))
			}
			for _, root := range roots {
				if err := in.Until(ctx, done(in, root)); err != nil {
					t.Fatalf("%s: %q has no end: %v\n%v", in, attack, err, in.Shows(root))
				}
			}
		}
		root := in.Begin("and now?")
		if err := in.Until(ctx, func() bool {
			return slices.ContainsFunc(in.Shows(root), func(p footnotetest.Post) bool { return !p.Writing && strings.Contains(p.Text, ending) })
		}); err != nil {
			t.Fatalf("%s: the next question has no answer: %v\n%v", in, err, in.Shows(root))
		}
	}
	for _, r := range replicas {
		if peak := peakOf(t, r.PID()); peak >= gibibyte>>20 {
			t.Errorf("a container of 1 GiB would have ended a replica at %d MiB", peak)
		}
		r.End(syscall.SIGTERM)
	}
}

// packed writes a text many times over, gzipped, as long as it is read.
func packed(w http.ResponseWriter, before, piece string, times int) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Encoding", "gzip")
	zip := gzip.NewWriter(w)
	_, err := io.WriteString(zip, before)
	for i := 0; i < times && err == nil; i++ {
		_, err = io.WriteString(zip, piece)
	}
	_ = zip.Close() // the caller may have gone away
}

// A source and a search engine that answer with 32 and 240 MB of empty elements end no command of 1
// GiB: each says in a sentence what is wrong.
func TestBombsOfServersInLittleMemory(t *testing.T) {
	t.Parallel()
	binary, memory := inAGibibyte(t)
	command := func(t *testing.T, p *program, args ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		c := p.with(memory).command(ctx, args...)
		c.Path = binary
		out, err := c.CombinedOutput()
		if code := c.ProcessState.ExitCode(); code != 0 && code != 1 || strings.Contains(string(out), "goroutine ") {
			t.Fatalf("%v: %v\n%.4000s", args, err, out)
		}
		return string(out)
	}
	t.Run("Jira", func(t *testing.T) {
		t.Parallel()
		site := jiratest.NewServer(t, jiratest.NewWorld(), true)
		eng := site.Project("ENG", jiratest.Holder{Type: "applicationRole"})
		site.Issue(eng, "Toner", "The spare toner cartridges are kept in the blue cupboard.")
		file := filepath.Join(t.TempDir(), "footnote.yaml")
		p := newProgram(t, "FOOTNOTE_CONFIG="+file, "ALLOW_PRIVATE_HOSTS=127.0.0.1", "JIRA_EMAIL="+site.Bot.Email, "JIRA_TOKEN="+site.Token)
		p.run(t, "sources", "add", "jira", "--url", site.URL, "--deployment", "cloud", "--name", "issues")
		site.Intercept(func(w http.ResponseWriter, _ *http.Request, _ http.HandlerFunc) {
			packed(w, "[", strings.Repeat("{},", 10_000), 1100)
		})
		if said := command(t, p, "index"); !strings.Contains(said, "Jira") {
			t.Errorf("it says:\n%s", said)
		}
		if said := command(t, p, "sources", "check"); !strings.Contains(said, "Jira") {
			t.Errorf("it says:\n%s", said)
		}
	})
	t.Run("OpenSearch", func(t *testing.T) {
		t.Parallel()
		engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			packed(w, `{"responses":[`, strings.Repeat("{},", 10_000), 8000)
		}))
		t.Cleanup(engine.Close)
		p := newProgram(t, "INDEX_URL=opensearch://me:hunter2@"+strings.TrimPrefix(engine.URL, "http://")+"/footnote?tls=off")
		docs := t.TempDir()
		if err := os.WriteFile(filepath.Join(docs, "a.md"), []byte("Toner is in the blue cupboard."), 0o600); err != nil {
			t.Fatal(err)
		}
		p.run(t, "index", docs)
		for _, args := range [][]string{{"search", "toner"}, {"engine", "move"}, {"engine", "rebuild"}, {"engine"}, {"doctor"}} {
			if said := command(t, p, args...); said == "" || strings.Contains(said, "hunter2") {
				t.Errorf("%v says %q", args, said)
			}
		}
	})
}
