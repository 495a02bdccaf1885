package sources

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

// A person who can write to the database can write rows of sources. A row says which folder is
// read, and where a credential is sent. So a row counts only if footnote.yaml declares its source,
// or if the row has an approval: a MAC with a key that the database does not hold.

const keySize = 32

// ErrDamagedKey reports that a stored key is not valid.
var ErrDamagedKey = errors.New("the key that approves sources is damaged")

// DeriveKey returns a key that is derived from a secret. It is the key with which [Approve]
// approves sources.
func DeriveKey(secret string) ([]byte, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "footnote source approval", keySize)
	if err != nil {
		return nil, fmt.Errorf("derive the key that approves sources: %w", err)
	}
	return key, nil
}

// NewKey returns a new random key, in the format that ParseKey reads.
func NewKey() (string, error) {
	key := make([]byte, keySize)
	if _, err := rand.Read(key); err != nil {
		return "", err
	}
	return hex.EncodeToString(key) + "\n", nil
}

// ParseKey parses a key in the format of NewKey. The error is ErrDamagedKey if the text is not a
// key.
func ParseKey(text string) ([]byte, error) {
	key, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(key) != keySize {
		return nil, ErrDamagedKey
	}
	return key, nil
}

// Approve returns a message authentication code (MAC) that proves that an operator approved the
// settings of a source. row is the canonical text of these settings.
func Approve(key, row []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write(row)
	return hex.EncodeToString(mac.Sum(nil))
}

// ApprovedBy finds the key with which a source was approved, and returns its index in keys.
// approval is the result of [Approve] for row. ApprovedBy returns Unapproved if no key fits.
func ApprovedBy(keys [][]byte, row []byte, approval string) int {
	given, err := hex.DecodeString(approval)
	if err != nil || len(given) == 0 {
		return Unapproved
	}
	for i, key := range keys {
		mac := hmac.New(sha256.New, key)
		mac.Write(row)
		if hmac.Equal(given, mac.Sum(nil)) {
			return i
		}
	}
	return Unapproved
}

func unapproved(id document.SourceID, o Options) string {
	does := "it would be read by hand"
	if o.Every > 0 {
		does = "it would be read every " + o.Every.String()
	}
	return fmt.Sprintf("this source is not approved: an earlier version, another machine, or a stranger with the database's password wrote it; %s, for %s. "+
		"Nothing is read or sent for it. If it is yours, run footnote sources approve %s, or write it under sources: in footnote.yaml; else run footnote sources remove %s",
		does, o.Readers(), id, id)
}

func unapprovedOptions(id document.SourceID, o Options) string {
	return fmt.Sprintf("the database holds options of the source %s that are not approved, for %s. Say them now, as flags or in footnote.yaml, "+
		"or take them over with footnote sources approve %s", id, o.Readers(), id)
}
