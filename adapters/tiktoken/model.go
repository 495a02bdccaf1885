package tiktoken

import (
	"slices"
	"strings"
)

// o200kModels begin the names of the models that use o200k_base. Newer models of
// these families keep it, so prefixes are compared and not names.
var o200kModels = []string{"gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "gpt-oss", "chatgpt-", "o1", "o3", "o4"}

// cl100kModels begin the names of the models that use cl100k_base.
var cl100kModels = []string{"gpt-4", "gpt-3.5", "text-embedding-3", "text-embedding-ada-002"}

// ForModel returns the counter for a model. The name may have a provider before it
// ("openai/gpt-4o") and may be that of a fine-tuned model ("ft:gpt-4o:acme").
//
// Every model that is not known to use o200k_base is counted with cl100k_base. For
// older OpenAI models and their embeddings that is exact. For the models of other
// makers it is the safer guess of the two: with half the vocabulary it needs more
// tokens for the same text, above all outside English, and a budget that counts too
// much leaves room unused where one that counts too little gets a request refused.
func ForModel(name string) *Counter {
	if begins(name, o200kModels) {
		return o200k()
	}
	return cl100k()
}

// Exact reports whether ForModel's counter has the model's own vocabulary.
func Exact(name string) bool { return begins(name, o200kModels) || begins(name, cl100kModels) }

func begins(name string, prefixes []string) bool {
	name = strings.ToLower(name)
	name = name[strings.LastIndexByte(name, '/')+1:]
	name = strings.TrimPrefix(name, "ft:")
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}
