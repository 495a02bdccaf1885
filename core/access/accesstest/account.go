package accesstest

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/google/go-cmp/cmp"
)

// AccountSuite tests an implementation of access.Accounts. now is the current time of the store's
// clock.
func AccountSuite(t *testing.T, store access.Accounts, now time.Time) {
	t.Helper()
	here, there := access.Workspace{Platform: "slack", ID: "T1"}, access.Workspace{Platform: "slack", ID: "T2"}
	ada := access.Account{Workspace: here, ID: "U1", Name: "Ada", Email: "ada@example.com", Full: true}
	app := access.Account{Workspace: here, ID: "U2", Name: "App", Bot: true}
	bob := access.Account{Workspace: here, ID: "U3", Name: "Bob", Email: "bob@example.com", Full: true}
	saw := func(w access.Workspace, at time.Time, people ...access.Account) {
		t.Helper()
		if err := store.Saw(t.Context(), w, people, at); err != nil {
			t.Fatal(err)
		}
	}
	holds := func(why string, w access.Workspace, want ...access.Account) {
		t.Helper()
		expected := make(map[string]access.Account)
		for _, a := range want {
			expected[a.ID] = a
		}
		got, err := store.Accounts(t.Context(), w, []string{"U1", "U2", "U3", "nobody"})
		if diff := cmp.Diff(expected, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", why, err, diff)
		}
	}
	holds("before a person was seen", here)
	saw(here, now, ada, app, bob)
	holds("as they were seen", here, ada, app, bob)
	holds("another workspace", there)
	guest := ada
	guest.Email, guest.Full = "", false
	saw(here, now.Add(time.Second), guest)
	saw(here, now, ada)
	holds("what was said earlier does not undo what was said later", here, guest, app, bob)
	saw(here, now.Add(2*time.Second), ada)
	holds("a member again", here, ada, app, bob)
	if err := store.Listed(t.Context(), here, []string{"U2"}, now.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	gone := bob
	gone.Email, gone.Full = "", false
	holds("who stood in no list has no address, unless seen since", here, ada, app, gone)
	saw(here, now.Add(3*time.Second), bob)
	saw(there, now.Add(-2*access.ListAge), access.Account{ID: "U1", Name: "Ada", Email: "ada@example.com", Full: true})
	holds("who was seen too long ago is not known", there)
	saw(here, now.Add(4*time.Second))
	holds("an empty list changes nothing", here, ada, app, bob)
}
