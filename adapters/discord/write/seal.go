package write

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/adapters/discord/event"
)

// sealer encrypts and decrypts the interaction tokens in the store. The first key of SECRET_KEYS
// encrypts, and all keys decrypt. Without SECRET_KEYS, the key is derived from the bot token.
type sealer struct {
	first secretKey
	keys  map[keyID]cipher.AEAD
}

// secretKey is a key and its id. The id precedes the encrypted data and reveals nothing about the
// key.
type secretKey struct {
	id keyID
	cipher.AEAD
}

type keyID [8]byte

// sealedForm is the first byte of encrypted data. It identifies the format.
const sealedForm = 1

// newSealer expects the keys of SECRET_KEYS in secrets, newest first.
func newSealer(token string, secrets []string) (sealer, error) {
	s := sealer{keys: make(map[keyID]cipher.AEAD)}
	for i, secret := range append(slices.Clone(secrets), token) {
		key, err := newSecretKey(secret)
		if err != nil {
			return sealer{}, err
		}
		if i == 0 {
			s.first = key
		}
		s.keys[key.id] = key.AEAD
	}
	return s, nil
}

func newSecretKey(secret string) (secretKey, error) {
	const size = 32
	// One derivation gives both the key and its id; neither reveals the other (RFC 5869).
	derived, err := hkdf.Key(sha256.New, []byte(secret), nil, "footnote discord interaction", size+len(keyID{}))
	if err != nil {
		return secretKey{}, fmt.Errorf("derive the key of interaction tokens: %w", err)
	}
	block, err := aes.NewCipher(derived[:size])
	if err != nil {
		return secretKey{}, fmt.Errorf("set up the encryption of interaction tokens: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	return secretKey{keyID(derived[size:]), aead}, err
}

func (s sealer) seal(t event.Ticket) ([]byte, error) {
	plain, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("seal an interaction token: %w", err)
	}
	head := append([]byte{sealedForm}, s.first.id[:]...)
	nonce := make([]byte, s.first.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, fmt.Errorf("seal an interaction token: %w", err)
	}
	return s.first.Seal(append(slices.Clone(head), nonce...), nonce, plain, head), nil
}

var errSealed = errors.New("the interaction token was sealed with a key that this process does not have: SECRET_KEYS or DISCORD_BOT_TOKEN have changed since")

func (s sealer) open(sealed []byte) (event.Ticket, error) {
	var t event.Ticket
	var id keyID
	if len(sealed) < 1+len(id) || sealed[0] != sealedForm {
		return t, errSealed
	}
	head, rest := sealed[:1+len(id)], sealed[1+len(id):]
	key := s.keys[keyID(head[1:])]
	if key == nil || len(rest) < key.NonceSize() {
		return t, errSealed
	}
	plain, err := key.Open(nil, rest[:key.NonceSize()], rest[key.NonceSize():], head)
	if err != nil {
		return t, errSealed
	}
	if err := json.Unmarshal(plain, &t); err != nil {
		return t, fmt.Errorf("open an interaction token: %w", err)
	}
	return t, nil
}
