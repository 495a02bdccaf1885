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

// Lifetimes of a personal token.
const (
	DefaultLifetime = 90 * 24 * time.Hour
	MaxLifetime     = 366 * 24 * time.Hour
)

// Token is a personal token as it is stored, without its secret. It acts for one person.
type Token struct {
	ID, Name string
	Person   access.Account // only Workspace and ID are set
	Created  time.Time
	Expires  time.Time
	Revoked  time.Time // zero: not revoked
	Used     time.Time // to the minute; zero: never
}

// Hash is the SHA-256 of a token's secret.
type Hash [sha256.Size]byte

// Tokens stores personal tokens. It must be safe for concurrent use by any number of processes.
type Tokens interface {
	// Find returns a tenant's token with a hash. The token may be expired or revoked. The error is
	// ErrUnknownToken if there is no such token.
	Find(ctx context.Context, tenant access.TenantID, hash Hash) (Token, error)
}

// ErrUnknownToken means that a tenant has no token with the given hash.
var ErrUnknownToken = errors.New("the token is not known")

// SecretPrefix is the beginning of every token's secret. It lets people and secret scanners
// recognise a token.
const SecretPrefix = "footnote_"

// NewSecret returns the secret and the id of a new personal token. Only the hash of the secret
// ([HashOf]) is stored.
func NewSecret() (secret, id string) {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	return SecretPrefix + base64.RawURLEncoding.EncodeToString(random[:]), strings.ToLower(rand.Text()[:8])
}

// HashOf returns the hash under which a token's secret is stored.
func HashOf(secret string) Hash { return sha256.Sum256([]byte(secret)) }

// Invalid returns a [Refusal] if the token is revoked, or expired at now. Otherwise it returns nil.
func (t Token) Invalid(now time.Time) error {
	switch {
	case !t.Revoked.IsZero():
		return Refusal("This token was revoked. Ask the people who run Footnote for a new one.")
	case !now.Before(t.Expires):
		return Refusal("This token has expired. Ask the people who run Footnote for a new one.")
	}
	return nil
}

// Refusal is an error whose text is a sentence for the person who made the call through an
// assistant. It says why there is no result.
type Refusal string

func (r Refusal) Error() string { return string(r) }
