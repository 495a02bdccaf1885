package discord

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// sealer encrypts interaction tokens for the store. Its key is derived from the bot token, so that every replica of the bot can open
// what another has sealed, and nobody who only reads the database.
type sealer struct{ cipher.AEAD }

func newSealer(token string) (sealer, error) {
	key, err := hkdf.Key(sha256.New, []byte(token), nil, "footnote discord interaction", 32)
	if err != nil {
		return sealer{}, fmt.Errorf("derive the key of interaction tokens: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return sealer{}, fmt.Errorf("set up the encryption of interaction tokens: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	return sealer{aead}, err
}

// ticket is what is needed to answer an interaction.
type ticket struct {
	App       string `json:"app"`
	Token     string `json:"token"`
	Ephemeral bool   `json:"ephemeral,omitempty"`
	ID        string `json:"id"`
	Channel   string `json:"channel"` // where it was used

	// Original is the message that the first response changes, where that is not a message of its own.
	Original string `json:"original,omitempty"`

	at     time.Time // when it came; tokens live from then
	inline *inline   // the request that brought it; nil where it came over the gateway
}

func (s sealer) seal(t ticket) ([]byte, error) {
	plain, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("seal an interaction token: %w", err)
	}
	nonce := make([]byte, s.NonceSize(), s.NonceSize()+len(plain)+s.Overhead())
	if _, err := rand.Read(nonce); err != nil {
		return nil, fmt.Errorf("seal an interaction token: %w", err)
	}
	return s.Seal(nonce, nonce, plain, nil), nil
}

var errSealed = errors.New("the interaction token was sealed with another bot token")

func (s sealer) open(sealed []byte) (ticket, error) {
	var t ticket
	if len(sealed) < s.NonceSize() {
		return t, errSealed
	}
	plain, err := s.Open(nil, sealed[:s.NonceSize()], sealed[s.NonceSize():], nil)
	if err != nil {
		return t, errSealed
	}
	if err := json.Unmarshal(plain, &t); err != nil {
		return t, fmt.Errorf("open an interaction token: %w", err)
	}
	return t, nil
}
