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

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/adapters/git/gittest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// quarterDays are a day in the quarter before this one, and one in this.
func quarterDays() (last, this string) {
	now := time.Now()
	begin := time.Date(now.Year(), (now.Month()-1)/3*3+1, 1, 12, 0, 0, 0, time.UTC)
	return begin.AddDate(0, -2, 3).Format(time.DateOnly), begin.Format(time.DateOnly)
}

// knowledgeBase is where readers find the files of the repository; its commits stand beside them.
const knowledgeBase = "https://git.example/acme/kb/blob/main/"

// knowledgeRepository is a repository with a CODEOWNERS file, pages that say whose they are, and
// issues as files.
func knowledgeRepository(t *testing.T) *gittest.Server {
	last, this := quarterDays()
	s := gittest.New(t)
	defer func() {
		for _, c := range []struct{ day, name, mail, subject, file string }{
			{last, "Ann Lee", "ann@acme.example", "Say how long refunds take", "docs/billing/refunds.md"}, {this, "Bo Chen", "bo@acme.example", "Explain chargebacks", "docs/billing/chargebacks.md"},
		} {
			at, err := time.Parse(time.DateOnly, c.day)
			if err != nil {
				t.Fatal(err)
			}
			s.At(at.Add(12 * time.Hour))
			s.By(c.name, c.mail)
			s.Commit(c.subject, map[string][]byte{c.file: []byte("---\nauthor: Ann Lee\n---\n# " + strings.ToUpper(c.file[13:14]) + c.file[14:len(c.file)-4] + " rules\n\nThey are paid within five days.\n")})
		}
	}()
	s.Commit("first", map[string][]byte{
		".github/CODEOWNERS":      []byte("*  @acme/everybody\n/docs/billing/  @acme/payments ann@acme.example\n"),
		"docs/billing/refunds.md": []byte("---\nauthor: Ann Lee\n---\n# Refund rules\n\nRefunds are paid within five days.\n"),
		"docs/backup-2025.md":     []byte("# Backup policy 2025\n\nTapes are kept for a year.\n"),
		"docs/backup.md":          []byte("---\nsupersedes: Backup policy 2025\nowner: Infrastructure team\ndepends_on: [Tape robot, Object store]\n---\n# Backup policy\n\nSnapshots are kept for ninety days, also of [what was paid back](billing/refunds.md#top).\n"),
		"issues/OPS-12.md":        []byte(fmt.Sprintf("---\nteam: Infrastructure\nassignee: Bo Chen\ndate: %s\n---\n# Move the cluster to new racks\n\nThe racks in hall two are empty.\n", last)),
		"issues/OPS-13.md":        []byte(fmt.Sprintf("---\nteam: Infrastructure\ndate: %s\n---\n# Renew the certificates of the proxies\n\nThey end in spring.\n", this)),
		"issues/PAY-1.md":         []byte(fmt.Sprintf("---\nteam: Payments\ndate: %s\n---\n# Pay out in Swiss francs\n\nCustomers in Zürich want it.\n", last)),
	})
	return s
}

// Without a model, questions about who does what are answered from a repository's owners, pages and
// issues, each statement with the page that makes it.
func TestQuestionsAboutWhoDoesWhat(t *testing.T) {
	t.Parallel()
	s := knowledgeRepository(t)
	p := newProgram(t, "CA_FILE="+s.CAFile, "ALLOW_PRIVATE_HOSTS=127.0.0.1", "XDG_CACHE_HOME="+t.TempDir())
	if r := p.try(t, "", "index", t.TempDir(), "--commits"); r.code != 2 || !strings.Contains(r.stderr, "ends in .git") {
		t.Errorf("commits of a folder: %d\n%s", r.code, r.stderr)
	}
	for _, flags := range [][]string{nil, {"--commits"}} { // it is no site
		plain := append([]string{"index", strings.Replace(s.URL, "https:", "http:", 1)}, flags...)
		if r := p.try(t, "", plain...); r.code == 0 || !strings.Contains(r.stderr, "repositories are read over https: write "+s.URL) {
			t.Errorf("over http, with %v: %d\n%s", flags, r.code, r.stderr)
		}
	}
	p.run(t, "index", s.URL, "--commits", "--base-url", knowledgeBase)
	for question, want := range map[string]struct {
		says, not []string
		cites     string
	}{
		"Who owns the refund rules?":                               {[]string{"@acme/payments owns /docs/billing/", "ann@acme.example owns"}, []string{"everybody"}, ".github/CODEOWNERS"},
		"Who is responsible for docs/billing?":                     {[]string{"@acme/payments owns /docs/billing/"}, nil, ".github/CODEOWNERS"},
		"who owns the backup policy":                               {[]string{"Infrastructure team owns “Backup policy”"}, nil, "docs/backup.md"},
		"What did the infrastructure team work on last quarter?":   {[]string{"“Move the cluster to new racks”"}, []string{"certificates", "francs"}, "issues/OPS-12.md"},
		"What is the infrastructure team working on this quarter?": {[]string{"“Renew the certificates of the proxies”"}, []string{"racks"}, "issues/OPS-13.md"},
		"Who worked on \"Move the cluster to new racks\"?":         {[]string{"Bo Chen works on"}, nil, "issues/OPS-12.md"},
		"What replaced the Backup policy 2025?":                    {[]string{"“Backup policy” replaces “Backup policy 2025”"}, nil, "docs/backup.md"},
		"Who wrote the refund rules?":                              {[]string{"Ann Lee wrote “Refund rules”"}, nil, "docs/billing/refunds.md"},
		"Who worked on docs/billing last quarter?":                 {[]string{"Ann Lee works on docs/billing/"}, []string{"Bo"}, "../../commit/"},
		"Who is working on the chargeback rules?":                  {[]string{"Bo Chen works on docs/billing/chargebacks.md"}, []string{"Ann Lee works"}, "../../commit/"},
		"What did Ann Lee work on last quarter?":                   {[]string{"Ann Lee wrote “Say how long refunds take”"}, []string{"hargeback", "works on"}, "../../commit/"},
		"Who owns docs/backup.md?":                                 {[]string{"Infrastructure team owns “Backup policy”"}, nil, "docs/backup.md"},
		"What does the infrastructure team own?":                   {[]string{"Infrastructure team owns “Backup policy”"}, nil, "docs/backup.md"},
		"What does the Backup policy replace?":                     {[]string{"“Backup policy” replaces “Backup policy 2025”"}, nil, "docs/backup.md"},
		"What depends on the tape robot?":                          {[]string{"“Backup policy” depends on Tape robot"}, []string{"Object"}, "docs/backup.md"},
		"What links to the refund rules?":                          {[]string{"“Backup policy” links to “Refund rules”"}, nil, "docs/backup.md"},
		"Who knows most about docs/billing?":                       {[]string{"@acme/payments owns /docs/billing/", "Ann Lee works on docs/billing/", "Bo Chen works on docs/billing/"}, nil, ".github/CODEOWNERS"},
		"What has Bo Chen done since last quarter?":                {[]string{"Bo Chen wrote “Explain chargebacks”", "“Move the cluster to new racks”"}, []string{"refunds"}, "../../commit/"},
		"Who is Bo Chen?":                                          {[]string{"Bo Chen works on “Move the cluster to new racks”"}, []string{"Ann Lee works"}, "../../commit/"},
		"Wem gehört die Backup policy?":                            {[]string{"Infrastructure team owns “Backup policy”"}, nil, "docs/backup.md"},
		"Who owns the moon?":                                       {nil, []string{"owns /docs"}, ""},
	} {
		got := jsonOf[answered](t, p.run(t, "ask", "--json", question))
		for _, says := range want.says {
			if !strings.Contains(got.Answer, says) {
				t.Errorf("%s\nthe answer lacks %q: %+v", question, says, got)
			}
		}
		for _, not := range want.not {
			if strings.Contains(got.Answer, not) {
				t.Errorf("%s\nthe answer holds %q: %+v", question, not, got)
			}
		}
		if want.cites != "" && (got.Outcome != "answered" || len(got.Citations) == 0 || !strings.HasPrefix(got.Citations[0].URL, strings.Replace(knowledgeBase+want.cites, "blob/main/../../", "", 1))) {
			t.Errorf("%s\nthe answer does not cite %s: %+v", question, want.cites, got)
		}
	}
}

// The operator sees what is known, and says which things are one; what documents say meanwhile
// stays theirs.
func TestOperatorsSayWhatIsOne(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.md", "---\nauthor: Ann Lee\n---\n# Alpha plan\n\nText.\n")
	write("b.md", "---\nowner: ann@acme.example\n---\n# Beta plan\n\nIt goes on where the Alpha plan ends.\n")
	p.run(t, "index", dir)
	if r := p.run(t, "knowledge"); !strings.Contains(r.stdout, "person") || !strings.Contains(r.stdout, "Documents read") {
		t.Errorf("the status is\n%s", r.stdout)
	}
	statements := func(name string) int {
		t.Helper()
		return len(jsonOf[struct{ Statements []struct{} }](t, p.run(t, "knowledge", "show", name, "--json")).Statements)
	}
	if one, other := statements("Ann Lee"), statements("ann@acme.example"); one != 1 || other != 1 {
		t.Errorf("%d and %d statements", one, other)
	}
	p.run(t, "knowledge", "merge", "person:ann lee", "person:ann@acme.example", "--reason", "she says so")
	if r := p.try(t, "", "knowledge", "merge", "person:ann@acme.example", "person:ann lee", "--reason", "again"); r.code == 0 || !strings.Contains(r.stderr, "already") {
		t.Errorf("merged twice: %d\n%s", r.code, r.stderr)
	}
	if r := p.try(t, "", "knowledge", "merge", "person:ann lee", "person:ann lee", "--reason", "x"); r.code == 0 || !strings.Contains(r.stderr, "same entity") {
		t.Errorf("merged with itself: %d\n%s", r.code, r.stderr)
	}
	for i := range 100 { // what is said meanwhile is said of each
		write(fmt.Sprintf("c%d.md", i), fmt.Sprintf("---\nauthor: Ann Lee\n---\n# Note %d\n\nSee the Alpha plan.\n", i))
	}
	p.run(t, "index", dir)
	if one, other := statements("Ann Lee"), statements("ann@acme.example"); one != 102 || other != 102 {
		t.Errorf("as one they have %d and %d statements", one, other)
	}
	p.run(t, "knowledge", "split", "person:ann@acme.example", "person:ann lee")
	if one, other := statements("Ann Lee"), statements("ann@acme.example"); one != 101 || other != 1 {
		t.Errorf("split again they have %d and %d statements", one, other)
	}
	// A page that gives both makes them one, and the operator keeps them two all the same.
	write("d.md", "---\nauthor: Ann Lee <ann@acme.example>\n---\n# Gamma plan\n\nText.\n")
	p.run(t, "index", dir)
	if one, other := statements("Ann Lee"), statements("ann@acme.example"); one != 103 || other != 103 {
		t.Errorf("with a page that gives both they have %d and %d statements", one, other)
	}
	if r := p.run(t, "knowledge", "show", "Ann Lee"); !strings.Contains(r.stdout, "“Gamma plan” calls ann@acme.example “Ann Lee”, and no one else has that name") {
		t.Errorf("why they are one:\n%s", r.stdout)
	}
	killedInTheMiddle(t, p, "knowledge", "split", "person:ann@acme.example", "person:ann lee")
	if one, other := statements("Ann Lee"), statements("ann@acme.example"); one != 103 || other != 103 {
		t.Errorf("split by a process that was killed they have %d and %d statements", one, other)
	}
	p.run(t, "knowledge", "split", "person:ann@acme.example", "person:ann lee")
	if one, other := statements("Ann Lee"), statements("ann@acme.example"); one != 103 || other != 2 { // one page calls the address so
		t.Errorf("kept apart they have %d and %d statements", one, other)
	}
	if r := p.try(t, "", "knowledge", "split", "person:ann lee", "person:ann@acme.example"); r.code == 0 || !strings.Contains(r.stderr, "already") {
		t.Errorf("split twice: %d\n%s", r.code, r.stderr)
	}
	if r := p.try(t, "", "knowledge", "split", "person:an lee", "person:ann@acme.example"); r.code == 0 || !strings.Contains(r.stderr, "person:an lee: no document names it") {
		t.Errorf("a misspelt name: %d\n%s", r.code, r.stderr)
	}
	if r := p.run(t, "knowledge", "merge", "person:ann lee", "person:ann@acme.example", "--reason", "x"); !strings.Contains(r.stdout, "not kept apart any more") || statements("ann@acme.example") != 103 {
		t.Errorf("not apart any more:\n%s", r.stdout)
	}
	if r := p.try(t, "", "knowledge", "merge", "ann", "person:ann lee", "--reason", "x"); r.code != 2 || !strings.Contains(r.stderr, "KIND:KEY") {
		t.Errorf("no kind: %d\n%s", r.code, r.stderr)
	}
	// Titles in older passages, and the step along them.
	got := jsonOf[struct {
		Hits []struct {
			Title  string
			Scores struct{ Knowledge float64 }
		}
	}](t, p.run(t, "search", "--json", "where does it go on"))
	if len(got.Hits) == 0 || !slices.ContainsFunc(got.Hits, func(h struct {
		Title  string
		Scores struct{ Knowledge float64 }
	}) bool {
		return h.Title == "Alpha plan" && h.Scores.Knowledge > 0
	}) {
		t.Errorf("the search found %+v", got.Hits)
	}
}

// killedInTheMiddle runs the program and kills it while it writes down that things are two: the
// table is held until it waits for it.
func killedInTheMiddle(t *testing.T, p *program, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	db := database(t, p)
	tx, err := db.Pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if _, err := tx.Exec(ctx, `lock table entity_apart in share mode`); err != nil {
		t.Fatal(err)
	}
	cmd := p.command(ctx, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	until := func(n int) {
		t.Helper()
		for again := time.NewTicker(20 * time.Millisecond); ; {
			var waiting int
			if err := db.Pool.QueryRow(ctx, `select count(*) from pg_locks where relation = 'entity_apart'::regclass and mode = 'RowExclusiveLock'`).Scan(&waiting); err != nil {
				t.Fatal(err)
			}
			if waiting == n {
				return
			}
			select {
			case <-again.C:
			case <-ctx.Done():
				t.Fatalf("%d wait for the table, want %d", waiting, n)
			}
		}
	}
	until(1)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if err := tx.Rollback(ctx); err != nil {
		t.Fatal(err)
	}
	until(0)
}

// chatQuestions are asked in chat, with what the answers hold and which page they link.
var chatQuestions = []struct{ question, says, links string }{
	{"Who owns the refund rules?", "@acme/payments owns /docs/billing/", knowledgeBase + ".github/CODEOWNERS"},
	{"What did the infrastructure team work on last quarter?", "“Move the cluster to new racks”", knowledgeBase + "issues/OPS-12.md"},
	{"Who worked on docs/billing last quarter?", "Ann Lee works on docs/billing/", "https://git.example/acme/kb/commit/"},
	{"What replaced the Backup policy 2025?", "“Backup policy” replaces “Backup policy 2025”", knowledgeBase + "docs/backup.md"},
}

func TestQuestionsAboutWhoDoesWhatInSlack(t *testing.T) {
	t.Parallel()
	repository := knowledgeRepository(t)
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	alice := slack.Person("alice", nil)
	room := slack.Channel("help", nil, alice)
	p := newProgram(t, "SLACK_BOT_TOKEN="+slacktest.BotToken, "SLACK_APP_TOKEN="+slacktest.AppToken, "SLACK_API_URL="+slack.URL(),
		"CA_FILE="+repository.CAFile, "ALLOW_PRIVATE_HOSTS=127.0.0.1", "XDG_CACHE_HOME="+t.TempDir())
	p.run(t, "index", repository.URL, "--commits", "--base-url", knowledgeBase, "--acl", "members")
	s := serve(t, p)
	defer s.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	if err := slack.Wait(ctx, "it is connected", func() bool { connected, _ := slack.Sockets(); return connected > 0 }); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	for _, q := range chatQuestions {
		root := alice.Say(room, "", slacktest.Mention()+" "+q.question)
		if err := slack.Wait(ctx, q.question, func() bool {
			a := slack.Answers(room, root)
			return len(a) == 1 && !a[0].Streaming && strings.Contains(a[0].Shown(), "git.example")
		}); err != nil {
			t.Fatalf("%v\n%+v\n%s", err, slack.Versions(), s.log)
		}
		if shown := slack.Answers(room, root)[0].Shown(); !strings.Contains(shown, q.says) || !strings.Contains(shown, q.links) {
			t.Errorf("%s\n%s", q.question, shown)
		}
	}
}

func TestQuestionsAboutWhoDoesWhatOnDiscord(t *testing.T) {
	t.Parallel()
	repository := knowledgeRepository(t)
	discord, err := discordtest.New(discordtest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = discord.Close() })
	p := newProgram(t, "DISCORD_BOT_TOKEN="+discord.Token(), "DISCORD_API_URL="+discord.URL(), "CA_FILE="+repository.CAFile, "ALLOW_PRIVATE_HOSTS=127.0.0.1", "XDG_CACHE_HOME="+t.TempDir())
	p.run(t, "index", repository.URL, "--commits", "--base-url", knowledgeBase, "--acl", "public")
	guild := discord.AddGuild("Guild")
	room, bob := guild.AddText("room"), guild.AddPerson("bob", false)
	s := serve(t, p)
	defer s.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	if err := discord.Until(ctx, discord.Connected); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	for _, q := range chatQuestions {
		i := bob.Command(room.ID, "ask", map[string]any{"question": q.question, "private": true})
		if err := discord.Until(ctx, func() bool {
			state := i.State()
			return state.Kind != 0 && !state.Loading && !strings.Contains(state.Content, "▌")
		}); err != nil {
			t.Fatalf("%v\n%+v\n%s", err, i.State(), s.log)
		}
		if shown := i.State().Content; !strings.Contains(strings.ReplaceAll(shown, "\u200b", ""), q.says) || !strings.Contains(shown, q.links) {
			t.Errorf("%s\n%s", q.question, shown)
		}
	}
}
