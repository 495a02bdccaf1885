package owner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Accounts looks up the accounts of people. It must be safe for concurrent use.
type Accounts interface {
	// AccountsOf returns the accounts in a workspace that belong to an identity (Owner.Identity).
	// It follows the rules of access.Grants. The operator's statements have priority, and the
	// address that the workspace vouches for comes next. Email is set for accounts that were found
	// by their address. An identity that begins with "@" is an account of source.
	AccountsOf(ctx context.Context, tenant access.TenantID, w access.Workspace, identity string, source document.SourceID) ([]access.Account, error)
}

// Desk finds the owner of a page whom the bot names if the documents do not answer a question. It
// decides whether the bot may ask that owner. It is safe for concurrent use.
type Desk struct {
	Finder
	session.Owners
	Accounts Accounts
	Platform chat.Platform
	Domains  func() []string // identity.domains, in small letters; nil: none
}

// Offer is an owner of a page whom an answer names. If Account is set, the bot may ask the owner.
type Offer struct {
	Owner
	Account access.Account // the account to ask; zero if the owner is only named
}

// Askable reports whether the owner may be asked in the thread.
func (o Offer) Askable() bool { return o.Account.ID != "" }

// Called returns the owner's name in a form that can be put into a sentence. It prefers the name on
// the chat platform.
func (o Offer) Called() string {
	if strings.TrimSpace(o.Account.Name) != "" {
		return Called(o.Account.Name)
	}
	return o.Owner.Called()
}

// Packet converts the offer to a [packet.Owner].
func (o Offer) Packet() *packet.Owner {
	return &packet.Owner{Name: o.Called(), Page: o.Page.Title, Ask: o.Askable()}
}

const (
	// maxPages is the number of nearest pages whose owners are looked up.
	maxPages = 3
	// maxOwners is the maximum number of owners of a page that are checked.
	maxOwners = 5
)

// Unanswered reports whether the documents did not answer a question. Either nothing was found, or
// the answer cites no document.
func Unanswered(outcome session.Outcome, grounding packet.Grounding) bool {
	return outcome == session.NoEvidence || outcome == session.Answered && grounding == packet.Uncited
}

// Nearest returns an owner of the first page that has one. It prefers an owner who may be asked.
// pages must be ordered, nearest first. audience is everyone who sees the answer. If Nearest
// returns both an owner and an error, the owner must not be asked.
func (d *Desk) Nearest(ctx context.Context, t session.Turn, audience access.Audience, pages []document.Ref) (o Offer, found bool, err error) {
	for _, page := range pages[:min(len(pages), maxPages)] {
		owners, err := d.Of(ctx, audience, page, maxOwners)
		if err != nil {
			return Offer{}, false, err
		}
		if len(owners) == 0 {
			continue
		}
		account, of, err := d.askable(ctx, t, owners)
		return Offer{Owner: owners[of], Account: account}, true, err
	}
	return Offer{}, false, nil
}

func (d *Desk) askable(ctx context.Context, t session.Turn, owners []Owner) (account access.Account, of int, err error) {
	if !t.Public() {
		return access.Account{}, 0, nil
	}
	standing, err := d.OwnerStanding(ctx, t)
	if err != nil || standing.Asked || standing.Enclosed {
		return access.Account{}, 0, err
	}
	var open *openers
	for i, o := range owners {
		candidate, err := d.candidate(ctx, t, o)
		if err != nil || candidate.ID == "" {
			if err != nil {
				return access.Account{}, 0, err
			}
			continue
		}
		if open == nil {
			if open, err = d.openers(ctx, t); err != nil {
				return access.Account{}, 0, err
			}
		}
		if account, err = d.verifyReader(ctx, t, candidate, open); err != nil {
			return access.Account{}, 0, err
		}
		if account.ID != "" {
			return account, i, nil
		}
	}
	return access.Account{}, 0, nil
}

// candidate returns the account of an owner whom the bot may ask, or the zero account. The owner
// must have exactly one account, and must be named by the page's own source. The asker and people
// who do not want to be asked are excluded.
func (d *Desk) candidate(ctx context.Context, t session.Turn, o Owner) (access.Account, error) {
	if o.Identity == "" || o.Claimed {
		return access.Account{}, nil
	}
	ref := t.Session.Ref
	found, err := d.Accounts.AccountsOf(ctx, t.Session.Tenant, access.Workspace{Platform: string(ref.Platform), ID: ref.Workspace}, o.Identity, o.Source)
	if err != nil || len(found) != 1 || found[0].ID == t.Asker.ID {
		return access.Account{}, err
	}
	undisturbed, err := d.Undisturbed(ctx, t.Session.Tenant, ref.Platform, found[0].ID)
	if err != nil || undisturbed {
		return access.Account{}, err
	}
	return found[0], nil
}

type openers struct {
	named  []access.Account // everyone, if known
	others access.ACL       // otherwise: who can open the channel
}

func (d *Desk) openers(ctx context.Context, t session.Turn) (*openers, error) {
	there, err := d.Platform.Listeners(ctx, t.ForChannel())
	if err != nil {
		return nil, fmt.Errorf("ask who reads a thread: %w", err)
	}
	if there.Tenant != t.Session.Tenant {
		return nil, errors.New("ask who reads a thread: the platform answers for another tenant")
	}
	if !there.Open && there.People != nil {
		return &openers{named: there.People}, nil
	}
	ref := t.Session.Ref
	open := &openers{others: access.ACL{access.Channel(string(ref.Platform), ref.Channel)}}
	room, err := d.Platform.Room(ctx, thread.Ref{Platform: ref.Platform, Workspace: ref.Workspace, Channel: ref.Channel})
	switch {
	case errors.Is(err, thread.ErrNotPermitted): // no channel that every member can open
	case err != nil:
		return nil, fmt.Errorf("ask who can open a channel: %w", err)
	case room.Open && room.Present.Tenant == t.Session.Tenant:
		open.others = append(open.others, access.Members)
	}
	return open, nil
}

// verifyReader returns the current account of a candidate, or the zero account if the person must
// not be asked. The person must be a full member who can open the thread, and must still have the
// address by which the account was found.
func (d *Desk) verifyReader(ctx context.Context, t session.Turn, candidate access.Account, open *openers) (access.Account, error) {
	ref := t.Session.Ref
	alone, err := d.Platform.Listeners(ctx, session.Turn{
		Session: session.Session{Tenant: t.Session.Tenant, Ref: thread.Ref{Platform: ref.Platform, Workspace: ref.Workspace, Channel: ref.Channel}},
		Asker:   thread.Person{ID: candidate.ID}, Direct: true,
	})
	if err != nil {
		return access.Account{}, fmt.Errorf("ask who an owner is: %w", err)
	}
	if alone.Tenant != t.Session.Tenant || len(alone.People) != 1 {
		return access.Account{}, nil
	}
	account := alone.People[0]
	if account.ID != candidate.ID || !account.Full || account.Gone || account.Bot {
		return access.Account{}, nil
	}
	var domains []string
	if d.Domains != nil {
		domains = d.Domains()
	}
	// found by an address that changed
	if candidate.Email != "" && account.Address(domains) != candidate.Email {
		return access.Account{}, nil
	}
	may := access.AudienceOf(alone.Tenant, alone.Held).MayRead(open.others)
	if open.named != nil {
		may = slices.ContainsFunc(open.named, func(a access.Account) bool { return a.ID == account.ID })
	}
	if !may {
		return access.Account{}, nil
	}
	if account.Name == "" {
		account.Name = candidate.Name
	}
	return account, nil
}
