package config

import "github.com/footnotehq/footnote/core/retrieve"

// alphas returns a parser that sets HybridAlpha and SentenceAlpha, the weight of semantic results
// in a search. If the setting is empty, each gets its own default. Otherwise both get the same
// value.
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
