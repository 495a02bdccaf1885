package retrieve

import (
	"math"
	"time"

	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

// Config holds the settings of a search. Begin with DefaultConfig, because a zero field is a valid
// setting. Values outside their range are clipped. Names in capitals in the comments are
// environment variables.
type Config struct {
	Alpha       float64 // HYBRID_ALPHA: share of the semantic side; clipped to 0–1
	TitleRatio  float64 // TITLE_CONTENT_RATIO: share of the title on the keyword side; clipped to 0–1
	MaxChunks   int     // MAX_CHUNKS_FED_TO_CHAT; below 1 means the default
	Above       int     // CONTEXT_CHUNKS_ABOVE: chunks shown before the best chunk; below 0 means 0
	Below       int     // CONTEXT_CHUNKS_BELOW: chunks shown after it; below 0 means 0
	TimeDecay   float64 // DOC_TIME_DECAY: decay per year of age; below 0 means 0
	FavorRecent float64 // FAVOR_RECENT_DECAY_MULTIPLIER: factor of TimeDecay; below 0 means 0
	// RECENCY_FLOOR: minimum Recency, clipped to 0–1; if the question asks for recent documents,
	// RecentFloor applies instead
	RecencyFloor float64
	PerSide      int // maximum candidates per side; below 1 means the default
	// minimum Coverage of evidence for a long question (see Needed); clipped to 0–1
	MinCoverage float64
	// minimum cosine of evidence; 0 means that a cosine alone is not evidence, because the scale of
	// cosines depends on the model
	MinCosine float64
	// Synonyms returns the synonyms of footnote.yaml. Each search calls it, because the file may be
	// reloaded. If Synonyms is nil, there are no synonyms.
	Synonyms func() *analyse.Synonyms
	Observe  func(Trace) // called after each successful search, from any goroutine; may be nil
	// Begin is called at the start of a search. The returned function is called at the end of the
	// search. Begin may be nil.
	Begin func() (end func())
	// EmbedWait is the maximum wait for the vectors of the queries. A value below 1 means
	// DefaultEmbedWait.
	EmbedWait time.Duration
}

// DefaultEmbedWait is the default of Config.EmbedWait, the longest wait for the vectors of a
// question. After that, a search uses keywords only.
const DefaultEmbedWait = 2 * time.Second

// AlphaSentences is [Config.Alpha] for vectors of the built-in sentence model. It is above the
// default because these vectors are better than those of the built-in word table
// (deploy/decisions/0079-sentence-vectors.md).
const AlphaSentences = 0.7

// DefaultConfig returns the default settings.
func DefaultConfig() Config {
	return Config{Alpha: 0.5, TitleRatio: 0.10, MaxChunks: 10, Above: 1, Below: 1, TimeDecay: 0.5, FavorRecent: 2, RecencyFloor: 0.9,
		PerSide: 300, EmbedWait: DefaultEmbedWait, MinCoverage: DefaultMinCoverage}
}

// clipped returns c with every value in its range. NaN becomes the default.
func (c Config) clipped() Config {
	d := DefaultConfig()
	c.Alpha = clampOr(c.Alpha, 0, 1, d.Alpha)
	c.TitleRatio = clampOr(c.TitleRatio, 0, 1, d.TitleRatio)
	c.TimeDecay = clampOr(c.TimeDecay, 0, math.MaxFloat64, d.TimeDecay)
	c.FavorRecent = clampOr(c.FavorRecent, 0, math.MaxFloat64, d.FavorRecent)
	c.RecencyFloor = clampOr(c.RecencyFloor, 0, 1, d.RecencyFloor)
	c.MinCoverage = clampOr(c.MinCoverage, 0, 1, d.MinCoverage)
	c.MinCosine = clampOr(c.MinCosine, 0, 1, d.MinCosine)
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

func clampOr(v, low, high, otherwise float64) float64 {
	if math.IsNaN(v) {
		return otherwise
	}
	return min(max(v, low), high)
}
