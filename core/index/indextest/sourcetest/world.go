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

// World is a source, such as a fake of a vendor's server, that decides by itself who may read what:
// for each person on their own, by the vendor's rules, and not by sets as access lists do. It is
// used by several goroutines at once.
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
	// Documents are all that there ever were.
	Documents() []document.ID
	// MayRead decides for one account whether it may read a document now. No one may read what is
	// not there.
	MayRead(who access.Account, d document.ID) bool
}

// Partial is a World whose vendor does not tell everything: less must be shown than may be read.
type Partial interface {
	World
	// MustShow decides whether an account that may read a document must be shown it, once nothing
	// happens any more.
	MustShow(who access.Account, d document.ID) bool
}

// Stores are where a connector's yields go, and where questions are asked. They are empty at first.
type Stores struct {
	Tenant access.TenantID
	Index  index.Store
	Access index.AccessStore
	Grants access.Grants
	// Readable returns those of the documents that an audience may read.
	Readable func(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error)
	// Search returns what a search finds that could find every document; nil: it is not asked.
	Search func(ctx context.Context, audience access.Audience) ([]document.ID, error)
}

// Held is what each account holds by its platform alone.
var Held = []access.Principal{access.Members}
