package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/footnotehq/footnote/core/session"
)

// Hash returns a short hash of the settings, including those changed in chat. It leaves out secrets
// and settings of one process or machine, so replicas with equal hashes answer alike.
func (c *Config) Hash(changed ...session.Setting) (string, error) {
	type change struct {
		Place      session.Place
		Key, Value string
	}
	changes := make([]change, len(changed))
	for i, s := range changed {
		changes[i] = change{s.Place, s.Key, s.Value}
	}
	same := *c
	same.TraceEndpoint, same.TraceHeaders = "", nil
	same.FilePath, same.DataDir, same.CAFile = "", "", ""
	same.SecretKeys = nil // the number of keys does not change answers
	same.AdminAddr, same.LogLevel, same.LogFormat, same.Grace = "", "", "", 0
	// All secrets marshal to "***". Model is separate because answers depend on whether there is a
	// model.
	data, err := json.Marshal(struct {
		Settings Config
		Model    bool
		Changes  []change `json:",omitempty"`
	}{same, c.HasModel(), changes})
	if err != nil {
		return "", fmt.Errorf("hash the configuration: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:12], nil
}
