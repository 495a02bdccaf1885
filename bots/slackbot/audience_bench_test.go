package slackbot_test

import (
	"context"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/access"
)

// BenchmarkAudience measures how long it takes to find out what all of those may read who will see
// an answer: in a workspace of 12,000 people, all of whom are people of a source, with 100,000
// memberships in 1,000 groups. "cold" is a process that knows nothing yet of the channel, whose
// calls of Slack are part of it.
func BenchmarkAudience(b *testing.B) {
	ctx, cancel := context.WithTimeout(b.Context(), 5*time.Minute)
	defer cancel()
	db := postgrestest.Open(b)
	s := slacktest.Start(slacktest.Config{NoTiers: true})
	defer s.Close()
	crowd := s.Crowd("many", 12_000)
	private := s.Channel("private", func(c *slacktest.Channel) { c.Private = true }, crowd[:access.MostNamed]...)
	public := s.Channel("public", nil, crowd[:2000]...)
	for _, sql := range []string{
		`insert into source (tenant_id, id, kind, name) values ('default', 'wiki', 'files', 'wiki')`,
		`insert into source_access (tenant_id, source_id, loop, until) values ('default', 'wiki', 'groups', now() + interval '1 day')`,
		`insert into source_person (tenant_id, source_id, id, name, emails, read_at)
			select 'default', 'wiki', n, 'many' || n, array['many' || n || '@example.com'], now() from generate_series(0, 11999) n`,
		`insert into source_address (tenant_id, source_id, person, email) select tenant_id, source_id, id, unnest(emails) from source_person`,
		`insert into source_group (tenant_id, source_id, principal, name, read_at, seen_at) select 'default', 'wiki', 'group:wiki:grp:' || g, 'g' || g, now(), now() from generate_series(1, 1000) g`,
		// Ten groups are those of everybody in the channel; each of them is in 20 others, as is
		// everybody else in a few, and one is in 300.
		`insert into source_member (tenant_id, source_id, person, principal) select 'default', 'wiki', n, 'group:wiki:grp:' || g from generate_series(0, 199) n, generate_series(1, 10) g`,
		`insert into source_member (tenant_id, source_id, person, principal) select 'default', 'wiki', n, 'group:wiki:grp:' || 100 + (n * 7 + g) % 900 from generate_series(0, 199) n, generate_series(1, 20) g`,
		`insert into source_member (tenant_id, source_id, person, principal) select 'default', 'wiki', 7, 'group:wiki:grp:' || g from generate_series(100, 389) g on conflict do nothing`,
		`insert into source_member (tenant_id, source_id, person, principal) select 'default', 'wiki', n, 'group:wiki:grp:' || 100 + (n * 13 + g) % 900 from generate_series(200, 11999) n, generate_series(1, 8) g`,
		`analyze`,
	} {
		if _, err := db.Pool.Exec(ctx, sql); err != nil {
			b.Fatal(err)
		}
	}
	known := admin.NewAudiences(db)
	connect := func() *slack.Client {
		client, err := slack.New(slack.Config{
			BotToken: slacktest.BotToken, SigningSecret: slacktest.SigningSecret, APIURL: s.URL(), Changes: known, People: known, Accounts: known,
		})
		if err == nil {
			_, err = client.Connect(ctx)
		}
		if err != nil {
			b.Fatal(err)
		}
		return client
	}
	client := connect()
	listing, stop := context.WithCancel(ctx)
	defer stop()
	go client.Keep(listing)
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for listed := 0; listed < len(crowd); <-look.C {
		if err := db.Pool.QueryRow(ctx, `select count(*) from account a join audience_workspace w using (platform, workspace) where w.listed_at > '-infinity'`).Scan(&listed); err != nil {
			b.Fatal(err)
		}
	}
	resolver := &access.Resolver{Grants: pgaccess.New(db), Rules: func() access.Rules {
		return access.Rules{Domains: []string{"example.com"}, Covering: []access.Principal{access.SourceAll("wiki")}}
	}}
	resolve := func(there access.Presence, err error) {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
		audience, err := resolver.Audience(ctx, there)
		if err != nil || !audience.MayRead(access.ACL{access.SourceAll("wiki")}) {
			b.Fatalf("%v, %v", audience.Principals(), err)
		}
	}
	for name, present := range map[string]func(*slack.Client) (access.Presence, error){
		"one of 300 groups":         func(c *slack.Client) (access.Presence, error) { return c.Alone(ctx, crowd[7].ID) },
		"a private channel of 200":  func(c *slack.Client) (access.Presence, error) { return c.Present(ctx, private.ID) },
		"a public channel of 2,000": func(c *slack.Client) (access.Presence, error) { return c.Present(ctx, public.ID) },
	} {
		b.Run(name+"/warm", func(b *testing.B) {
			resolve(present(client))
			for b.Loop() {
				resolve(present(client))
			}
		})
		b.Run(name+"/cold", func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				fresh := connect()
				b.StartTimer()
				resolve(present(fresh))
			}
		})
	}
}
