// Package sourcetest checks connectors of sources that have their own readers, with the stores
// behind them: whoever is shown a document by the index may open it in the source, under random
// edits, faults, interruptions and several processes at once; and once nothing changes any more,
// the other way round.
package sourcetest

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"pgregory.net/rapid"
)

// Domain is the one whose addresses link accounts with people of sources.
const Domain = "example.com"

// World is a simulated source that decides by the vendor's rules who may read what, for each
// person, and not by sets as access lists do. It is used concurrently.
type World interface {
	// Connector returns a new connector over the source, as a process has it that has just started.
	Connector() index.Connector
	// Edit makes one random change: of documents, nodes, groups, people.
	Edit(t *rapid.T)
	// Fault has the source fail at random, until mend is called.
	Fault(t *rapid.T) (mend func())
	// Revoke has the source refuse the credential, until restore is called.
	Revoke() (restore func())
	// People are accounts of a chat platform: of everyone in the source, and of some who are
	// unknown there. An account belongs to a person of the source whose address, below Domain, is
	// its own.
	People() []access.Account
	// Documents returns all documents that ever existed.
	Documents() []document.ID
	// MayRead reports whether an account may currently read a document. It is false for a missing
	// document.
	MayRead(who access.Account, d document.ID) bool
}

// Partial is a World whose vendor does not report everything, so that less is shown than may be
// read.
type Partial interface {
	World
	// MustShow decides whether an account that may read a document must be shown it, once nothing
	// happens any more.
	MustShow(who access.Account, d document.ID) bool
}

// Stores are the stores that a connector's results are written to and questions are asked of. They
// are initially empty.
type Stores struct {
	Tenant access.TenantID
	Index  index.Store
	Access index.AccessStore
	Grants access.Grants
	// Readable returns those of the documents that an audience may read.
	Readable func(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
	// Search returns the results of a search that matches every document; nil: not used.
	Search func(ctx context.Context, audience access.Audience) ([]document.ID, error)
}

// Held returns the principals that each account holds on its platform.
var Held = []access.Principal{access.Members}
