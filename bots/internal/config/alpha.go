package config

import "github.com/footnotehq/footnote/core/retrieve"

// alphas sets the weights of semantic results in a search. If the setting is empty, HybridAlpha and
// SentenceAlpha get different defaults. Otherwise both get its value.
func alphas(c *Config) func(string) error {
	return func(v string) error {
		if v == "" {
			c.HybridAlpha, c.SentenceAlpha = retrieve.DefaultConfig().Alpha, retrieve.AlphaSentences
			return nil
		}
		err := clipped(&c.HybridAlpha, 0, 1)(v)
		c.SentenceAlpha = c.HybridAlpha
		return err
	}
}
