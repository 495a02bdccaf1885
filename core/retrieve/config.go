package retrieve

import (
	"math"
	"time"

	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

// Config holds the settings of a search. The names in the comments are those of the environment.
// Values are taken as they are, zero included, and clipped to what makes sense; start from
// DefaultConfig.
type Config struct {
	Alpha       float64 // HYBRID_ALPHA: share of the semantic side; clipped to 0–1
	TitleRatio  float64 // TITLE_CONTENT_RATIO: share of the title on the keyword side; clipped to 0–1
	MaxChunks   int     // MAX_CHUNKS_FED_TO_CHAT; below 1 means the default
	Above       int     // CONTEXT_CHUNKS_ABOVE the best chunk; below 0 means 0
	Below       int     // CONTEXT_CHUNKS_BELOW it; below 0 means 0
	TimeDecay   float64 // DOC_TIME_DECAY per year of age; below 0 means 0
	FavorRecent float64 // FAVOR_RECENT_DECAY_MULTIPLIER; below 0 means 0
	// RECENCY_FLOOR: what age leaves of a score at least, RecentFloor where what is recent is asked
	// for; clipped to 0–1
	RecencyFloor float64
	PerSide      int // candidates of each side; below 1 means the default
	// share of a long question's weight that a passage must match to be evidence (see Needed);
	// clipped to 0–1
	MinCoverage float64
	// … or is as similar as this; 0 means that similarity alone is no evidence, since its scale
	// differs by model
	MinCosine float64
	// Synonyms returns those of footnote.yaml, which may be read again while the program runs; it
	// is asked for each search. Nil: there are none.
	Synonyms func() *analyse.Synonyms
	Observe  func(Trace) // told of every search that did not fail, from any goroutine; nil: no one is
	// Begin is called when a search begins, and what it returns when that ends; nil: nothing is.
	Begin func() (end func())
	// EmbedWait is how long a search waits for the vectors of its queries; below 1 means the default.
	EmbedWait time.Duration
}

// DefaultEmbedWait bounds the wait for the vectors of a question. Then the search goes on by
// keywords alone: a person waits for the answer, and most questions share a word with the passage
// they need.
const DefaultEmbedWait = 2 * time.Second

// AlphaSentences is Config.Alpha for vectors of the sentence model in the program: they are worth
// more than those of the word table (decision 79).
const AlphaSentences = 0.7

// DefaultConfig returns the defaults of every setting.
func DefaultConfig() Config {
	return Config{Alpha: 0.5, TitleRatio: 0.10, MaxChunks: 10, Above: 1, Below: 1, TimeDecay: 0.5, FavorRecent: 2, RecencyFloor: 0.9,
		PerSide: 300, EmbedWait: DefaultEmbedWait, MinCoverage: DefaultMinCoverage}
}

// clipped returns c with every value in its range; numbers that are no numbers become the default.
func (c Config) clipped() Config {
	d := DefaultConfig()
	c.Alpha = clip(c.Alpha, 0, 1, d.Alpha)
	c.TitleRatio = clip(c.TitleRatio, 0, 1, d.TitleRatio)
	c.TimeDecay = clip(c.TimeDecay, 0, math.MaxFloat64, d.TimeDecay)
	c.FavorRecent = clip(c.FavorRecent, 0, math.MaxFloat64, d.FavorRecent)
	c.RecencyFloor = clip(c.RecencyFloor, 0, 1, d.RecencyFloor)
	c.MinCoverage = clip(c.MinCoverage, 0, 1, d.MinCoverage)
	c.MinCosine = clip(c.MinCosine, 0, 1, d.MinCosine)
	c.Above, c.Below = max(c.Above, 0), max(c.Below, 0)
	if c.MaxChunks < 1 {
		c.MaxChunks = d.MaxChunks
	}
	if c.PerSide < 1 {
		c.PerSide = d.PerSide
	}
	if c.EmbedWait < 1 {
		c.EmbedWait = d.EmbedWait
	}
	return c
}

func clip(v, low, high, otherwise float64) float64 {
	if math.IsNaN(v) {
		return otherwise
	}
	return min(max(v, low), high)
}
