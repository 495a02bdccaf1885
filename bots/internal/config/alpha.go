package config

import "github.com/footnotehq/footnote/core/retrieve"

// alphas sets the share of the semantic side, which is another with sentence vectors unless it was
// set.
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
