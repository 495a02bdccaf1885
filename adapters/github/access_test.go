package github_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/github"
	"github.com/footnotehq/footnote/adapters/github/githubtest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest/sourcetest"
	"github.com/footnotehq/footnote/core/session/dicetest"
)

// read is who may read, as far as the loops have found out.
type read struct{ sourcetest.Readers }

// mayRead is our word: whether somebody holds a principal of every clause.
func (r *read) mayRead(u *githubtest.User, repo *githubtest.Repo) bool {
	return r.Lets(fmt.Sprint(repo.ID), r.Held("github-code", fmt.Sprint(u.ID))...)
}

func withReaders(o *github.Options, _ *github.Config) { o.Public = github.PublicReaders }

func TestReadersOfEachKindOfRepository(t *testing.T) {
	t.Parallel()
	for public, want := range map[string]access.ACL{github.PublicMembers: {access.Members}, github.PublicAll: {access.Public}} {
		a := newAcme(t, func(o *github.Options, _ *github.Config) { o.Public = public })
		open, inside, closed := a.Repo(a.org, "open", githubtest.Public), a.Repo(a.org, "inside", githubtest.Internal), a.Repo(a.org, "closed", githubtest.Private)
		r := new(read)
		if err := r.Read(t.Context(), a.Connector); err != nil {
			t.Fatal(err)
		}
		group := func(repo *githubtest.Repo) access.Principal {
			return access.SourceGroup("github-code", "repo", fmt.Sprint(repo.ID))
		}
		for repo, want := range map[*githubtest.Repo]access.ACL{
			open: want, closed: {group(closed)}, inside: {access.SourceGroup("github-code", "org", fmt.Sprint(a.org.ID)), group(inside)},
		} {
			if got := r.Nodes[fmt.Sprint(repo.ID)].Clauses; len(got) != 1 || !slices.Equal(got[0], want) {
				t.Errorf("%s is read by %v, want %v", repo.Name, got, want)
			}
		}
	}
}

// Only addresses that the organisation vouches for count: neither profiles nor those of somebody
// from outside.
func TestAddressesArePeoplesOwn(t *testing.T) {
	t.Parallel()
	a := newAcme(t, nil)
	bob, outside := a.User("bob"), a.User("outside")
	r := a.Repo(a.org, "app", githubtest.Private)
	a.Do(func() {
		a.org.HasSSO = true
		a.org.Member[bob] = true
		a.ada.SAML, a.ada.Profile = "Ada@Acme.example", "ada@home.example"
		bob.SAML, bob.Verified = "bob", []string{"bob@acme.example", "Bob <x@acme.example>"}
		outside.Profile, outside.SAML = "ceo@acme.example", "ceo@acme.example"
		r.Direct[outside] = "read"
	})
	found := new(read)
	if err := found.Read(t.Context(), a.Connector); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"ada": {"ada@acme.example"}, "bob": {"bob@acme.example"}, "outside": nil}
	got := make(map[string][]string)
	for _, p := range found.People {
		got[p.Name] = p.Emails
	}
	if !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("the addresses are %v, want %v", got, want)
	}
	// Where the credential may not see them, nobody has any, and the rest is read.
	for _, query := range []string{"People", "Identities"} {
		a.Faults.Add(githubtest.Fault{Path: "graphql:" + query, Answer: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"data": {"organization": null}, "errors": [{"type": "FORBIDDEN", "message": "Resource not accessible by integration"}]}`))
		}}, 0, 1)
	}
	if err := found.Read(t.Context(), a.Connector); err != nil || len(found.People) != 3 || len(found.People[fmt.Sprint(a.ada.ID)].Emails) != 0 {
		t.Errorf("%v, %v", err, found.People)
	}
}

// A pass that is gone on with, in the same process or another, takes nobody's addresses.
func TestAPassThatGoesOnKeepsAddresses(t *testing.T) {
	t.Parallel()
	a := newAcme(t, nil)
	for i := range 3 * 50 {
		a.Repo(a.org, fmt.Sprintf("r%d", i), githubtest.Private)
	}
	a.Do(func() { a.ada.Verified = []string{"ada@acme.example"} })
	for _, fresh := range []bool{false, true} {
		var since index.Checkpoint
		people := make(map[string]index.Person)
		groups := 0
		for complete := false; !complete; {
			if fresh {
				var err error
				if a.client, err = github.New(a.config); err != nil {
					t.Fatal(err)
				}
				a.Again()
			}
			for b, err := range a.Connector.Groups(t.Context(), since) {
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range b.People {
					people[p.Name] = p
				}
				groups += len(b.Groups)
				since, complete = b.Next, b.Complete
				break // as if it was killed after each batch
			}
		}
		if groups != 151 || len(people["ada"].Emails) != 1 {
			t.Errorf("another process each time: %v: %d groups, %v", fresh, groups, people)
		}
	}
}

// What is refused is nobody's at once, what fails for a moment stays as it was, and a credential
// that counts no more hides everything.
func TestWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	a := newAcme(t, nil)
	app, lib := a.Repo(a.org, "app", githubtest.Private), a.Repo(a.org, "lib", githubtest.Private)
	for i := range 150 {
		u := a.User(fmt.Sprintf("user%d", i))
		a.Do(func() { app.Direct[u] = "read" })
	}
	r := new(read)
	check := func(when string, err error, want error, members int) {
		t.Helper()
		group := r.Groups[access.SourceGroup("github-code", "repo", fmt.Sprint(app.ID))]
		if !errors.Is(err, want) || len(group) != members || strings.Contains(fmt.Sprint(err), a.Token) {
			t.Errorf("%s: %v, and %d people may read it, want %v and %d", when, err, len(group), want, members)
		}
	}
	check("at first", r.Read(t.Context(), a.Connector), nil, 151)
	a.Do(func() { clear(app.Direct) })
	a.Faults.Add(githubtest.Fault{Path: "acme/app/collaborators", Answer: githubtest.Refuse(http.StatusInternalServerError, "oops")}, 0, 5)
	check("a listing that fails", r.Read(t.Context(), a.Connector), nil, 151)
	a.Do(func() {
		for _, u := range a.Users[1:] {
			app.Direct[u] = "read"
		}
	})
	a.Do(func() { delete(app.Direct, a.Users[len(a.Users)-1]) })
	a.Faults.Add(githubtest.Fault{Path: "acme/app/collaborators", Answer: githubtest.Refuse(http.StatusBadGateway, "oops")}, 1, 5)
	check("a listing that fails half-way", r.Read(t.Context(), a.Connector), nil, 151)
	check("once it works", r.Read(t.Context(), a.Connector), nil, 150)
	a.Do(func() { app.CannotList = true })
	check("the right to list them is taken away", r.Read(t.Context(), a.Connector), nil, 0)
	a.Do(func() { app.CannotList = false })
	check("it is given back", r.Read(t.Context(), a.Connector), nil, 150)
	a.Do(func() { app.Hidden = true })
	if err := r.Read(t.Context(), a.Connector); err != nil || r.Nodes[fmt.Sprint(app.ID)].Clauses != nil || r.Nodes[fmt.Sprint(lib.ID)].Clauses == nil {
		t.Errorf("a repository that was taken away: %v, %v", err, r.Nodes)
	}
	a.Do(func() { app.Hidden = false })
	a.Revoke(true)
	check("the credential is revoked", r.ReadGroups(t.Context(), a.Connector), index.ErrRevoked, 0)
	for _, err := range a.Connector.Sync(a.listed(), nil) {
		check("the credential is revoked, documents", err, index.ErrRevoked, 0)
	}
	a.Revoke(false)
	a.Faults.Add(githubtest.Fault{Path: "/repos", Answer: githubtest.Refuse(http.StatusForbidden, "You have exceeded a secondary rate limit.", "Retry-After", "3600")}, 0, 1)
	err := r.ReadNodes(t.Context(), a.Connector)
	var later *index.Later
	if !errors.As(err, &later) || !later.At.Equal(a.Now().Add(time.Hour)) {
		t.Errorf("a secondary limit: %v", err)
	}
	a.Pass(time.Hour)
	if err := r.Read(t.Context(), a.Connector); err != nil {
		t.Errorf("after it: %v", err)
	}
}

// A page of the list of repositories that moved while it was read takes nobody's right to read one
// that can be seen still.
func TestARepositoryThatAListLacksIsAskedAbout(t *testing.T) {
	t.Parallel()
	a := newAcme(t, nil)
	app := a.Repo(a.org, "app", githubtest.Private)
	r := new(read)
	if err := r.Read(t.Context(), a.Connector); err != nil {
		t.Fatal(err)
	}
	a.Faults.Add(githubtest.Fault{Path: "/orgs/acme/repos", Answer: func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("[]")) }}, 0, 1)
	if err := r.ReadNodes(t.Context(), a.Connector); err != nil || r.Nodes[fmt.Sprint(app.ID)].Clauses == nil {
		t.Errorf("%v, %v", err, r.Nodes)
	}
}

// A repository that takes another's name while the people of that are listed gives it none of its
// own.
func TestANameThatBecomesAnothers(t *testing.T) {
	t.Parallel()
	a := newAcme(t, nil)
	eve := a.User("eve")
	secret, trap := a.Repo(a.org, "secret", githubtest.Private), a.Repo(a.org, "trap", githubtest.Private)
	a.Do(func() { trap.Direct[eve] = "admin" })
	a.Faults.Add(githubtest.Fault{Path: "/orgs/acme/members", Then: func() {
		a.Rename(secret, "moved")
		a.Rename(trap, "secret")
	}}, 0, 1)
	r := new(read)
	if err := r.Read(t.Context(), a.Connector); err != nil {
		t.Fatal(err)
	}
	if r.mayRead(eve, secret) {
		t.Error("the people of another repository may read it")
	}
	if err := r.Read(t.Context(), a.Connector); err != nil || r.mayRead(eve, secret) || !r.mayRead(eve, trap) || !r.mayRead(a.ada, secret) {
		t.Errorf("afterwards: %v, %v", err, r.Groups)
	}
}

func TestPointCheck(t *testing.T) {
	t.Parallel()
	a := newAcme(t, nil)
	bob, eve := a.User("bob"), a.User("eve")
	closed, open := a.Repo(a.org, "closed", githubtest.Private), a.Repo(a.org, "open", githubtest.Public)
	a.Do(func() { closed.Direct[bob] = "read" })
	c, o, gone := index.Point{Node: fmt.Sprint(closed.ID)}, index.Point{Node: fmt.Sprint(open.ID)}, index.Point{Node: "999999"}
	ask := func(person string) map[index.Point]index.Permission {
		return a.Connector.MayRead(t.Context(), person, []index.Point{c, o, gone})
	}
	yes, no := index.Allowed, index.Denied
	for who, want := range map[*githubtest.User]map[index.Point]index.Permission{bob: {c: yes, o: yes, gone: no}, eve: {c: no, o: yes, gone: no}} {
		if got := ask(fmt.Sprint(who.ID)); !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", who.Login, got, want)
		}
	}
	// Somebody who takes over a login is not who had it.
	a.Do(func() { bob.Login, eve.Login = "robert", "bob" })
	if got := ask(fmt.Sprint(eve.ID)); got[c] != no {
		t.Error("a login that was taken over opens what its owner before might read")
	}
	if got := ask(fmt.Sprint(bob.ID)); got[c] != yes {
		t.Error("somebody who was renamed may not read any more")
	}
	a.Rename(closed, "elsewhere")
	if got := ask(fmt.Sprint(bob.ID)); got[c] != yes {
		t.Error("a repository that was renamed may not be read any more")
	}
	a.Faults.Add(githubtest.Fault{Path: "/permission", Answer: githubtest.Refuse(http.StatusBadGateway, "oops")}, 0, 10)
	if got, said := ask(fmt.Sprint(bob.ID))[c]; said {
		t.Errorf("what could not be found out is %v", got)
	}
	a.Faults.Mend()
	a.Revoke(true)
	if got := ask(fmt.Sprint(bob.ID)); len(got) != 0 {
		t.Errorf("without a credential it says %v", got)
	}
}

// After every round of the loops nobody may read by our word what GitHub would not show them,
// whatever was changed and went wrong before; once all is quiet, exactly those may read who may.
func TestWhoMayReadFollowsGitHub(t *testing.T) {
	t.Parallel()
	random := dicetest.New(t)
	a := newAcme(t, withReaders)
	a.Server.Short = random.IntN(2) == 0
	a.Server.Twice = random.IntN(2) == 0
	other := a.Org("other", "read")
	orgs := []*githubtest.Org{a.org, other}
	var users []*githubtest.User
	for i := range 12 {
		users = append(users, a.User(fmt.Sprintf("user%d", i)))
	}
	var teams []*githubtest.Team
	for i := range 5 {
		var parent *githubtest.Team
		if i > 1 {
			parent = teams[random.IntN(i)]
		}
		teams = append(teams, a.Team(a.org, parent))
	}
	repos := []*githubtest.Repo{a.Repo(a.org, "r0", githubtest.Private), a.Repo(a.org, "r1", githubtest.Internal), a.Repo(a.org, "r2", githubtest.Public)}
	kinds := []string{githubtest.Private, githubtest.Internal, githubtest.Public}
	step := 0
	edit := func() string {
		u, r, team := users[random.IntN(len(users))], repos[random.IntN(len(repos))], teams[random.IntN(len(teams))]
		step++
		name := fmt.Sprintf("n%d", step)
		var said string
		switch random.IntN(13) {
		case 0:
			a.Do(func() { r.Visibility = kinds[random.IntN(3)]; said = r.Name + " " + r.Visibility })
		case 1:
			a.Do(func() { r.Direct[u] = "read"; r.Invited[u] = random.IntN(3) == 0; said = "direct" })
		case 2:
			a.Do(func() { delete(r.Direct, u); said = "no direct" })
		case 3:
			a.Do(func() { a.org.Member[u] = true; said = "member" })
		case 4:
			a.Do(func() { delete(a.org.Member, u); delete(a.org.Owners, u); said = "no member" })
		case 5:
			a.Do(func() { a.org.Member[u], a.org.Owners[u] = true, true; said = "owner" })
		case 6:
			a.Do(func() { team.Members[u] = !team.Members[u]; said = "team" })
		case 7:
			a.Do(func() { r.Teams[team] = []string{"", "read"}[random.IntN(2)]; said = "team right" })
		case 8:
			a.Do(func() { a.org.Base = []string{"none", "read"}[random.IntN(2)]; said = "base " + a.org.Base })
		case 9:
			a.Rename(r, name)
			said = "rename"
		case 10:
			if r.Org == a.org {
				repos[slices.Index(repos, r)] = a.Recreate(r, kinds[random.IntN(3)])
				said = "recreate"
			}
		case 11:
			if len(repos) < 8 {
				repos = append(repos, a.Repo(a.org, name, kinds[random.IntN(3)]))
			}
			said = "create"
		case 12:
			a.Do(func() { u.Login = name; said = "login" })
		}
		_ = orgs
		return said
	}
	var steps []string
	r := new(read)
	places := []string{"/orgs/acme/repos", "/orgs/acme/members", "/collaborators", "graphql:Names", "graphql:People"}
	// What may be read by our word was granted at GitHub at some time since it was last read whole.
	holds := func(exactly bool) {
		t.Helper()
		for _, repo := range repos {
			for _, u := range append(users, a.ada) {
				ours, theirs := r.mayRead(u, repo), a.MayRead(u, repo) && (repo.Visibility != githubtest.Public || r.mayRead(u, repo))
				if ours && !theirs || exactly && ours != theirs && repo.Visibility != githubtest.Internal {
					t.Fatalf("after %q: %s reads %s (%s): %v, GitHub says %v", steps, u.Login, repo.FullName(), repo.Visibility, ours, theirs)
				}
			}
		}
	}
	for range 60 {
		for range 1 + random.IntN(4) {
			steps = append(steps, edit())
		}
		faulty := random.IntN(3) == 0
		if faulty {
			fault := githubtest.Fault{Path: places[random.IntN(len(places))]}
			if random.IntN(2) == 0 {
				fault.Answer = githubtest.Refuse(http.StatusBadGateway, "oops")
			}
			a.Faults.Add(fault, random.IntN(4), 1+random.IntN(6))
		}
		err := r.Read(t.Context(), a.Connector)
		a.Faults.Mend()
		if faulty {
			continue // something may be as it was before, until grace is over
		}
		if err != nil {
			t.Fatalf("after %q: %v", steps, err)
		}
		holds(true)
	}
}

// An App has tokens of an hour, which it asks for by a signed statement.
func TestAnAppAsksForItsTokens(t *testing.T) {
	t.Parallel()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	file := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
	a := newAcme(t, func(_ *github.Options, c *github.Config) {
		c.Credential = github.Credential{AppID: "7", InstallationID: 70, Key: file}
	})
	a.Key = &key.PublicKey
	app := a.Repo(a.org, "app", githubtest.Private)
	a.Open(app, "issue", "one", "text", a.ada)
	tokens := func(since int) int { return a.Counts(since, "/access_tokens") }
	a.MustSync()
	a.MustSync()
	if n := tokens(0); n != 1 {
		t.Errorf("%d tokens were asked for", n)
	}
	mark := a.Mark()
	a.Pass(58 * time.Minute)
	a.MustSync()
	if n := tokens(mark); n != 1 {
		t.Errorf("after an hour %d tokens were asked for", n)
	}
	// A token that does not count any more is replaced; without an installation there is none.
	a.Revoke(true)
	a.Revoke(false)
	a.MustSync()
	a.Revoke(true)
	if _, err := a.Sync(t.Context()); !errors.Is(err, index.ErrRevoked) || strings.Contains(err.Error(), "ghs_") {
		t.Errorf("an App that was uninstalled: %v", err)
	}
	a.Revoke(false)
	wrong := a.config
	wrong.Credential.InstallationID = 71
	client, err := github.New(wrong)
	if err != nil {
		t.Fatal(err)
	}
	other, err := github.NewConnector(client, a.options)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "GITHUB_APP_INSTALLATION_ID") || strings.Contains(err.Error(), "name of the organisation") {
		t.Errorf("a wrong installation: %v", err)
	}
	for name, credential := range map[string]github.Credential{
		"no key": {AppID: "7", InstallationID: 70}, "no installation": {AppID: "7", Key: file}, "nothing": {}, "both": {Token: "x", AppID: "7"},
		"no RSA key": {AppID: "7", InstallationID: 70, Key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("x")})},
	} {
		if _, err := github.New(github.Config{Credential: credential}); err == nil || !strings.Contains(err.Error(), "GITHUB_") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
