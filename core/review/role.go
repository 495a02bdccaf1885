package review

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Role determines which pages of the console a person may open. A page shows only content that the
// person may read, whatever the role.
type Role string

// Roles, from the most rights to the fewest.
const (
	Admin     Role = "admin"
	Moderator Role = "moderator"
	GapReader Role = "gaps"
)

// Roles returns all roles.
func Roles() []Role { return []Role{Admin, Moderator, GapReader} }

// Page is a page of the console, or a part of a page that requires more rights.
type Page string

// Values of [Page]. The names of parts begin with Part.
const (
	PageToday     Page = "today"
	PageQuestions Page = "questions"
	PageGaps      Page = "gaps"
	PageSources   Page = "sources"
	PageTry       Page = "try"
	PageFiles     Page = "files"     // files of projects
	PageSetup     Page = "setup"     // agents, projects, document sets, channels
	PartOperation Page = "operation" // costs, and what is broken
	PartReveal    Page = "reveal"    // single questions of other people, for a stated reason

	PartModeration Page = "moderation" // correct and remove other people's answers

	// PartSettings covers agents, projects and document sets, and lets a person change settings.
	// Without it, PageSetup shows only the settings of the channels that the person is in.
	PartSettings Page = "settings"
)

var pages = map[Role][]Page{
	Admin:     {PageToday, PageQuestions, PageGaps, PageTry, PageFiles, PageSources, PageSetup, PartOperation, PartReveal, PartModeration, PartSettings},
	Moderator: {PageToday, PageQuestions, PageGaps, PageTry, PageFiles, PageSetup, PartModeration},
	GapReader: {PageGaps},
}

// Opens reports whether the role may open a page.
func (r Role) Opens(p Page) bool { return slices.Contains(pages[r], p) }

// Pages returns the pages that the role may open, with the start page first.
func (r Role) Pages() []Page { return slices.Clone(pages[r]) }

// Lifetimes of a sign-in link and of a session. Use of a link or session does not extend its
// lifetime.
const (
	LinkLifetime    = 10 * time.Minute
	SessionLifetime = 12 * time.Hour
)

// Hash is the SHA-256 of the secret of a link or session. A slower hash is not needed, because the
// secret is 256 random bits.
type Hash [sha256.Size]byte

// NewSecret returns the secret of a new link or session: 256 random bits as text.
func NewSecret() string {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(random[:])
}

// NewID returns a short random id for a session.
func NewID() string { return strings.ToLower(rand.Text()[:8]) }

// HashOf returns the hash under which a secret is stored.
func HashOf(secret string) Hash { return sha256.Sum256([]byte(secret)) }

// SignedIn is a person who is signed in or has a sign-in link.
type SignedIn struct {
	Session string // id; empty: it is a link
	Person  access.Account
	Role    Role // current role
	Expires time.Time
}

// ActorOf returns the actor of an audit entry for a person who is signed in to the console.
func ActorOf(p access.Account) session.Actor {
	if p.Platform == Terminal {
		return session.Actor{Platform: session.Host, ID: p.ID}
	}
	return session.Actor{Platform: thread.Platform(p.Platform), ID: p.ID}
}

// Errors of [Sessions].
var (
	ErrLink    = errors.New("the link is not valid: it expired, was used before, or belongs to a person whose role was removed")
	ErrSession = errors.New("the session is not valid: it expired, was ended, or its person has no role any more")
	// ErrIdentity reports that an account of an identity provider cannot sign in. The account
	// belongs to another person, or to a person without a role.
	ErrIdentity = errors.New("the account of the identity provider is not connected to this person")
)

// Identity is an account of an identity provider. It does not use names or mail addresses, because
// providers reuse addresses.
type Identity struct{ Issuer, Subject string }

// Sessions stores roles, links and sessions of the console. It is safe for concurrent use by any
// number of processes.
type Sessions interface {
	// Link returns the person of a sign-in link. It does not use up the link. The error is ErrLink
	// if the link is invalid.
	Link(ctx context.Context, tenant access.TenantID, link Hash) (SignedIn, error)
	// SignIn uses up a link and begins a session. Of concurrent calls with the same link, exactly
	// one succeeds. The other calls return ErrLink.
	SignIn(ctx context.Context, tenant access.TenantID, link, session Hash, id string) (SignedIn, error)
	// Session returns the person of a session, with the person's current role. The error is
	// ErrSession if the session is invalid.
	Session(ctx context.Context, tenant access.TenantID, session Hash) (SignedIn, error)
	// Connect connects an identity to the person of a session, so that the person can sign in with
	// it. It replaces the person's previous identity. The error is ErrSession if the session is
	// invalid, and ErrIdentity if the identity belongs to another person.
	Connect(ctx context.Context, tenant access.TenantID, session Hash, i Identity) error
	// SignInAs begins a session for the person who is connected to an identity. The error is
	// ErrIdentity if there is no such person.
	SignInAs(ctx context.Context, tenant access.TenantID, i Identity, session Hash, id string) (SignedIn, error)
	// SignInPerson begins a session for a person after the platform has identified the person. The
	// error is ErrIdentity if the person has no role.
	SignInPerson(ctx context.Context, tenant access.TenantID, person access.Account, session Hash, id string) (SignedIn, error)
	// SignOut ends a session. It returns no error if the session does not exist.
	SignOut(ctx context.Context, tenant access.TenantID, session Hash) error
}
