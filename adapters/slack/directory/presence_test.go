package directory_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/google/go-cmp/cmp"
)

// workspace is a Slack with a client that nobody else shares what is known with.
type workspace struct {
	*testing.T
	slack  *slacktest.Server
	client *slack.Client
	known  *access.Local
	// domains are those of identity.domains.
	domains []string
}

func begin(t *testing.T, bound ...access.BoundGroup) *workspace {
	t.Helper()
	w := &workspace{T: t, slack: slacktest.Start(slacktest.Config{NoTiers: true}), known: access.NewLocal(), domains: []string{"example.com"}}
	t.Cleanup(w.slack.Close)
	w.connect(bound...)
	return w
}

// connect signs a client in, as another process does.
func (w *workspace) connect(bound ...access.BoundGroup) {
	w.Helper()
	client, err := slack.New(slack.Config{
		BotToken: slacktest.BotToken, SigningSecret: slacktest.SigningSecret, APIURL: w.slack.URL(), Changes: w.known, People: w.known, Accounts: w.known,
		Groups:  func() []access.BoundGroup { return bound },
		Domains: func() []string { return w.domains },
	})
	if err != nil {
		w.Fatal(err)
	}
	if _, err := client.Connect(w.Context()); err != nil {
		w.Fatal(err)
	}
	w.client = client
}

// list has the people of the workspace listed.
func (w *workspace) list() {
	w.Helper()
	ctx, stop := context.WithCancel(w.Context())
	defer stop()
	go w.client.Keep(ctx)
	here := access.Workspace{Platform: "slack", ID: slacktest.TeamID}
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for roll := (access.Roll{Pending: true}); roll.Pending; {
		select {
		case <-look.C:
		case <-w.Context().Done():
			w.Fatal("the people are not listed")
		}
		var err error
		if roll, err = w.known.Known(w.Context(), here, nil); err != nil {
			w.Fatal(err)
		}
	}
}

func (w *workspace) present(c *slacktest.Channel) access.Presence {
	w.Helper()
	p, err := w.client.Present(w.Context(), c.ID)
	if err != nil {
		w.Fatal(err)
	}
	return p
}

// shown is what counts of a presence: "members alice:alice@example.com guest: open outsiders".
func shown(p access.Presence) string {
	var all []string
	for _, h := range p.Held {
		if !strings.HasPrefix(string(h.Principal), "channel:") && !strings.HasPrefix(string(h.Principal), "user:") {
			all = append(all, string(h.Principal))
		}
	}
	for _, a := range p.People {
		all = append(all, fmt.Sprintf("%s:%s", a.Name, a.Email))
	}
	if p.Open {
		all = append(all, "open")
	}
	if p.Outsiders {
		all = append(all, "outsiders")
	}
	return strings.Join(all, " ")
}

func TestWhoIsInAChannel(t *testing.T) {
	t.Parallel()
	w := begin(t)
	ann, bob := w.slack.Person("ann", nil), w.slack.Person("bob", func(p *slacktest.Person) { p.Email = "Bob@Example.com" })
	guest := w.slack.Person("guest", func(p *slacktest.Person) { p.Guest = true })
	app := w.slack.Person("app", func(p *slacktest.Person) { p.Bot, p.Email = true, "" })
	foreign := w.slack.Person("foreign", func(p *slacktest.Person) { p.Team = "T0OTHER" })
	private := func(c *slacktest.Channel) { c.Private = true }
	crowd := w.slack.Crowd("many", access.MostNamed)
	w.list()
	tests := map[string]struct {
		channel *slacktest.Channel
		want    string
	}{
		"public":                       {w.slack.Channel("public", nil, ann, bob), "members open"},
		"private":                      {w.slack.Channel("private", private, ann, bob), "members ann:ann@example.com bob:bob@example.com"},
		"several in a direct message":  {w.slack.Channel("several", func(c *slacktest.Channel) { c.Several, c.Private = true, true }, ann, bob), "members ann:ann@example.com bob:bob@example.com"},
		"with an app of the workspace": {w.slack.Channel("app", private, ann, app), "members ann:ann@example.com"},
		"with a guest":                 {w.slack.Channel("guest", private, ann, guest), "ann:ann@example.com guest: outsiders"},
		"with somebody from elsewhere": {w.slack.Channel("elsewhere", private, ann, foreign), "ann:ann@example.com foreign: outsiders"},
		"shared with others":           {w.slack.Channel("shared", func(c *slacktest.Channel) { c.Private, c.Shared = true, true }, ann, bob), "open outsiders"},
		"public with a guest":          {w.slack.Channel("visited", nil, ann, guest), "open outsiders"},
		"one too many":                 {w.slack.Channel("crowd", private, append(slices.Clone(crowd), ann)...), "members open"},
	}
	for name, tt := range tests {
		if got := shown(w.present(tt.channel)); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	full := w.present(w.slack.Channel("full", private, crowd...))
	if full.Open || len(full.People) != access.MostNamed {
		t.Errorf("%d people of a channel of %d, open %t", len(full.People), access.MostNamed, full.Open)
	}
	nowhere, err := w.client.Present(t.Context(), "C0NOWHERE")
	if err == nil || shown(nowhere) != "open outsiders" {
		t.Errorf("a channel that cannot be seen: %q, %v", shown(nowhere), err)
	}
}

// Without a list the people of a channel are looked up one by one, and what was found out then
// counts for another process.
func TestWhoIsInAChannelWithoutAList(t *testing.T) {
	t.Parallel()
	w := begin(t)
	ann, bob := w.slack.Person("ann", nil), w.slack.Person("bob", nil)
	room := w.slack.Channel("private", func(c *slacktest.Channel) { c.Private = true }, ann, bob)
	const want = "members ann:ann@example.com bob:bob@example.com"
	if got := shown(w.present(room)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	asked := len(w.slack.Calls("users.info"))
	w.connect()
	if got := shown(w.present(room)); got != want || len(w.slack.Calls("users.info")) != asked {
		t.Errorf("for another process %q, after %d calls more", got, len(w.slack.Calls("users.info"))-asked)
	}
}

// heard has a client take an event in.
func (w *workspace) heard(kind string, inner string, at time.Time) {
	w.Helper()
	raw := fmt.Sprintf(`{"event_time":%d,"event":%s}`, at.Unix(), inner)
	ours, err := w.client.Changed(w.Context(), event.Event{Type: kind, User: userOf(inner)}, []byte(raw))
	if !ours || err != nil {
		w.Fatalf("%s: %t, %v", kind, ours, err)
	}
}

func TestWhatIsToldOfAddressesCountsAtOnce(t *testing.T) {
	t.Parallel()
	w := begin(t)
	ann, bob := w.slack.Person("ann", nil), w.slack.Person("bob", nil)
	room := w.slack.Channel("private", func(c *slacktest.Channel) { c.Private = true }, ann, bob)
	w.list()
	told := func(email string, restricted bool, at time.Time) {
		w.heard("user_change", fmt.Sprintf(`{"type":"user_change","user":{"id":%q,"team_id":%q,"name":"ann","is_restricted":%t,"is_email_confirmed":true,"profile":{"display_name":"ann","email":%q}}}`,
			ann.ID, slacktest.TeamID, restricted, email), at)
	}
	told("ann.new@example.com", false, time.Now())
	if got, want := shown(w.present(room)), "members ann:ann.new@example.com bob:bob@example.com"; got != want {
		t.Errorf("with another address %q, want %q", got, want)
	}
	told("ann@example.com", false, time.Now().Add(-time.Hour))
	if got, want := shown(w.present(room)), "members ann:ann.new@example.com bob:bob@example.com"; got != want {
		t.Errorf("after an event that is an hour late %q, want %q", got, want)
	}
	told("ann.new@example.com", true, time.Now().Add(-time.Hour))
	if got, want := shown(w.present(room)), "ann: bob:bob@example.com outsiders"; got != want {
		t.Errorf("as a guest %q, want %q", got, want)
	}
}

// An address that nobody has proved to own counts nowhere, whichever way Slack tells of it, and
// neither does one of another domain.
func TestOnlyConfirmedAddressesCount(t *testing.T) {
	t.Parallel()
	w := begin(t)
	victim := "chief@example.com"
	ann := w.slack.Person("ann", func(p *slacktest.Person) { p.Email, p.Unconfirmed = victim, true })
	bob := w.slack.Person("bob", func(p *slacktest.Person) { p.Email = "bob@elsewhere.example" })
	cid := w.slack.Person("cid", func(p *slacktest.Person) { p.Email = "Cid@Example.com" })
	room := w.slack.Channel("private", func(c *slacktest.Channel) { c.Private = true }, ann, bob, cid)
	check := func(when, address string, emails ...access.Principal) {
		t.Helper()
		if got, want := shown(w.present(room)), "members ann:"+address+" bob:bob@elsewhere.example cid:cid@example.com"; got != want {
			t.Errorf("%s the channel is %q, want %q", when, got, want)
		}
		var held []access.Principal
		for _, p := range []*slacktest.Person{ann, bob, cid} {
			there, err := w.client.Alone(t.Context(), p.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range there.Held {
				if strings.HasPrefix(string(h.Principal), "user:email:") {
					held = append(held, h.Principal)
				}
			}
		}
		if diff := cmp.Diff(emails, held); diff != "" {
			t.Errorf("%s the addresses that count (-want +got):\n%s", when, diff)
		}
	}
	check("by users.info", "", "user:email:cid@example.com")
	w.list()
	check("by users.list", "", "user:email:cid@example.com")
	tell := func(confirmed string) {
		w.heard("user_change", fmt.Sprintf(`{"type":"user_change","user":{"id":%q,"team_id":%q,"name":"ann"%s,"profile":{"display_name":"ann","email":%q}}}`,
			ann.ID, slacktest.TeamID, confirmed, victim), time.Now())
	}
	tell(`,"is_email_confirmed":false`)
	check("after an event", "", "user:email:cid@example.com")
	tell("")
	check("after an event that does not say", "", "user:email:cid@example.com")
	ann.Become(func(p *slacktest.Person) { p.Email, p.Unconfirmed = "ann@example.com", false })
	w.heard("user_change", fmt.Sprintf(`{"type":"user_change","user":{"id":%q,"team_id":%q,"name":"ann","is_email_confirmed":true,"profile":{"display_name":"ann","email":"ann@example.com"}}}`,
		ann.ID, slacktest.TeamID), time.Now())
	check("once it is confirmed", "ann@example.com", "user:email:ann@example.com", "user:email:cid@example.com")
	w.domains = nil
	check("without identity.domains", "ann@example.com")
}

func TestBoundUserGroups(t *testing.T) {
	t.Parallel()
	w := begin(t)
	ann, bob := w.slack.Person("ann", nil), w.slack.Person("bob", nil)
	guest := w.slack.Person("guest", func(p *slacktest.Person) { p.Guest = true })
	finance, board := w.slack.UserGroup("finance", ann, bob, guest), w.slack.UserGroup("board", ann)
	w.slack.UserGroup("unbound", ann, bob)
	w.connect(access.BoundGroup{ID: finance.ID, Name: "money"}, access.BoundGroup{ID: board.ID, Name: "board"}, access.BoundGroup{ID: "S0GONE", Name: "gone"})
	alone := func(p *slacktest.Person) string {
		t.Helper()
		there, err := w.client.Alone(t.Context(), p.ID)
		if err != nil {
			t.Fatal(err)
		}
		remembered, ok := w.client.Remembered(t.Context(), "", p.ID, true)
		if diff := cmp.Diff(access.AudienceOf(there.Tenant, there.Held).Principals(), remembered.Principals()); diff != "" || !ok {
			t.Errorf("what is remembered of %s: %t (-asked +remembered):\n%s", p.Name, ok, diff)
		}
		return shown(there)
	}
	if _, ok := w.client.Remembered(t.Context(), "", ann.ID, true); ok {
		t.Error("before user groups were read it is remembered what somebody holds")
	}
	for _, tt := range []struct { // the guest first: of guests no user group is read
		who  *slacktest.Person
		want string
	}{{guest, "guest:"}, {ann, "members group:money group:board ann:ann@example.com"}, {bob, "members group:money bob:bob@example.com"}} {
		if got := alone(tt.who); got != tt.want {
			t.Errorf("%s is %q, want %q", tt.who.Name, got, tt.want)
		}
	}
	room := w.slack.Channel("private", func(c *slacktest.Channel) { c.Private = true }, ann, bob)
	if got, want := shown(w.present(room)), "members group:money ann:ann@example.com bob:bob@example.com"; got != want {
		t.Errorf("in a private channel %q, want %q", got, want)
	}
	if got, want := shown(w.present(w.slack.Channel("public", nil, ann))), "members open"; got != want {
		t.Errorf("in a public channel %q, want %q", got, want)
	}
	w.slack.Regroup(finance, ann)
	w.heard("subteam_members_changed", `{"type":"subteam_members_changed"}`, time.Now())
	if got, want := shown(w.present(room)), "members ann:ann@example.com bob:bob@example.com"; got != want {
		t.Errorf("after somebody left the group %q, want %q", got, want)
	}
	if n := len(w.slack.Calls("usergroups.list")); n != 2 {
		t.Errorf("user groups were read %d times, want 2", n)
	}
}

// Without the scope nobody holds a bound group, and everything else goes on.
func TestUserGroupsWithoutTheirScope(t *testing.T) {
	t.Parallel()
	w := &workspace{T: t, known: access.NewLocal(), slack: slacktest.Start(slacktest.Config{
		NoTiers: true, Scopes: slices.DeleteFunc(slices.Clone(slacktest.AllScopes), func(s string) bool { return s == "usergroups:read" }),
	})}
	t.Cleanup(w.slack.Close)
	ann := w.slack.Person("ann", nil)
	w.connect(access.BoundGroup{ID: w.slack.UserGroup("finance", ann).ID, Name: "finance"})
	for range 2 {
		there, err := w.client.Alone(t.Context(), ann.ID)
		if got, want := shown(there), "members ann:ann@example.com"; got != want || err != nil {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	if n := len(w.slack.Calls("usergroups.list")); n != 1 {
		t.Errorf("user groups were asked for %d times, want once", n)
	}
}

// Where so many ask at once that Slack cannot be asked about all of them, nobody is taken for
// somebody who holds less: it is said that it will be known.
func TestNobodyHoldsLessForWantOfRoom(t *testing.T) {
	t.Parallel()
	w := begin(t)
	ann, bob := w.slack.Person("ann", nil), w.slack.Person("bob", nil)
	room := w.slack.Channel("room", func(c *slacktest.Channel) { c.Private = true }, ann, bob)
	for _, p := range []*slacktest.Person{ann, bob} {
		if _, err := w.client.Profile(t.Context(), p.ID); err != nil {
			t.Fatal(err)
		}
	}
	w.client.Share(10_000) // one more call of each kind, then none for hours
	if _, err := w.client.Alone(t.Context(), ann.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := w.client.Alone(t.Context(), bob.ID); !errors.Is(err, access.ErrPending) {
		t.Errorf("whose channels are not known: %v", err)
	}
	if _, err := w.client.Present(t.Context(), room.ID); !errors.Is(err, access.ErrPending) {
		t.Errorf("in a private channel: %v", err)
	}
	w.connect()
	w.client.Share(10_000)
	if _, err := w.client.Alone(t.Context(), ann.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := w.client.Alone(t.Context(), bob.ID); !errors.Is(err, access.ErrPending) {
		t.Errorf("who is not known: %v", err)
	}
}

// While a look-up waits, Slack is not asked again for what it has said.
func TestWaitingLookUpKeepsWhatWasRead(t *testing.T) {
	t.Parallel()
	w := begin(t)
	var people []*slacktest.Person
	inside := make(map[string]bool)
	for i := range 60 {
		p := w.slack.Person(fmt.Sprint("p", i), nil)
		people, inside[p.ID] = append(people, p), true
	}
	room := w.slack.Channel("room", nil, people...)
	here := access.Workspace{Platform: "slack", ID: slacktest.TeamID}
	at, due, err := w.known.Begin(t.Context(), here)
	if err != nil || !due {
		t.Fatalf("begin a list: %t, %v", due, err)
	}
	pending := func(what string, calls int) {
		t.Helper()
		if _, err := w.client.Present(t.Context(), room.ID); !errors.Is(err, access.ErrPending) {
			t.Errorf("%s: %v", what, err)
		}
		if n := len(w.slack.Calls("conversations.info")) + len(w.slack.Calls("conversations.members")); n != calls {
			t.Errorf("%s: %d calls, want %d", what, n, calls)
		}
	}
	w.slack.Fail(slacktest.Fault{Method: "conversations.members", Status: http.StatusTooManyRequests, RetryAfter: time.Hour})
	for range 3 {
		pending("Slack limits the calls", 2)
	}
	w.connect()
	for range 3 {
		pending("the people are being listed", 4)
	}
	if err := w.known.Found(t.Context(), here, inside, at); err != nil {
		t.Fatal(err)
	}
	there, err := w.client.Present(t.Context(), room.ID)
	if err != nil || there.Outsiders {
		t.Errorf("%+v, %v", there, err)
	}
	if n := len(w.slack.Calls("conversations.members")); n != 2 {
		t.Errorf("the members were read %d times", n)
	}
}

func userOf(inner string) event.ID {
	_, rest, _ := strings.Cut(inner, `"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	return event.ID(id)
}

// People live where their profile says; a zone that this machine does not know is as far from UTC
// as Slack says.
func TestWherePeopleLive(t *testing.T) {
	t.Parallel()
	w := begin(t)
	for zone, want := range map[string]string{"America/New_York": "America/New_York", "Atlantis/Reef": "Atlantis/Reef", "": ""} {
		p := w.slack.Person("p"+zone[max(len(zone)-4, 0):], func(p *slacktest.Person) { p.Zone = zone })
		found, err := w.client.Profile(t.Context(), p.ID)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if found.Zone != nil {
			got = found.Zone.String()
		}
		if got != want {
			t.Errorf("%q: %q", zone, got)
		}
	}
}
