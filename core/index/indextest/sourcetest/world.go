// Package sourcetest checks connectors of sources that have their own readers, together with the
// stores behind them. It checks that the index shows a document only to people who may open it in
// the source. This must hold under random edits, faults, interruptions and several processes at
// once. Once changes stop, the index must also show every document that a person may open.
package sourcetest

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"pgregory.net/rapid"
)

// Domain is the mail domain of accounts that belong to people of a simulated source.
const Domain = "example.com"

// World is a simulated source that decides, by the vendor's rules, who may read a document. It
// evaluates the rules for each person, independently of access lists. It must be safe for
// concurrent use.
type World interface {
	// Connector returns a new connector over the source, in the state of a process that has just
	// started.
	Connector() index.Connector
	// Edit makes one random change to documents, nodes, groups or people.
	Edit(t *rapid.T)
	// Fault makes the source fail at random until mend is called.
	Fault(t *rapid.T) (mend func())
	// Revoke makes the source refuse the credential until restore is called.
	Revoke() (restore func())
	// People returns accounts of a chat platform. Some belong to people of the source, others are
	// unknown there. An account belongs to the person of the source with the same address, if the
	// address is below Domain.
	People() []access.Account
	// Documents returns all documents that ever existed.
	Documents() []document.ID
	// MayRead reports whether an account may currently read a document. It returns false for a
	// missing document.
	MayRead(who access.Account, d document.ID) bool
}

// Partial is a [World] whose vendor does not report all permissions. The index may therefore show
// fewer documents than a person may read.
type Partial interface {
	World
	// MustShow reports whether the index must show a document to an account that may read it, once
	// changes stop.
	MustShow(who access.Account, d document.ID) bool
}

// Stores holds the stores that a test fills from a source and then searches. They must be empty at
// first.
type Stores struct {
	Tenant access.TenantID
	Index  index.Store
	Access index.AccessStore
	Grants access.Grants
	// Readable returns the subset of the documents that an audience may read.
	Readable func(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
	// Search returns the results of a search that matches every document. It is not used if nil.
	Search func(ctx context.Context, audience access.Audience) ([]document.ID, error)
}

// Held lists the principals that the chat platform gives to every simulated account.
var Held = []access.Principal{access.Members}
