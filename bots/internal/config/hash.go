package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Hash names what this process goes by: replicas that show the same hash answer alike. Secrets are no part of it, nor is what concerns
// one process or machine alone.
func (c *Config) Hash() (string, error) {
	same := *c
	same.FilePath, same.DataDir, same.CAFile = "", "", ""
	same.AdminAddr, same.LogLevel, same.LogFormat, same.Grace = "", "", "", 0
	// Secrets marshal to the same three characters, whatever they are; which model answers depends on whether there is one.
	data, err := json.Marshal(struct {
		Settings Config
		Model    bool
	}{same, c.HasModel()})
	if err != nil {
		return "", fmt.Errorf("hash the configuration: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:12], nil
}
