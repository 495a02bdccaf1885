package main_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/confluence/confluencetest"
	"github.com/footnotehq/footnote/adapters/git/gittest"
	"github.com/footnotehq/footnote/adapters/github/githubtest"
	"github.com/footnotehq/footnote/adapters/jira/jiratest"
	"github.com/footnotehq/footnote/adapters/postgres/jobs"
	"github.com/footnotehq/footnote/core/access"
)

// readsAgain has one of the replicas read the documents, and waits for the end of that.
func (r *replicas) readsAgain() {
	r.Helper()
	var now time.Time
	if err := r.db.Pool.QueryRow(r.Context(), `select clock_timestamp()`).Scan(&now); err != nil {
		r.Fatal(err)
	}
	client, err := jobs.New(r.db, nil, jobs.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		r.Fatal(err)
	}
	job := jobs.Job{Kind: jobs.Sync, Tenant: access.DefaultTenant, Subject: r.source()}
	r.until("the documents are read again", func() bool {
		if err := client.Enqueue(r.Context(), job); err != nil {
			r.Fatal(err)
		}
		var done bool
		if err := r.db.Pool.QueryRow(r.Context(), `select (last_run->>'StartedAt')::timestamptz > $1
			and (last_run->>'FinishedAt')::timestamptz > $1 from source`, now).Scan(&done); err != nil {
			r.Fatal(err)
		}
		return done
	})
}

// until waits until something holds.
func (r *replicas) until(what string, holds func() bool) {
	r.Helper()
	deadline := time.Now().Add(time.Minute)
	for tick := time.NewTicker(100 * time.Millisecond); !holds(); <-tick.C {
		if time.Now().After(deadline) {
			r.Fatalf("it does not happen that %s\n%s\n%s", what, r.logs[0], r.logs[1])
		}
	}
}

// number is what a query of the database returns.
func (r *replicas) number(query string) (n int) {
	r.Helper()
	if err := r.db.Pool.QueryRow(r.Context(), query).Scan(&n); err != nil {
		r.Fatal(err)
	}
	return n
}

// A look at all issues of GitHub whose second page repeats its cursor, or that ends early without
// an error, removes nothing, and a notice says so.
func TestIncompleteListRemovesNothing(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(info map[string]any, after any){
		"the second page repeats its cursor": func(info map[string]any, after any) {
			if after != nil {
				info["hasNextPage"], info["endCursor"] = true, after
			}
		},
		"the list ends after its first page": func(info map[string]any, _ any) { info["hasNextPage"] = false },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			world := githubtest.NewWorld()
			hub := githubtest.NewServer(t, world)
			acme, ada := world.Org("acme", "none"), world.User("ada")
			app := world.Repo(acme, "app", githubtest.Private)
			for i := range 249 {
				world.Open(app, "issue", fmt.Sprintf("Buoy %d", i), "It is dark.", ada)
			}
			world.Pass(time.Hour) // what is new is read again, and counts as there
			world.Open(app, "issue", "Pier", "It is dark.", ada)
			r := serveTwice(t, "sources:\n  code: {every: 1d, github: {organization: acme, url: '"+hub.URL+"', wiki: false}}\n",
				"GITHUB_TOKEN="+hub.Token, "CA_FILE="+hub.CAFile, "XDG_CACHE_HOME="+t.TempDir())
			stored := func() int { return r.number(`select count(*) from document`) }
			if stored() != 250 {
				t.Fatalf("%d issues are indexed", stored())
			}
			hub.Intercept(func(w http.ResponseWriter, q *http.Request, fake http.HandlerFunc) { spoilLook(w, q, fake, spoil) })
			world.DeleteThread(app, app.Threads[0]) // one fewer has all of them looked at
			r.readsAgain()
			if stored() != 250 {
				t.Errorf("%d of 250 issues are left", stored())
			}
			if says := r.run(t, "sources", "--failures"); !strings.Contains(says.stdout, "acme/app") {
				t.Errorf("no notice says so:\n%s", says.stdout)
			}
			hub.Intercept(nil)
			r.until("the deleted issue is removed once the list is whole", func() bool {
				r.readsAgain()
				return stored() == 249
			})
		})
	}
}

// spoilLook answers as GitHub does, but for where the list of all issues goes on.
func spoilLook(w http.ResponseWriter, q *http.Request, fake http.HandlerFunc, spoil func(info map[string]any, after any)) {
	asked, err := io.ReadAll(q.Body)
	q.Body = io.NopCloser(bytes.NewReader(asked))
	if err != nil || !bytes.Contains(asked, []byte("query AllIssues")) {
		fake(w, q)
		return
	}
	answer := httptest.NewRecorder()
	fake(answer, q)
	var in struct{ Variables map[string]any }
	var out struct {
		Data struct {
			Node struct {
				Found map[string]any `json:"found"`
			} `json:"node"`
		} `json:"data"`
	}
	if json.Unmarshal(asked, &in) != nil || json.Unmarshal(answer.Body.Bytes(), &out) != nil {
		http.Error(w, "not a list of issues", http.StatusBadGateway)
		return
	}
	if info, is := out.Data.Node.Found["pageInfo"].(map[string]any); is {
		spoil(info, in.Variables["after"])
	}
	_ = json.NewEncoder(w).Encode(out)
}

// A deleted issue of Jira, which sends no webhooks, is shown no longer than sources check says.
func TestDeletedIssueIsShownAsLongAsIsSaid(t *testing.T) {
	t.Parallel()
	site := jiratest.NewServer(t, jiratest.NewWorld(), true)
	site.User("ada")
	eng := site.Project("ENG", jiratest.Holder{Type: "applicationRole"})
	issue, stays := site.Issue(eng, "Toner", "It is in the cupboard."), site.Issue(eng, "Rota", "Ada cleans on Mondays.")
	r := serveTwice(t, "identity: {domains: [example.com]}\nsources:\n  issues: {jira: {url: '"+site.URL+"', deployment: cloud, managed_domains: [example.com]}}\n",
		"JIRA_EMAIL="+site.Bot.Email, "JIRA_TOKEN="+site.Token)
	id, other := "jira-issues:"+issue.ID, "jira-issues:"+stays.ID
	// Whether one of its people is matched is not the question here, so that the exit code is not.
	if r := r.try(t, "", "sources", "check"); !strings.Contains(r.stdout, "what is deleted is shown for 35m at most\n") {
		t.Errorf("checking says:\n%s%s", r.stdout, r.stderr)
	}
	lookedAt := func(ago string) { // at all issues of the project
		t.Helper()
		if _, err := r.db.Pool.Exec(t.Context(), `update source_note set value = convert_to(regexp_replace(convert_from(value, 'UTF8'), '"d":\d+',
			'"d":' || (extract(epoch from now() - $1::interval) * 1000000)::bigint), 'UTF8') where key like 'list/%'`, ago); err != nil {
			t.Fatal(err)
		}
	}
	site.Delete(issue)
	r.readsAgain()
	if !r.shows(id, "ada") {
		t.Error("the issue went before all of them were looked at: the bound that is said is too long")
	}
	r.until("the deleted issue goes 30 minutes after the last look", func() bool {
		lookedAt("31 minutes") // again: a run under way writes its own
		r.readsAgain()
		return !r.shows(id, "ada")
	})
	if !r.shows(other, "ada") {
		t.Error("the issue next to it is not shown any more")
	}
}

// What GitHub's webhook says was deleted goes at once, whichever replica hears of it, although
// everything is looked at once a day only.
func TestDeletedIssueGoesByWebhook(t *testing.T) {
	t.Parallel()
	world := githubtest.NewWorld()
	hub := githubtest.NewServer(t, world)
	acme, ada := world.Org("acme", "none"), world.User("ada")
	app := world.Repo(acme, "app", githubtest.Private)
	for i := range 3 {
		world.Open(app, "issue", fmt.Sprintf("Buoy %d", i), "It is dark.", ada)
	}
	r := serveTwice(t, "sources:\n  code: {every: 1d, github: {organization: acme, url: '"+hub.URL+"', wiki: false}}\n",
		"GITHUB_TOKEN="+hub.Token, "CA_FILE="+hub.CAFile, "XDG_CACHE_HOME="+t.TempDir(), "GITHUB_WEBHOOK_SECRET=secret")
	if says := r.try(t, "", "sources", "check"); !strings.Contains(says.stdout, "what is deleted is shown for 24h at most; webhooks tell of it within seconds\n") {
		t.Errorf("checking says:\n%s%s", says.stdout, says.stderr)
	}
	gone := app.Threads[0]
	world.DeleteThread(app, gone)
	body := fmt.Sprintf(`{"action": "deleted", "issue": {"number": %d}, "repository": {"id": %d}}`, gone.Number, app.ID)
	mac := hmac.New(sha256.New, []byte("secret"))
	mac.Write([]byte(body))
	r.until("the webhook is taken", func() bool {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+r.hooks[1]+"/hooks/default/github-code", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
		request.Header.Set("X-Github-Event", "issues")
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return false // it does not listen yet
		}
		return answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	})
	r.until("the deleted issue goes", func() bool { return r.number(`select count(*) from document`) == 2 })
}

// A run of permissions climbs the restricted pages of all spaces together, whichever replica makes
// it.
func TestPermissionsOfManySpacesAreReadTogether(t *testing.T) {
	t.Parallel()
	const spaces, deep = 8, 5
	wiki := confluencetest.NewServer(t, confluencetest.NewWorld(), true)
	ada := wiki.User("ada")
	for i := range spaces {
		in := wiki.Space(fmt.Sprintf("S%d", i), wiki.Site[0])
		var page *confluencetest.Content
		for range deep {
			page = wiki.Page(in, page, "Page", "<p>The toner is in the cupboard.</p>")
		}
		wiki.Do(func() { page.Read = []confluencetest.Subject{ada, wiki.Bot} })
	}
	r := serveTwice(t, "identity: {domains: [example.com]}\nsources:\n  wiki: {every: 1d, confluence: {url: '"+wiki.URL+"', deployment: cloud, managed_domains: [example.com]}}\n",
		"CONFLUENCE_EMAIL="+wiki.Bot.Email, "CONFLUENCE_TOKEN="+wiki.Token)
	mark := wiki.Mark()
	r.looksAgain()
	runs, climbs := wiki.Counts(mark, "GET /wiki/api/v2/spaces?"), wiki.Counts(mark, "GET /wiki/api/v2/pages?")
	if runs == 0 || climbs == 0 || climbs > runs*deep {
		t.Errorf("%d runs ask %d times for pages above others, want at most %d times each", runs, climbs, deep)
	}
}

// The total of a run counts files and wikis, so that progress is no larger than it.
func TestProgressCountsFiles(t *testing.T) {
	t.Parallel()
	world := githubtest.NewWorld()
	hub := githubtest.NewServer(t, world)
	acme, ada := world.Org("acme", "none"), world.User("ada")
	app := world.Repo(acme, "app", githubtest.Private)
	app.Git = gittest.New(t)
	world.Push(app, map[string][]byte{"a.md": []byte("# A\n\nOne buoy."), "b.md": []byte("# B\n\nTwo buoys."), "c.md": []byte("# C\n\nThree.")})
	world.Open(app, "issue", "Buoy", "It is dark.", ada)
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(file, []byte("sources:\n  code: {github: {organization: acme, url: '"+hub.URL+"', wiki: false, files: ['*.md']}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, "FOOTNOTE_CONFIG="+file, "ALLOW_PRIVATE_HOSTS=127.0.0.1", "GITHUB_TOKEN="+hub.Token, "CA_FILE="+hub.CAFile, "XDG_CACHE_HOME="+t.TempDir())
	if says := p.run(t, "index"); !strings.Contains(says.stderr, "code: documents: 4 indexed") {
		t.Fatalf("indexing says:\n%s", says.stderr)
	}
	var total int
	if err := database(t, p).Pool.QueryRow(t.Context(), `select (last_run->'Counts'->>'Total')::int from source`).Scan(&total); err != nil || total < 4 {
		t.Errorf("the run read 4 of %d documents, %v", total, err)
	}
}

// What a first credential lacks is said when the source is added, and not when it is indexed.
func TestFirstCredentialsAreTried(t *testing.T) {
	t.Parallel()
	wiki := confluencetest.NewServer(t, confluencetest.NewWorld(), true)
	wiki.Page(wiki.Space("ENG", wiki.Site[0]), nil, "Printer", "<p>The toner is in the cupboard.</p>")
	p := newProgram(t, "FOOTNOTE_CONFIG="+filepath.Join(t.TempDir(), "footnote.yaml"), "ALLOW_PRIVATE_HOSTS=127.0.0.1",
		"CONFLUENCE_EMAIL="+wiki.Bot.Email, "CONFLUENCE_TOKEN="+wiki.Token)
	add := []string{"sources", "add", "confluence", "--url", wiki.URL, "--deployment", "cloud", "--managed-domains", "example.com"}
	for path, scope := range map[string]string{
		"v2/pages": "read:page:confluence", "content/search": "read:content-details:confluence", "/restriction/": "read:content-details:confluence",
	} {
		wiki.Intercept(func(w http.ResponseWriter, q *http.Request, fake http.HandlerFunc) {
			if strings.Contains(q.URL.Path, path) {
				w.WriteHeader(http.StatusUnauthorized)
				_, _ = io.WriteString(w, `{"code":401,"message":"Unauthorized; scope does not match"}`)
				return
			}
			fake(w, q)
		})
		if says := p.run(t, append(add, "--name", fmt.Sprintf("wiki%d", len(path)))...); !strings.Contains(says.stderr, "the token lacks the scope "+scope) {
			t.Errorf("without %s:\n%s", scope, says.stderr)
		}
	}

	world := githubtest.NewWorld()
	hub := githubtest.NewServer(t, world)
	world.Org("acme", "none")
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	hub.Key = &key.PublicKey
	world.Do(func() { world.Time = time.Now() })
	file := filepath.Join(t.TempDir(), "app.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}), 0o600); err != nil {
		t.Fatal(err)
	}
	p = p.with("CA_FILE="+hub.CAFile, "GITHUB_APP_ID=7", "GITHUB_APP_KEY_FILE="+file, "GITHUB_APP_INSTALLATION_ID=71")
	if says := p.try(t, "", "sources", "add", "github", "--organization", "acme", "--url", hub.URL); says.code != 1 ||
		!strings.Contains(says.stderr, "GITHUB_APP_INSTALLATION_ID") || strings.Contains(says.stderr, "name of the organisation") {
		t.Errorf("with a wrong installation: exit code %d\n%s", says.code, says.stderr)
	}
}
