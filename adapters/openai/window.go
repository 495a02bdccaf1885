package openai

import (
	"regexp"
	"strings"
)

type traits struct {
	prefix    string // start of the model's name in lower case, without maker and tag
	window    int    // tokens of input and reply together
	output    int    // maximum length of a reply
	vision    bool
	reasoning bool // needs max_completion_tokens and no temperature
	effort    string
	noTools   bool // does not call tools through this API
}

const (
	unknownWindow = 32_768
	unknownOutput = 4_096
	maxReply      = 8_192 // maximum number of tokens reserved for the reply
)

// knownTraits lists the published limits of models. The longest matching prefix applies. The
// operator's setting for the window takes precedence, because local servers often run a model with
// a smaller window.
var knownTraits = []traits{
	{prefix: "gpt-6", window: 400_000, output: 128_000, vision: true, reasoning: true},
	// Through the chat API, these four models support tools only without reasoning. The first two
	// always reason.
	{prefix: "gpt-6.1-sol", window: 400_000, output: 128_000, vision: true, reasoning: true, noTools: true},
	{prefix: "gpt-6-astra", window: 400_000, output: 128_000, vision: true, reasoning: true, noTools: true},
	{prefix: "gpt-6-sol", window: 400_000, output: 128_000, vision: true, reasoning: true, effort: "none"},
	{prefix: "gpt-6-luna", window: 400_000, output: 128_000, vision: true, reasoning: true, effort: "none"},
	{prefix: "gpt-5", window: 400_000, output: 128_000, vision: true, reasoning: true},
	{prefix: "gpt-5-chat", window: 128_000, output: 16_384, vision: true, reasoning: true},
	{prefix: "gpt-oss", window: 131_072, output: 32_768},
	{prefix: "gpt-4.1", window: 1_047_576, output: 32_768, vision: true},
	{prefix: "gpt-4o", window: 128_000, output: 16_384, vision: true},
	{prefix: "chatgpt-4o", window: 128_000, output: 16_384, vision: true},
	{prefix: "gpt-4-turbo", window: 128_000, output: 4_096, vision: true},
	{prefix: "gpt-4-32k", window: 32_768, output: 4_096},
	{prefix: "gpt-4", window: 8_192, output: 2_048},
	{prefix: "gpt-3.5-turbo", window: 16_385, output: 4_096},
	{prefix: "o1", window: 200_000, output: 100_000, vision: true, reasoning: true},
	{prefix: "o1-mini", window: 128_000, output: 65_536, reasoning: true, noTools: true},
	{prefix: "o3", window: 200_000, output: 100_000, vision: true, reasoning: true},
	{prefix: "o3-mini", window: 200_000, output: 100_000, reasoning: true},
	{prefix: "o4-mini", window: 200_000, output: 100_000, vision: true, reasoning: true},
	{prefix: "claude", window: 200_000, output: 8_192, vision: true},
	{prefix: "gemini", window: 1_048_576, output: 8_192, vision: true},
	{prefix: "gemma2", window: 8_192, output: 2_048},
	{prefix: "gemma-2", window: 8_192, output: 2_048},
	{prefix: "gemma3", window: 128_000, output: 8_192, vision: true},
	{prefix: "gemma-3", window: 128_000, output: 8_192, vision: true},
	{prefix: "llama3", window: 8_192, output: 2_048},
	{prefix: "llama-3", window: 8_192, output: 2_048},
	{prefix: "meta-llama-3", window: 8_192, output: 2_048},
	{prefix: "llama3.1", window: 128_000, output: 4_096},
	{prefix: "llama-3.1", window: 128_000, output: 4_096},
	{prefix: "meta-llama-3.1", window: 128_000, output: 4_096},
	{prefix: "llama3.2", window: 128_000, output: 4_096},
	{prefix: "llama-3.2", window: 128_000, output: 4_096},
	{prefix: "llama3.3", window: 128_000, output: 4_096},
	{prefix: "llama-3.3", window: 128_000, output: 4_096},
	{prefix: "llama-4", window: 131_072, output: 8_192, vision: true},
	{prefix: "qwen2.5", window: 32_768, output: 8_192},
	{prefix: "qwen2.5-vl", window: 32_768, output: 8_192, vision: true},
	{prefix: "qwen3", window: 32_768, output: 8_192},
	{prefix: "mistral-large", window: 128_000, output: 8_192},
	{prefix: "mistral-medium", window: 128_000, output: 8_192, vision: true},
	{prefix: "mistral-small", window: 32_768, output: 8_192},
	{prefix: "mixtral", window: 32_768, output: 4_096},
	{prefix: "ministral", window: 128_000, output: 8_192},
	{prefix: "pixtral", window: 128_000, output: 8_192, vision: true},
	{prefix: "deepseek", window: 64_000, output: 8_192},
	{prefix: "phi-4", window: 16_384, output: 4_096},
	{prefix: "phi4", window: 16_384, output: 4_096},
	{prefix: "command-r", window: 128_000, output: 4_096},
	{prefix: "command-a", window: 256_000, output: 8_192},
	{prefix: "grok", window: 131_072, output: 8_192},
}

func traitsOf(model string) traits {
	name := bareName(model)
	best := traits{window: unknownWindow, output: unknownOutput}
	for _, t := range knownTraits {
		if strings.HasPrefix(name, t.prefix) && len(t.prefix) > len(best.prefix) {
			best = t
		}
	}
	return best
}

// thinkingModels matches names of models that may think for minutes. Models with traits.reasoning
// count as such even without a match.
var thinkingModels = regexp.MustCompile(`(^|[-_.])(r1|reason(er|ing)?|think(ing)?|qwq|magistral|gpt-oss|qwen3|glm-[4-9]|kimi|minimax)([-_.]|$)`)

func (t traits) thinks(model string) bool {
	return t.reasoning || thinkingModels.MatchString(bareName(model))
}

// bareName returns a model's name in lower case without maker and tag: "llama3.1" for
// "Meta/Llama3.1:8b".
func bareName(model string) string {
	name := strings.ToLower(strings.TrimSpace(model))
	name = name[strings.LastIndexByte(name, '/')+1:]
	name, _, _ = strings.Cut(name, ":")
	return name
}

// replyOf returns the number of tokens to reserve for the reply. window is the model's context
// window in tokens.
func (t traits) replyOf(window int) int {
	return max(min(t.output, maxReply, window/4), 1)
}
