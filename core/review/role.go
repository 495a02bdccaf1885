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

// Role decides which pages of the console a person may open. Independently of the role, a page
// shows only what the person may read.
type Role string

// The roles.
const (
	Admin     Role = "admin"
	Moderator Role = "moderator"
	GapReader Role = "gaps"
)

// Roles returns all roles.
func Roles() []Role { return []Role{Admin, Moderator, GapReader} }

// Page is a page of the console, or a part of a page that needs more rights.
type Page string

// The pages.
const (
	PageToday     Page = "today"
	PageQuestions Page = "questions"
	PageGaps      Page = "gaps"
	PageSources   Page = "sources"
	PageTry       Page = "try"
	PageFiles     Page = "files"     // kept in projects
	PageSetup     Page = "setup"     // agents, projects, document sets, channels
	PartOperation Page = "operation" // costs, and what is broken
	PartReveal    Page = "reveal"    // single questions of other people, for a stated reason

	PartModeration Page = "moderation" // correct and remove other people's answers

	// PartSettings is agents, projects and document sets, and changes of settings. Without it,
	// PageSetup shows the settings of the viewer's channels.
	PartSettings Page = "settings"
)

var pages = map[Role][]Page{
	Admin:     {PageToday, PageQuestions, PageGaps, PageTry, PageFiles, PageSources, PageSetup, PartOperation, PartReveal, PartModeration, PartSettings},
	Moderator: {PageToday, PageQuestions, PageGaps, PageTry, PageFiles, PageSetup, PartModeration},
	GapReader: {PageGaps, PageSetup},
}

// Opens reports whether the role may open a page.
func (r Role) Opens(p Page) bool { return slices.Contains(pages[r], p) }

// Pages returns the pages that the role may open, the start page first.
func (r Role) Pages() []Page { return slices.Clone(pages[r]) }

// Lifetimes of a sign-in link and a session. Use does not extend them.
const (
	LinkLifetime    = 10 * time.Minute
	SessionLifetime = 12 * time.Hour
)

// Hash is the SHA-256 of the secret of a link or a session. The secret is 256 random bits, so
// nothing slower is needed.
type Hash [sha256.Size]byte

// NewSecret returns the secret of a new link or session.
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
	Role    Role // at the moment
	Expires time.Time
}

// ActorOf returns a person of the console as the actor of an audit entry.
func ActorOf(p access.Account) session.Actor {
	if p.Platform == Terminal {
		return session.Actor{Platform: session.Host, ID: p.ID}
	}
	return session.Actor{Platform: thread.Platform(p.Platform), ID: p.ID}
}

// Sign-in errors.
var (
	ErrLink    = errors.New("the link is not valid: it expired, was used before, or belongs to a person whose role was removed")
	ErrSession = errors.New("the session is not valid: it expired, was ended, or its person has no role any more")
	// ErrIdentity reports that an account of an identity provider is connected to another person,
	// or to no person with a role.
	ErrIdentity = errors.New("the account of the identity provider is not connected to this person")
)

// Identity is an account of an identity provider. Names and mail addresses do not identify it,
// because providers reuse addresses.
type Identity struct{ Issuer, Subject string }

// Sessions stores roles, links and sessions of the console. It is safe for concurrent use by any
// number of processes.
type Sessions interface {
	// Link returns the person whom a link signs in, and changes nothing. It fails with ErrLink.
	Link(ctx context.Context, tenant access.TenantID, link Hash) (SignedIn, error)
	// SignIn uses up a link and begins a session. Of concurrent calls for one link, exactly one
	// succeeds. The others fail with ErrLink.
	SignIn(ctx context.Context, tenant access.TenantID, link, session Hash, id string) (SignedIn, error)
	// Session returns the person who is signed in, with the person's current role. It fails with
	// ErrSession.
	Session(ctx context.Context, tenant access.TenantID, session Hash) (SignedIn, error)
	// Connect lets an identity sign in as the person of a session, and replaces the person's
	// previous identity. It fails with ErrSession, and with ErrIdentity if the identity belongs to
	// another person.
	Connect(ctx context.Context, tenant access.TenantID, session Hash, i Identity) error
	// SignInAs begins a session for the person to whom an identity is connected. It fails with
	// ErrIdentity.
	SignInAs(ctx context.Context, tenant access.TenantID, i Identity, session Hash, id string) (SignedIn, error)
	// SignInPerson begins a session for a person whom the platform has vouched for. It fails with
	// ErrIdentity if the person has no role.
	SignInPerson(ctx context.Context, tenant access.TenantID, person access.Account, session Hash, id string) (SignedIn, error)
	// SignOut ends a session. It does not fail if the session does not exist.
	SignOut(ctx context.Context, tenant access.TenantID, session Hash) error
}
