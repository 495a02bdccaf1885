package owner_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/owner"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"pgregory.net/rapid"
)

const tenant = access.DefaultTenant

// world is a channel, people, pages, and what documents state of them.
type world struct {
	knowledge.Graph // Statements alone is called
	chat.Unsupported

	stated      []knowledge.Statement
	acls        map[document.ID]access.ACL
	matches     map[string][]access.Account // by identity
	people      map[string]access.Presence  // alone, by id
	there       access.Presence             // in the channel
	room        chat.Room
	standing    session.OwnerStanding
	undisturbed map[string]bool
	broken      string // what does not answer
}

var errBroken = errors.New("away")

func (w *world) fault(what string) error {
	if w.broken == what {
		return errBroken
	}
	return nil
}

// Statements returns what is stated of a title, whoever may read it.
func (w *world) Statements(_ context.Context, q knowledge.Question) ([]knowledge.Statement, error) {
	return slices.DeleteFunc(slices.Clone(w.stated), func(s knowledge.Statement) bool { return !slices.Contains(q.Relations, s.Relation) }), w.fault("graph")
}

func (w *world) Readable(_ context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error) {
	may := make(map[document.ID]bool)
	for _, id := range ids {
		may[id] = audience.MayRead(w.acls[id])
	}
	return may, w.fault("library")
}

func (w *world) AccountsOf(_ context.Context, _ access.TenantID, _ access.Workspace, identity string, _ document.SourceID) ([]access.Account, error) {
	return w.matches[identity], w.fault("accounts")
}

func (w *world) Listeners(_ context.Context, t session.Turn) (access.Presence, error) {
	if t.Direct {
		return w.people[t.Asker.ID], w.fault("person")
	}
	return w.there, w.fault("channel")
}

func (w *world) Room(context.Context, thread.Ref) (chat.Room, error) { return w.room, w.fault("room") }

func (w *world) OwnerStanding(context.Context, session.Turn) (session.OwnerStanding, error) {
	return w.standing, w.fault("store")
}

func (w *world) Undisturbed(_ context.Context, _ access.TenantID, _ thread.Platform, person string) (bool, error) {
	return w.undisturbed[person], w.fault("undisturbed")
}

func (w *world) ClaimOwner(context.Context, session.Turn, string) (bool, error) { return false, nil }
func (w *world) ReleaseOwner(context.Context, session.Turn) error               { return nil }
func (w *world) SetUndisturbed(context.Context, access.TenantID, thread.Platform, string, bool) (bool, error) {
	return false, nil
}

func (w *world) desk() *owner.Desk {
	return &owner.Desk{Finder: owner.Finder{Graph: w, Library: w}, Owners: w, Accounts: w, Platform: w, Domains: func() []string { return []string{"acme.example"} }}
}

var (
	guide   = document.Ref{ID: "docs:guides/deploy.md", Source: "docs", Title: "Deploy handbook"}
	channel = access.Channel("slack", "C1")
	asked   = session.Turn{
		ID: "t1", Session: session.Session{Tenant: tenant, Ref: thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1", Thread: "1"}}, Asker: thread.Person{ID: "U1", Name: "Bob"},
	}
	audience = access.NewAudience(tenant, access.Members, channel)
	ann      = access.Account{Workspace: access.Workspace{Platform: "slack", ID: "T1"}, ID: "U7", Name: "Ann Lee", Email: "ann@acme.example", Full: true}
)

func alone(a access.Account, held ...access.Principal) access.Presence {
	p := access.Presence{Tenant: tenant, People: []access.Account{a}}
	for _, h := range held {
		p.Held = append(p.Held, access.Held{Principal: h})
	}
	return p
}

// open is a public channel with a page that Ann owns, who is not in the channel.
func open() *world {
	return &world{
		stated: []knowledge.Statement{{
			Relation: knowledge.Owns, Subject: "Ann Lee", SubjectKind: knowledge.Person, SubjectKey: "ann@acme.example", ObjectRef: &guide, Document: guide,
		}},
		acls:    map[document.ID]access.ACL{guide.ID: {access.Members}},
		matches: map[string][]access.Account{"ann@acme.example": {ann}},
		people:  map[string]access.Presence{"U7": alone(ann, access.Members)},
		there:   access.Presence{Tenant: tenant, Open: true},
		room:    chat.Room{Open: true, Present: access.Presence{Tenant: tenant}},
	}
}

func TestOwnerIsOfferedOnlyIfTheyMayBeAsked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change   func(w *world, t *session.Turn)
		named    string
		ask, err bool
	}{
		"a member of the workspace in a public channel": {func(*world, *session.Turn) {}, "Ann Lee", true, false},
		"by the name on the platform":                   {func(w *world, _ *session.Turn) { w.stated[0].Subject = "A. Lee" }, "Ann Lee", true, false},
		"in a private channel without them":             {func(w *world, _ *session.Turn) { w.room.Open = false }, "Ann Lee", false, false},
		"in a private channel with them": {func(w *world, _ *session.Turn) {
			w.room.Open, w.people["U7"] = false, alone(ann, access.Members, channel)
		}, "Ann Lee", true, false},
		"in a small private channel without them": {func(w *world, _ *session.Turn) { w.there = alone(access.Account{ID: "U1"}, channel) }, "Ann Lee", false, false},
		"in a small private channel with them":    {func(w *world, _ *session.Turn) { w.there = alone(ann, channel) }, "Ann Lee", true, false},
		"in a direct message":                     {func(_ *world, t *session.Turn) { t.Direct = true }, "Ann Lee", false, false},
		"in a private answer":                     {func(_ *world, t *session.Turn) { t.Session.Owner = "U1" }, "Ann Lee", false, false},
		"in a private thread":                     {func(w *world, _ *session.Turn) { w.standing.Enclosed = true }, "Ann Lee", false, false},
		"once they were asked":                    {func(w *world, _ *session.Turn) { w.standing.Asked = true }, "Ann Lee", false, false},
		"who does not want to be asked":           {func(w *world, _ *session.Turn) { w.undisturbed = map[string]bool{"U7": true} }, "Ann Lee", false, false},
		"who asks":                                {func(_ *world, t *session.Turn) { t.Asker.ID = "U7" }, "Ann Lee", false, false},
		"whom two accounts match": {func(w *world, _ *session.Turn) {
			w.matches["ann@acme.example"] = []access.Account{ann, {ID: "U8"}}
		}, "Ann Lee", false, false},
		"whom no account matches": {func(w *world, _ *session.Turn) { w.matches = nil }, "Ann Lee", false, false},
		"a guest": {func(w *world, _ *session.Turn) {
			guest := ann
			guest.Full = false
			w.people["U7"] = alone(guest, channel)
		}, "Ann Lee", false, false},
		"who has left": {func(w *world, _ *session.Turn) {
			gone := ann
			gone.Gone = true
			w.people["U7"] = alone(gone, access.Members)
		}, "Ann Lee", false, false},
		"an app": {func(w *world, _ *session.Turn) {
			app := ann
			app.Bot = true
			w.people["U7"] = alone(app, access.Members)
		}, "Ann Lee", false, false},
		"whose address has changed": {func(w *world, _ *session.Turn) {
			now := ann
			now.Email = "other@acme.example"
			w.people["U7"] = alone(now, access.Members)
		}, "Ann Lee", false, false},
		"of another tenant": {func(w *world, _ *session.Turn) {
			p := w.people["U7"]
			p.Tenant = "other"
			w.people["U7"] = p
		}, "Ann Lee", false, false},
		"a team": {func(w *world, _ *session.Turn) {
			w.stated[0].Subject, w.stated[0].SubjectKind, w.stated[0].SubjectKey = "@acme/infra", knowledge.Team, "@acme/infra"
		}, "@\u200bacme/infra", false, false},
		"a name alone": {func(w *world, _ *session.Turn) { w.stated[0].SubjectKey = "ann lee" }, "Ann Lee", false, false},
		"whom another source names": {func(w *world, _ *session.Turn) {
			w.stated[0].Document = document.Ref{ID: "web:x", Source: "web"}
			w.acls["web:x"] = access.ACL{access.Members}
		}, "Ann Lee", false, false},
		"whom CODEOWNERS names": {func(w *world, _ *session.Turn) {
			s := &w.stated[0]
			s.ObjectRef, s.ObjectKind, s.ObjectKey, s.Document = nil, knowledge.Path, "docs:/guides/", document.Ref{ID: "docs:CODEOWNERS", Source: "docs"}
			w.acls["docs:CODEOWNERS"] = access.ACL{access.Members}
		}, "Ann Lee", true, false},
		"whom CODEOWNERS names for other files": {func(w *world, _ *session.Turn) {
			s := &w.stated[0]
			s.ObjectRef, s.ObjectKind, s.ObjectKey, s.Document = nil, knowledge.Path, "docs:/other/", document.Ref{ID: "docs:CODEOWNERS", Source: "docs"}
			w.acls["docs:CODEOWNERS"] = access.ACL{access.Members}
		}, "", false, false},
		"who wrote the page": {func(w *world, _ *session.Turn) { w.stated[0].Relation = knowledge.Authored }, "Ann Lee", true, false},
		"the first of several who may be asked": {func(w *world, _ *session.Turn) {
			w.stated = slices.Insert(w.stated, 0, knowledge.Statement{Relation: knowledge.Owns, Subject: "Infra team", SubjectKind: knowledge.Team, ObjectRef: &guide, Document: guide})
		}, "Ann Lee", true, false},
		"of a page that the audience may not read": {func(w *world, _ *session.Turn) { w.acls[guide.ID] = access.ACL{access.User("slack", "U1")} }, "", false, false},
		"whom a hidden page names": {func(w *world, _ *session.Turn) {
			w.stated[0].Document = document.Ref{ID: "docs:hidden", Source: "docs"}
		}, "", false, false},
		"with markup in the name": {func(w *world, _ *session.Turn) {
			w.stated[0].Subject, w.stated[0].SubjectKey = "<!channel> [x](https://evil.example) @everyone "+strings.Repeat("x", 99), "x"
		}, "‹!channel› (x)(https:\u200b//evil.example) @\u200beveryone xxxxxxxxxx…", false, false},
		"while the graph is away":        {func(w *world, _ *session.Turn) { w.broken = "graph" }, "", false, true},
		"while the library is away":      {func(w *world, _ *session.Turn) { w.broken = "library" }, "", false, true},
		"while the platform is away":     {func(w *world, _ *session.Turn) { w.broken = "person" }, "Ann Lee", false, true},
		"while the channel is unknown":   {func(w *world, _ *session.Turn) { w.broken = "channel" }, "Ann Lee", false, true},
		"while the room is unknown":      {func(w *world, _ *session.Turn) { w.broken = "room" }, "Ann Lee", false, true},
		"while accounts are away":        {func(w *world, _ *session.Turn) { w.broken = "accounts" }, "Ann Lee", false, true},
		"while the store is away":        {func(w *world, _ *session.Turn) { w.broken = "store" }, "Ann Lee", false, true},
		"while their wishes are unknown": {func(w *world, _ *session.Turn) { w.broken = "undisturbed" }, "Ann Lee", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, turn := open(), asked
			c.change(w, &turn)
			o, found, err := w.desk().Nearest(t.Context(), turn, audience, []document.Ref{{ID: guide.ID, Title: guide.Title}})
			if found != (c.named != "") || (err != nil) != c.err || o.Askable() != c.ask {
				t.Fatalf("the offer is %+v, %v, %v", o, found, err)
			}
			if found && o.Called() != c.named {
				t.Errorf("the owner is called %q, want %q", o.Called(), c.named)
			}
		})
	}
}

// Whoever owns and reads what: nothing is said of a page that the audience may not read, nor what a
// document states that it may not read, and no one is asked who cannot open the thread.
func TestOffersShowNothingHiddenAndAskNoStranger(t *testing.T) {
	t.Parallel()
	named, asks := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := open()
		w.stated, w.acls = nil, make(map[document.ID]access.ACL)
		principals := []access.Principal{access.Public, access.Members, channel, access.User("slack", "U1"), access.User("slack", "U7")}
		var pages []document.Ref
		for n := range 4 {
			id := document.ID(fmt.Sprint("docs:word", n))
			pages = append(pages, document.Ref{ID: id, Source: "docs", Title: fmt.Sprint("Handbook word", n)})
			w.acls[id] = access.ACL{rapid.SampledFrom(principals).Draw(t, "reader")}
		}
		for range rapid.IntRange(0, 6).Draw(t, "statements") {
			page, by := rapid.SampledFrom(pages).Draw(t, "page"), rapid.SampledFrom(pages).Draw(t, "by")
			w.stated = append(w.stated, knowledge.Statement{
				Relation: rapid.SampledFrom([]knowledge.Relation{knowledge.Owns, knowledge.Authored}).Draw(t, "relation"), Subject: "Owner by " + string(by.ID), SubjectKind: knowledge.Person,
				SubjectKey: "ann@acme.example", ObjectRef: &page, Document: by,
			})
		}
		var held []access.Principal
		for _, p := range []access.Principal{access.Members, channel} {
			if rapid.Bool().Draw(t, "held") {
				held = append(held, p)
			}
		}
		w.people["U7"] = alone(ann, held...)
		w.room.Open = rapid.Bool().Draw(t, "open")
		inside := rapid.Bool().Draw(t, "inside")
		if rapid.Bool().Draw(t, "small") {
			w.there = alone(access.Account{ID: "U1"}, channel)
			if inside {
				w.there.People = append(w.there.People, ann)
			}
		}
		reads := access.NewAudience(tenant, rapid.SliceOfN(rapid.SampledFrom(principals[1:3]), 0, 2).Draw(t, "reads")...)
		o, found, err := w.desk().Nearest(t.Context(), asked, reads, pages)
		if err != nil {
			t.Fatal(err)
		}
		if !found {
			return
		}
		named++
		by := document.ID(strings.TrimPrefix(o.Name, "Owner by "))
		if !reads.MayRead(w.acls[o.Page.ID]) || !reads.MayRead(w.acls[by]) {
			t.Fatalf("an audience of %v is shown %+v", reads.Principals(), o)
		}
		if o.Askable() {
			asks++
			opens := slices.Contains(held, channel) || w.room.Open && slices.Contains(held, access.Members)
			if !w.there.Open {
				opens = inside
			}
			if !opens {
				t.Fatalf("a person who holds %v is asked", held)
			}
		}
	})
	if named == 0 || asks == 0 {
		t.Errorf("%d were named and %d asked: the test says nothing", named, asks)
	}
}

func TestUnanswered(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		outcome   session.Outcome
		grounding packet.Grounding
		want      bool
	}{
		{session.NoEvidence, packet.General, true}, {session.Answered, packet.Uncited, true}, {session.Answered, packet.Cited, false}, {session.Answered, packet.General, false},
		{session.Failed, packet.Uncited, false}, {session.Stopped, "", false},
	} {
		if got := owner.Unanswered(c.outcome, c.grounding); got != c.want {
			t.Errorf("%s, %s: %v", c.outcome, c.grounding, got)
		}
	}
}
