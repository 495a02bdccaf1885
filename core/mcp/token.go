package mcp

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
)

// Lifetimes of a token.
const (
	DefaultLifetime = 90 * 24 * time.Hour
	MaxLifetime     = 366 * 24 * time.Hour
)

// Token is a stored personal token. It names one person and does not contain its secret.
type Token struct {
	ID, Name string
	Person   access.Account // only Workspace and ID are set
	Created  time.Time
	Expires  time.Time
	Revoked  time.Time // zero: not revoked
	Used     time.Time // to the minute; zero: never
}

// Hash is the SHA-256 of a secret. A slower hash is not needed, because a secret of 256 random bits
// cannot be guessed.
type Hash [sha256.Size]byte

// Tokens stores tokens. It is safe for concurrent use by any number of processes.
type Tokens interface {
	// Find returns a tenant's token with a hash. The token may be expired or revoked. The error is
	// ErrUnknownToken if there is no such token.
	Find(ctx context.Context, tenant access.TenantID, hash Hash) (Token, error)
}

// ErrUnknownToken reports that a tenant has no such token.
var ErrUnknownToken = errors.New("the token is not known")

// SecretPrefix is the prefix of every secret. It lets people and secret scanners recognise a token.
const SecretPrefix = "footnote_"

// NewSecret returns the secret and the id of a new token. The secret is shown once.
func NewSecret() (secret, id string) {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	return SecretPrefix + base64.RawURLEncoding.EncodeToString(random[:]), strings.ToLower(rand.Text()[:8])
}

// HashOf returns the hash under which a secret is stored.
func HashOf(secret string) Hash { return sha256.Sum256([]byte(secret)) }

// Invalid returns a Refusal if the token is revoked or expired at now, and nil otherwise.
func (t Token) Invalid(now time.Time) error {
	switch {
	case !t.Revoked.IsZero():
		return Refusal("This token was revoked. Ask the people who run Footnote for a new one.")
	case !now.Before(t.Expires):
		return Refusal("This token has expired. Ask the people who run Footnote for a new one.")
	}
	return nil
}

// Refusal is an error for the person whose assistant made the call. It is a sentence that says why
// there is no result.
type Refusal string

func (r Refusal) Error() string { return string(r) }
