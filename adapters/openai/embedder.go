package openai

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	sdk "github.com/sashabaranov/go-openai"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/spend"
)

var (
	_ retrieve.Embedder = (*Embedder)(nil)
	_ spend.Counted     = (*Embedder)(nil)
)

// EmbedderConfig configures an [Embedder].
type EmbedderConfig struct {
	Endpoint
	Model string
	// Dimensions is the length of the vectors. 0 means the known length for the model. A smaller
	// length is allowed for models that can shorten their vectors.
	Dimensions int
	Batch      int // texts per request; default 64
}

// Embedder converts texts to unit vectors. It retries passages for minutes, because indexing is
// background work. It retries questions only once, because a person waits. It never waits past the
// deadline of the context. It is safe for concurrent use.
type Embedder struct {
	config EmbedderConfig
	traits vectorTraits
	client *sdk.Client
}

const (
	defaultBatch = 64
	// maxBatchBytes is the maximum size of the texts in one request. OpenAI accepts 300,000 tokens
	// per request, and a token has at least one byte.
	maxBatchBytes    = 256 << 10
	passageAttempts  = 8
	questionAttempts = 2
	firstBackoff     = 500 * time.Millisecond
	maxBackoff       = time.Minute
	maxDimensions    = 16_000 // limit of pgvector
)

// NewEmbedder returns an embedder. It sends no request. It returns an error if Dimensions is 0 and
// the dimensions of the model are not known.
func NewEmbedder(config EmbedderConfig) (*Embedder, error) {
	config.setDefaults()
	faults := config.validate()
	config.Model = strings.TrimSpace(config.Model)
	if config.Model == "" {
		faults = errors.Join(faults, errors.New("no embedding model is named: set EMBEDDING_MODEL to one that the endpoint offers"))
	}
	t := vectorTraitsOf(config.Model)
	own := t.dimensions
	if config.Dimensions == 0 {
		config.Dimensions = own
	}
	switch {
	case config.Dimensions == 0 && faults == nil:
		faults = fmt.Errorf("the dimensions of embedding model %q are unknown: set EMBEDDING_DIMENSIONS", config.Model)
	case config.Dimensions < 0 || config.Dimensions > maxDimensions:
		faults = errors.Join(faults, fmt.Errorf("embeddings of %d dimensions cannot be stored: use 1 to %d", config.Dimensions, maxDimensions))
	case own > 0 && config.Dimensions > own, own > 0 && config.Dimensions < own && !t.shorter:
		faults = errors.Join(faults, fmt.Errorf("embedding model %s has %d dimensions, not %d: correct EMBEDDING_DIMENSIONS", config.Model, own, config.Dimensions))
	}
	if config.Batch < 0 {
		faults = errors.Join(faults, fmt.Errorf("a batch cannot have %d texts: use a positive number", config.Batch))
	}
	if config.Batch == 0 {
		config.Batch = defaultBatch
		if t.maxBatch > 0 {
			config.Batch = t.maxBatch
		}
	}
	if faults != nil {
		return nil, faults
	}
	return &Embedder{config: config, traits: t, client: newClient(config.Endpoint, vectorLimits(config))}, nil
}

// usualDimensions is the minimum vector length that vectorLimits allows for. If the endpoint runs a
// wrong model, the embedder can then still read its vectors and report their length.
const usualDimensions = 4096

// vectorLimits returns the limits of a response with embeddings. They allow one vector for each
// text of a batch, and 32 characters for each number.
func vectorLimits(config EmbedderConfig) boundedjson.Limits {
	numbers := config.Batch * (max(config.Dimensions, usualDimensions) + 16)
	return boundedjson.Limits{Bytes: int64(numbers)*32 + 64<<10, Elements: numbers + 1000, Depth: 16}
}

// Model implements retrieve.Embedder. The name of shortened vectors includes their length, because
// vectors of different lengths are not comparable.
func (e *Embedder) Model() string {
	if e.traits.dimensions > 0 && e.config.Dimensions != e.traits.dimensions {
		return fmt.Sprintf("%s@%d", e.config.Model, e.config.Dimensions)
	}
	return e.config.Model
}

// Dimensions implements retrieve.Embedder.
func (e *Embedder) Dimensions() int { return e.config.Dimensions }

// Embed implements retrieve.Embedder. It sends the texts in batches. It returns an error if a batch
// still fails after its retries.
func (e *Embedder) Embed(ctx context.Context, purpose retrieve.Purpose, texts []string) ([][]float32, error) {
	vectors, _, err := e.EmbedCounted(ctx, purpose, texts)
	return vectors, err
}

// EmbedCounted implements spend.Counted.
func (e *Embedder) EmbedCounted(ctx context.Context, purpose retrieve.Purpose, texts []string) ([][]float32, int, error) {
	out, tokens := make([][]float32, 0, len(texts)), 0
	for start := 0; start < len(texts); {
		end, size := start, 0
		for end < len(texts) && end-start < e.config.Batch && (end == start || size+len(texts[end]) <= maxBatchBytes) {
			size += len(texts[end])
			end++
		}
		vectors, billed, err := e.embedWithRetries(ctx, purpose, texts[start:end])
		if err != nil {
			return nil, tokens, fmt.Errorf("embed %d texts with %s: %w", end-start, e.config.Model, err)
		}
		out, tokens = append(out, vectors...), tokens+billed
		start = end
	}
	return out, tokens, nil
}

func (e *Embedder) embedWithRetries(ctx context.Context, purpose retrieve.Purpose, texts []string) (vectors [][]float32, tokens int, err error) {
	x := e.config.explainer(e.config.Model, "EMBEDDING_MODEL", texts)
	attempts := passageAttempts
	if purpose == retrieve.ForQuery {
		attempts = questionAttempts
	}
	retries := sleep.Backoff{
		First: firstBackoff, Most: maxBackoff, Tries: attempts, Vary: func(wait time.Duration) time.Duration { return wait/2 + rand.N(wait) },
	}
	err = retries.Retry(ctx, func() (err error) {
		vectors, tokens, err = e.embedOnce(ctx, purpose, texts)
		if wrong := (*dimensionError)(nil); err != nil && !errors.As(err, &wrong) {
			err = x.explain(ctx, err)
		}
		return err
	}, func(err error) time.Duration { return min(llm.RetryAfter(err), maxBackoff) })
	if err != nil {
		return nil, 0, err
	}
	return vectors, tokens, nil
}

// dimensionError means that vectors have an unexpected length. The endpoint probably runs another
// model than the settings name.
type dimensionError struct {
	model     string
	got, want int
}

// Error implements error.
func (e *dimensionError) Error() string {
	return fmt.Sprintf("embedding model %s returned vectors of %d dimensions, expected %d: correct EMBEDDING_MODEL or EMBEDDING_DIMENSIONS and index again",
		e.model, e.got, e.want)
}

func (e *Embedder) embedOnce(ctx context.Context, purpose retrieve.Purpose, texts []string) (vectors [][]float32, tokens int, err error) {
	prefix, kind := e.traits.passage, e.traits.passType
	if purpose == retrieve.ForQuery {
		prefix, kind = e.traits.query, e.traits.queryType
	}
	inputs := make([]string, len(texts))
	for i, text := range texts {
		if inputs[i] = prefix + text; strings.TrimSpace(inputs[i]) == "" {
			inputs[i] = noContent // providers refuse a batch with an empty text
		}
	}
	req := sdk.EmbeddingRequestStrings{Input: inputs, Model: sdk.EmbeddingModel(e.config.Model), EncodingFormat: sdk.EmbeddingEncodingFormatFloat}
	if e.traits.shorter && e.config.Dimensions > 0 && e.config.Dimensions != e.traits.dimensions {
		req.Dimensions = e.config.Dimensions
	}
	if kind != "" {
		req.ExtraBody = map[string]any{"input_type": kind}
	}
	resp, err := e.client.CreateEmbeddings(ctx, req)
	if err != nil {
		return nil, 0, err
	}
	vectors, err = e.orderVectors(resp.Data, len(texts))
	return vectors, resp.Usage.PromptTokens, err
}

func (e *Embedder) orderVectors(data []sdk.Embedding, n int) ([][]float32, error) {
	if len(data) != n {
		return nil, fmt.Errorf("%w: %d vectors came back for %d texts", llm.ErrBadRequest, len(data), n)
	}
	indexed := false // servers without the index field send vectors in order
	for _, item := range data {
		indexed = indexed || item.Index != 0
	}
	out := make([][]float32, n)
	for i, item := range data {
		at := i
		if indexed {
			at = item.Index
		}
		if at < 0 || at >= n || out[at] != nil {
			return nil, fmt.Errorf("%w: the vectors have invalid indexes", llm.ErrBadRequest)
		}
		want := e.config.Dimensions
		if want == 0 {
			want = len(data[0].Embedding)
		}
		if len(item.Embedding) != want || want == 0 {
			return nil, &dimensionError{model: e.config.Model, got: len(item.Embedding), want: want}
		}
		if !normalise(item.Embedding) {
			return nil, fmt.Errorf("%w: a vector has values that are not numbers", llm.ErrBadRequest)
		}
		out[at] = item.Embedding
	}
	return out, nil
}

// normalise scales v to length 1. It does not change a zero vector. It returns false if a value is
// not finite.
func normalise(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return false
	}
	if sum == 0 {
		return true
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
	return true
}
