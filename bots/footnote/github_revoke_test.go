package main_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/github/githubtest"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/footnote/footnotetest"
	"github.com/footnotehq/footnote/core/access"
)

// A right that is taken away at GitHub is gone here as soon as a webhook tells of it, or else with
// the next look at who may read; and so is everybody's when a repository is deleted, or the
// credential is revoked.
func TestARevocationAtGitHubIsSeen(t *testing.T) {
	t.Parallel()
	addr := footnotetest.FreeAddress(t)
	slack := slacktest.Start(slacktest.Config{EventsURL: "http://" + addr + "/slack/events", Redeliver: []time.Duration{}})
	t.Cleanup(slack.Close)
	world := githubtest.NewWorld()
	hub := githubtest.NewServer(t, world)
	acme, ada, bob := world.Org("acme", "none"), world.User("ada"), world.User("bob")
	world.Do(func() {
		acme.HasSSO, acme.Member[ada], acme.Owners[ada], acme.Member[bob] = true, true, true, true
		ada.SAML, bob.SAML = "ada@acme.example", "bob@acme.example"
	})
	var repos []*githubtest.Repo
	for i := range 60 {
		r := world.Repo(acme, fmt.Sprintf("r%d", i), githubtest.Private)
		world.Do(func() { r.Direct[bob] = "read" })
		world.Open(r, "issue", "The printer is loud", "It hums all day long.", ada)
		repos = append(repos, r)
	}
	app := repos[59]
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(file, []byte("sources:\n  code: {github: {organization: acme, url: '"+hub.URL+"'}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, "FOOTNOTE_CONFIG="+file, "GITHUB_TOKEN="+hub.Token, "CA_FILE="+hub.CAFile, "ALLOW_PRIVATE_HOSTS=127.0.0.1", "XDG_CACHE_HOME="+t.TempDir(),
		"GITHUB_WEBHOOK_SECRET=secret", "SLACK_BOT_TOKEN="+slacktest.BotToken, "SLACK_SIGNING_SECRET="+slacktest.SigningSecret, "SLACK_API_URL="+slack.URL(), "HTTP_ADDR="+addr)
	p.run(t, "index")
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s, db := serve(t, p), database(t, p)
	defer s.stop(t)
	store := pgaccess.New(db)
	holds := func(name string, r *githubtest.Repo) bool {
		t.Helper()
		who := access.Account{Workspace: access.Workspace{Platform: "slack", ID: "T1"}, ID: "U" + name, Email: name + "@acme.example", Full: true}
		held, err := store.Common(ctx, access.DefaultTenant, []access.Listener{{Account: who}}, []string{"acme.example"})
		if err != nil {
			t.Fatal(err)
		}
		group := access.SourceGroup("github-code", "repo", fmt.Sprint(r.ID))
		return slices.ContainsFunc(held, func(h access.Held) bool { return h.Principal == group })
	}
	until := func(what string, is bool, name string, r *githubtest.Repo) time.Duration {
		t.Helper()
		began := time.Now()
		for tick := time.NewTicker(5 * time.Millisecond); holds(name, r) != is; <-tick.C {
			if ctx.Err() != nil {
				t.Fatalf("%s: it is not seen\n%s", what, s.log)
			}
		}
		t.Logf("%s: seen after %s", what, time.Since(began).Round(time.Millisecond))
		return time.Since(began)
	}
	tell := func(event, body string) {
		t.Helper()
		mac := hmac.New(sha256.New, []byte("secret"))
		mac.Write([]byte(body))
		for tick := time.NewTicker(20 * time.Millisecond); ; <-tick.C {
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/hooks/default/github-code", bytes.NewReader([]byte(body)))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
			request.Header.Set("X-Github-Event", event)
			answer, err := http.DefaultClient.Do(request)
			if err != nil && ctx.Err() == nil {
				continue // it does not listen yet
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, s.log)
			}
			if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK {
				t.Fatalf("a webhook is answered %s, %v\n%s", answer.Status, err, s.log)
			}
			return
		}
	}
	if !holds("bob", app) || holds("bob", world.Repo(acme, "other", githubtest.Private)) {
		t.Fatalf("after the first look bob holds %v", holds("bob", app))
	}
	world.Do(func() { delete(app.Direct, bob) })
	tell("member", fmt.Sprintf(`{"action": "removed", "repository": {"id": %d}}`, app.ID))
	until("a right, by a webhook", false, "bob", app)

	world.Do(func() { delete(repos[3].Direct, bob) })
	began := time.Now()
	looks := 0
	for holds("bob", repos[3]) { // a look that goes on where another ended finds what changed before with the one after
		if looks++; looks > 5 {
			t.Fatalf("a right that was taken away counts after %d looks\n%s", looks, s.log)
		}
		p.run(t, "index")
	}
	if !holds("ada", repos[3]) {
		t.Error("who may read it holds nothing any more")
	}
	t.Logf("a right, by %d looks: %s for 61 repositories, with the start of programs", looks, time.Since(began).Round(time.Millisecond))

	hub.Revoke(true)
	tell("installation", `{"action": "deleted"}`)
	until("everything, by a revoked credential", false, "ada", repos[4])
}
