package tiktoken

import (
	"slices"
	"strings"
)

// o200kModels lists prefixes of the names of models that use o200k_base. Newer models of these
// families also use it.
var o200kModels = []string{"gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-oss", "chatgpt-", "o1", "o3", "o4"}

var cl100kModels = []string{"gpt-4", "gpt-3.5", "text-embedding-3", "text-embedding-ada-002"}

// ForModel returns the counter for a model. The name may have a provider prefix ("openai/gpt-4o")
// and may name a fine-tuned model ("ft:gpt-4o:acme").
//
// Models that are not known to use o200k_base are counted with cl100k_base. This is exact for older
// OpenAI models. For other vendors' models the count is usually too high, because the vocabulary is
// small. A count that is too low would make the provider refuse the request.
func ForModel(name string) *Counter {
	if begins(name, o200kModels) {
		return o200k()
	}
	return cl100k()
}

// Exact reports whether [ForModel] returns a counter with the model's own vocabulary.
func Exact(name string) bool { return begins(name, o200kModels) || begins(name, cl100kModels) }

func begins(name string, prefixes []string) bool {
	name = strings.ToLower(name)
	name = name[strings.LastIndexByte(name, '/')+1:]
	name = strings.TrimPrefix(name, "ft:")
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}
