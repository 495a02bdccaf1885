package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/footnotehq/footnote/core/session"
)

// Hash names what this process runs with: replicas that show the same hash answer alike. It covers
// what was changed in chat. Secrets are no part of it, nor is what concerns one process or machine
// alone.
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
	same.SecretKeys = nil // while keys change, replicas with more of them and with fewer answer alike
	same.AdminAddr, same.LogLevel, same.LogFormat, same.Grace = "", "", "", 0
	// Secrets marshal to the same three characters, whatever they are; which model answers depends
	// on whether there is one.
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
