package main_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/github/githubtest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
)

// The way of deploy/docs/sources.md, from a GitHub organisation and a Slack workspace to the first
// answer that cites an issue, with its commands: who may read the repository is answered, who may
// not is not, and a webhook is taken where it is signed.
func TestFromGitHubAndSlackToTheFirstAnswer(t *testing.T) {
	t.Parallel()
	slack := slacktest.Start(slacktest.Config{NoTiers: true})
	t.Cleanup(slack.Close)
	ada, eve := slack.Person("ada", nil), slack.Person("eve", nil)
	slack.Channel("general", nil, ada, eve)
	world := githubtest.NewWorld()
	hub := githubtest.NewServer(t, world)
	acme, reader := world.Org("acme", "none"), world.User("ada-l")
	app := world.Repo(acme, "app", githubtest.Private)
	world.Do(func() {
		reader.Verified = []string{"ada@example.com"}
		acme.Member[reader] = true
		app.Direct[reader] = "read"
	})
	world.Say(world.Open(app, "issue", "The printer hums", "The printer on the second floor hums all day long.", reader), reader,
		"The printer hums because its fan is loose; tighten the screw behind the flap.")

	file, addr := filepath.Join(t.TempDir(), "footnote.yaml"), footnotetest.FreeAddress(t)
	const secret = "a-long-random-secret"
	p := newProgram(t, socketSettings(slack, "FOOTNOTE_CONFIG="+file, "GITHUB_TOKEN="+hub.Token, "CA_FILE="+hub.CAFile, "ALLOW_PRIVATE_HOSTS=127.0.0.1",
		"XDG_CACHE_HOME="+t.TempDir(), "GITHUB_WEBHOOK_SECRET="+secret, "HTTP_ADDR="+addr)...)
	p.run(t, "sources", "add", "github", "--organization", "acme", "--url", hub.URL, "--wiki=false")
	p.run(t, "index")
	added, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(added, "identity:\n  domains: [example.com]\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, p)
	defer s.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s.inSlack(ctx, t, slack)
	ask := func(who *slacktest.Person) string {
		t.Helper()
		room, at := who.DM("", "Is the fan of the printer loose?")
		if err := slack.Wait(ctx, "an answer", func() bool {
			a := slack.Answers(room, at)
			return len(a) > 0 && !a[0].Streaming && (strings.Contains(a[0].Shown(), "Sources") || strings.Contains(a[0].Shown(), "I found nothing about this") || strings.Contains(string(a[0].Blocks), "footnote:up"))
		}); err != nil {
			t.Fatalf("%v\n%s", err, s.log)
		}
		return slack.Answers(room, at)[0].Shown()
	}
	for answer := ""; !strings.Contains(answer, "its fan is loose"); { // until the workspace's people are known
		if answer = ask(ada); ctx.Err() != nil {
			t.Fatalf("she is answered %q\n%s\n%s", answer, p.run(t, "people").stdout, s.log)
		}
		if strings.Contains(answer, "its fan is loose") && !strings.Contains(answer, "/acme/app/issues/1") {
			t.Errorf("the answer does not lead to the issue: %s", answer)
		}
	}
	if answer := ask(eve); strings.Contains(answer, "fan is loose") {
		t.Errorf("somebody who may not read the repository is told %s", answer)
	}
	if r := p.run(t, "people"); !strings.Contains(r.stdout, "matched") || !strings.Contains(r.stdout, ada.ID) {
		t.Errorf("people are listed as\n%s", r.stdout)
	}
	if r := p.run(t, "sources"); !strings.Contains(r.stdout, "1 of 1") {
		t.Errorf("sources are listed as\n%s", r.stdout)
	}

	body := fmt.Sprintf(`{"action":"removed","repository":{"id":%d}}`, app.ID)
	if status := webhook(ctx, t, addr, "another secret", body); status != http.StatusUnauthorized {
		t.Errorf("a webhook with another secret: %d", status)
	}
	world.Do(func() { delete(app.Direct, reader) })
	if status := webhook(ctx, t, addr, secret, body); status != http.StatusOK {
		t.Errorf("a webhook: %d\n%s", status, s.log)
	}
	for answer := "fan is loose"; strings.Contains(answer, "fan is loose"); {
		if answer = ask(ada); ctx.Err() != nil {
			t.Fatalf("somebody who may not read the repository any more is told %s\n%s", answer, s.log)
		}
	}
}

// webhook sends what GitHub sends when somebody's right is taken away.
func webhook(ctx context.Context, t *testing.T, addr, secret, body string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/hooks/default/github-acme", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	req.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	req.Header.Set("X-GitHub-Event", "member")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}
