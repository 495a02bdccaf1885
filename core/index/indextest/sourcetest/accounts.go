package sourcetest

import (
	"slices"
	"strings"
	"sync"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// Accounts returns full members of a workspace with the given addresses. It adds a member who is
// unknown in every source, and a guest of another workspace with the first address.
func Accounts(addresses ...string) []access.Account {
	var all []access.Account
	for _, address := range append([]string{"nobody@" + Domain}, addresses...) {
		all = append(all, access.Account{Workspace: access.Workspace{Platform: "slack", ID: "T1"}, ID: "U" + strings.ReplaceAll(address, "@", "-"), Email: address, Full: true})
	}
	guest := all[1]
	guest.ID, guest.Full, guest.Workspace.ID = "Uguest", false, "T2"
	return append(all, guest)
}

// Ever records the ids of all documents that a simulated source ever had. It is safe for concurrent
// use.
type Ever struct {
	mu  sync.Mutex
	ids []document.ID
}

// Meet adds a document unless it is already recorded.
func (e *Ever) Meet(id document.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !slices.Contains(e.ids, id) {
		e.ids = append(e.ids, id)
	}
}

// Documents implements World.
func (e *Ever) Documents() []document.ID {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.ids)
}
