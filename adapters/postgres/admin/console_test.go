package admin_test

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/adapters/postgres/pgsession/pgsessiontest"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
)

func consoleLink(t *testing.T, c *admin.Console, p access.Account) (secret string) {
	t.Helper()
	secret = review.NewSecret()
	if err := c.NewLink(t.Context(), access.DefaultTenant, p, review.HashOf(secret), review.LinkLifetime, "operator"); err != nil {
		t.Fatal(err)
	}
	return secret
}

func TestLinkSignsInOnce(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	c := admin.NewConsole(db)
	ada := access.Account{Workspace: access.Workspace{Platform: "slack", ID: "T1"}, ID: "UADA"}
	if err := c.NewLink(t.Context(), access.DefaultTenant, ada, review.Hash{}, time.Hour, "operator"); err == nil {
		t.Error("a person without a role gets a link")
	}
	if err := c.Grant(t.Context(), access.DefaultTenant, ada, review.Moderator, "operator"); err != nil {
		t.Fatal(err)
	}
	secret := consoleLink(t, c, ada)
	for range 3 {
		if in, err := c.Link(t.Context(), access.DefaultTenant, review.HashOf(secret)); err != nil || in.Person != ada || in.Role != review.Moderator {
			t.Fatalf("Link() = %+v, %v", in, err)
		}
	}
	if _, err := c.SignIn(t.Context(), "other", review.HashOf(secret), review.Hash{1}, "x"); !errors.Is(err, review.ErrLink) {
		t.Errorf("another tenant signs in: %v", err)
	}
	// Of many presses at once one signs in.
	var signedIn atomic.Int32
	var session review.Hash
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			to := review.HashOf(review.NewSecret())
			in, err := c.SignIn(t.Context(), access.DefaultTenant, review.HashOf(secret), to, "s")
			switch {
			case err == nil && in.Person == ada && in.Role == review.Moderator && time.Until(in.Expires) > review.SessionLifetime-time.Hour:
				signedIn.Add(1)
				session = to
			case !errors.Is(err, review.ErrLink):
				t.Errorf("press %d: %+v, %v", i, in, err)
			}
		})
	}
	all.Wait()
	if signedIn.Load() != 1 {
		t.Fatalf("%d presses signed in", signedIn.Load())
	}
	if _, err := c.Link(t.Context(), access.DefaultTenant, review.HashOf(secret)); !errors.Is(err, review.ErrLink) {
		t.Errorf("a spent link: %v", err)
	}
	var holds bool
	if err := db.Pool.QueryRow(t.Context(), `select exists (select from console_session s where s::text like '%' || $1 || '%')
		or exists (select from console_link l where l::text like '%' || $1 || '%')`, secret).Scan(&holds); err != nil || holds {
		t.Errorf("a table holds a secret: %t, %v", holds, err)
	}
	in, err := c.Session(t.Context(), access.DefaultTenant, session)
	if err != nil || in.Person != ada || in.Session != "s" {
		t.Fatalf("Session() = %+v, %v", in, err)
	}
	if err := c.Grant(t.Context(), access.DefaultTenant, ada, review.GapReader, "operator"); err != nil {
		t.Fatal(err)
	}
	if in, err := c.Session(t.Context(), access.DefaultTenant, session); err != nil || in.Role != review.GapReader {
		t.Errorf("after the role has changed: %+v, %v", in, err)
	}
	if list, err := c.Granted(t.Context(), access.DefaultTenant); err != nil || len(list) != 1 || list[0].Sessions != 1 || list[0].Used.IsZero() || list[0].Role != review.GapReader {
		t.Errorf("Granted() = %+v, %v", list, err)
	}
	ends(t, db, c, ada, session)
}

// ends tries each way in which a session or a link ends.
func ends(t *testing.T, db *postgres.DB, c *admin.Console, ada access.Account, signedIn review.Hash) {
	t.Helper()
	ended := func(why string, of review.Hash) {
		t.Helper()
		if in, err := c.Session(t.Context(), access.DefaultTenant, of); !errors.Is(err, review.ErrSession) {
			t.Errorf("%s: %+v, %v", why, in, err)
		}
	}
	again := func() review.Hash {
		t.Helper()
		to := review.HashOf(review.NewSecret())
		if _, err := c.SignIn(t.Context(), access.DefaultTenant, review.HashOf(consoleLink(t, c, ada)), to, "again"); err != nil {
			t.Fatal(err)
		}
		return to
	}
	if err := errors.Join(c.SignOut(t.Context(), access.DefaultTenant, signedIn), c.SignOut(t.Context(), access.DefaultTenant, signedIn)); err != nil {
		t.Error(err)
	}
	ended("signed out", signedIn)
	to, link := again(), consoleLink(t, c, ada)
	if was, err := c.SignOutAll(t.Context(), access.DefaultTenant, ada, "operator"); err != nil || !was {
		t.Errorf("SignOutAll() = %t, %v", was, err)
	}
	ended("signed out by the operator", to)
	if _, err := c.Link(t.Context(), access.DefaultTenant, review.HashOf(link)); !errors.Is(err, review.ErrLink) {
		t.Errorf("a link of a person who was signed out: %v", err)
	}
	to = again()
	if _, err := db.Pool.Exec(t.Context(), `update console_session set expires_at = clock_timestamp()`); err != nil {
		t.Fatal(err)
	}
	ended("expired", to)
	link = consoleLink(t, c, ada)
	if _, err := db.Pool.Exec(t.Context(), `update console_link set expires_at = clock_timestamp()`); err != nil {
		t.Fatal(err)
	}
	if _, err := c.SignIn(t.Context(), access.DefaultTenant, review.HashOf(link), review.Hash{2}, "late"); !errors.Is(err, review.ErrLink) {
		t.Errorf("an expired link: %v", err)
	}
	to = again()
	if was, err := c.Remove(t.Context(), access.DefaultTenant, ada, "operator"); err != nil || !was {
		t.Errorf("Remove() = %t, %v", was, err)
	}
	ended("role removed", to)
	if was, err := c.Remove(t.Context(), access.DefaultTenant, ada, "operator"); err != nil || was {
		t.Errorf("a second Remove() = %t, %v", was, err)
	}
	if err := c.Grant(t.Context(), access.DefaultTenant, ada, review.Admin, "operator"); err != nil {
		t.Fatal(err)
	}
	ended("role given again", to)
	to = again()
	named := 0
	for e, err := range audit.NewReader(db).Trail(t.Context(), session.AuditQuery{Tenant: access.DefaultTenant, Who: "operator"}) {
		if err != nil {
			t.Fatal(err)
		}
		if e.For == (session.Actor{Platform: "slack", ID: "UADA"}) && e.ForAlias != "" {
			named++
		}
	}
	if named < 10 {
		t.Errorf("%d entries name the person", named)
	}
	if _, err := pgsession.New(db).Forget(t.Context(), access.DefaultTenant, "slack", ada.ID); err != nil {
		t.Fatal(err)
	}
	ended("person forgotten", to)
	revealed(t, db, c)
	deeds := make(map[session.Deed]int)
	for e, err := range audit.NewReader(db).Trail(t.Context(), session.AuditQuery{Tenant: access.DefaultTenant}) {
		if err != nil {
			t.Fatal(err)
		}
		deeds[e.Deed]++
		// What the operator did names the person, until the person is forgotten.
		if names := e.ForAlias != ""; names != (e.Who.Platform == session.Host) || e.For.ID != "" && e.For != (session.Actor{Platform: "slack", ID: "UADA"}) && e.For.ID != "UEVE" || len(e.Details["for"]) > 0 {
			t.Errorf("the trail says %+v", e)
		}
		if e.For.ID == "UADA" {
			t.Errorf("the trail names a person who was forgotten: %+v", e)
		}
	}
	if deeds[session.ConsoleGranted] != 3 || deeds[session.ConsoleRemoved] != 1 || deeds[session.ConsoleSignedIn] != 5 || deeds[session.ConsoleSignedOut] != 2 || deeds[session.ConsoleLinked] != 7 || deeds[session.ConsoleRevealed] != 4 {
		t.Errorf("the trail has %v", deeds)
	}
}

// revealed shows a question for a reason, until that expires, the role goes or the question does.
func revealed(t *testing.T, db *postgres.DB, c *admin.Console) {
	t.Helper()
	pgsessiontest.FillQuestions(t, db, 20)
	asked, err := pgsession.New(db).Questions(t.Context(), access.DefaultTenant, review.Scope{Everywhere: true}, review.Query{})
	if err != nil {
		t.Fatal(err)
	}
	eve := access.Account{Workspace: access.Workspace{Platform: "slack", ID: "T1"}, ID: "UEVE"}
	show := func(want int, why string) {
		t.Helper()
		ids, err := c.Revealed(t.Context(), access.DefaultTenant, eve)
		if err != nil || len(ids) != want {
			t.Errorf("%s: %v, %v", why, ids, err)
		}
	}
	reveal := func(n int) error {
		return c.Reveal(t.Context(), access.DefaultTenant, eve, review.Reveal{Turn: session.Turn{ID: asked[n].Turn}, Reason: "a wrong answer"})
	}
	if err := reveal(0); err == nil {
		t.Error("a person without a role sees a question")
	}
	if _, err := db.Pool.Exec(t.Context(), `insert into console_role (tenant_id, platform, workspace, person, role, granted_by) values ('default', 'slack', 'T1', 'UEVE', 'admin', 'x')`); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(reveal(0), reveal(0), reveal(1), reveal(2)); err != nil {
		t.Fatal(err)
	}
	show(3, "revealed")
	for i, gone := range []string{`delete from turn where id = '` + string(asked[0].Turn) + `'`, `update console_reveal set expires_at = clock_timestamp() where turn_id = '` + string(asked[1].Turn) + `'`, `delete from console_role`} {
		if _, err := db.Pool.Exec(t.Context(), gone); err != nil {
			t.Fatal(err)
		}
		show(2-i, gone)
	}
}

func TestIdentitySignsInItsPersonAlone(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	c := admin.NewConsole(db)
	ada, bob := access.Account{Workspace: access.Workspace{Platform: "slack", ID: "T1"}, ID: "UADA"}, access.Account{Workspace: access.Workspace{Platform: "discord"}, ID: "7"}
	one, two := review.Identity{Issuer: "https://id.example", Subject: "1"}, review.Identity{Issuer: "https://id.example", Subject: "2"}
	elsewhere := review.Identity{Issuer: "https://other.example", Subject: "1"}
	sessions := make(map[access.Account]review.Hash)
	for _, p := range []access.Account{ada, bob} {
		if err := c.Grant(t.Context(), access.DefaultTenant, p, review.Admin, "operator"); err != nil {
			t.Fatal(err)
		}
		sessions[p] = review.HashOf(review.NewSecret())
		if _, err := c.SignIn(t.Context(), access.DefaultTenant, review.HashOf(consoleLink(t, c, p)), sessions[p], "s"); err != nil {
			t.Fatal(err)
		}
	}
	signsIn := func(i review.Identity, want access.Account) {
		t.Helper()
		to := review.HashOf(review.NewSecret())
		in, err := c.SignInAs(t.Context(), access.DefaultTenant, i, to, "oidc")
		if want.ID == "" && !errors.Is(err, review.ErrIdentity) || want.ID != "" && (err != nil || in.Person != want) {
			t.Errorf("SignInAs(%v) = %+v, %v", i, in, err)
		}
		if _, err := c.Session(t.Context(), access.DefaultTenant, to); (err == nil) != (want.ID != "") {
			t.Errorf("the session of %v: %v", i, err)
		}
	}
	for _, of := range []struct {
		person access.Account
		want   bool
	}{{ada, true}, {access.Account{Workspace: access.Workspace{Platform: ada.Platform, ID: "another"}, ID: ada.ID}, false}, {access.Account{Workspace: ada.Workspace, ID: "UNKNOWN"}, false}} {
		to := review.HashOf(review.NewSecret())
		in, err := c.SignInPerson(t.Context(), access.DefaultTenant, of.person, to, "slack")
		if of.want && (err != nil || in.Person != of.person) || !of.want && !errors.Is(err, review.ErrIdentity) {
			t.Errorf("SignInPerson(%v) = %+v, %v", of.person, in, err)
		}
		if _, err := c.Session(t.Context(), access.DefaultTenant, to); (err == nil) != of.want {
			t.Errorf("the session of %v: %v", of.person, err)
		}
	}
	signsIn(one, access.Account{})
	for range 2 {
		if err := c.Connect(t.Context(), access.DefaultTenant, sessions[ada], one); err != nil {
			t.Fatal(err)
		}
	}
	signsIn(one, ada)
	signsIn(elsewhere, access.Account{})
	if err := c.Connect(t.Context(), access.DefaultTenant, sessions[bob], one); !errors.Is(err, review.ErrIdentity) {
		t.Errorf("an identity of another person is connected: %v", err)
	}
	if err := c.Connect(t.Context(), access.DefaultTenant, review.Hash{9}, two); !errors.Is(err, review.ErrSession) {
		t.Errorf("an identity is connected without a session: %v", err)
	}
	if err := c.Connect(t.Context(), access.DefaultTenant, sessions[ada], two); err != nil {
		t.Fatal(err)
	}
	signsIn(one, access.Account{}) // it was replaced
	signsIn(two, ada)
	if list, err := c.Granted(t.Context(), access.DefaultTenant); err != nil || len(list) != 2 || !slices.Equal(list[0].Connected, []string{two.Issuer}) || len(list[1].Connected) > 0 {
		t.Errorf("Granted() = %+v, %v", list, err)
	}
	if was, err := c.SignOutAll(t.Context(), access.DefaultTenant, ada, "operator"); err != nil || !was {
		t.Errorf("SignOutAll() = %t, %v", was, err)
	}
	signsIn(two, access.Account{}) // signing out disconnects it
	to := review.HashOf(review.NewSecret())
	if _, err := c.SignIn(t.Context(), access.DefaultTenant, review.HashOf(consoleLink(t, c, ada)), to, "s"); err != nil {
		t.Fatal(err)
	}
	if err := c.Connect(t.Context(), access.DefaultTenant, to, two); err != nil {
		t.Fatal(err)
	}
	signsIn(two, ada)
	if _, err := c.Remove(t.Context(), access.DefaultTenant, ada, "operator"); err != nil {
		t.Fatal(err)
	}
	signsIn(two, access.Account{})
	if err := c.Grant(t.Context(), access.DefaultTenant, ada, review.Admin, "operator"); err != nil {
		t.Fatal(err)
	}
	signsIn(two, access.Account{}) // it went with the role
}
