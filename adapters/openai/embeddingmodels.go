package openai

import "strings"

type vectorTraits struct {
	prefix     string // the traits apply to model names with this prefix, without an organization
	dimensions int
	shorter    bool   // supports fewer dimensions
	query      string // prefix of a question
	passage    string // prefix of a passage
	queryType  string // input_type of a question, if the provider needs one
	passType   string // input_type of a passage
	maxBatch   int    // maximum number of texts per request; 0 is the default
}

// e5Query and the others are the prefixes that models expect before queries and passages. They come
// from the model cards.
const (
	e5Query      = "query: "
	e5Passage    = "passage: "
	nomicQuery   = "search_query: "
	nomicPassage = "search_document: "
	// bgeQuery is the prefix for bge-*-en-v1.5, mxbai-embed-large-v1 and arctic-embed before 2.0.
	bgeQuery     = "Represent this sentence for searching relevant passages: "
	webQuery     = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"
	gemmaQuery   = "task: search result | query: "
	gemmaPassage = "title: none | text: "
)

// knownVectors lists the published properties of embedding models. The longest matching name
// applies. The prefixes come from the model cards on Hugging Face, and the input types from the
// providers' references (Cohere "embed", Voyage "embeddings").
var knownVectors = []vectorTraits{
	{prefix: "text-embedding-3-large", dimensions: 3072, shorter: true},
	{prefix: "text-embedding-3-small", dimensions: 1536, shorter: true},
	{prefix: "text-embedding-ada-002", dimensions: 1536},
	{prefix: "gemini-embedding-001", dimensions: 3072, shorter: true, maxBatch: 1},
	{prefix: "text-embedding-005", dimensions: 768, shorter: true},
	{prefix: "embed-english-v3.0", dimensions: 1024, queryType: "search_query", passType: "search_document"},
	{prefix: "embed-english-light-v3.0", dimensions: 384, queryType: "search_query", passType: "search_document"},
	{prefix: "embed-multilingual-v3.0", dimensions: 1024, queryType: "search_query", passType: "search_document"},
	{prefix: "embed-multilingual-light-v3.0", dimensions: 384, queryType: "search_query", passType: "search_document"},
	{prefix: "embed-v4.0", dimensions: 1536, queryType: "search_query", passType: "search_document"},
	{prefix: "voyage-3", dimensions: 1024, queryType: "query", passType: "document"},
	{prefix: "voyage-3-lite", dimensions: 512, queryType: "query", passType: "document"},
	{prefix: "voyage-code-3", dimensions: 1024, queryType: "query", passType: "document"},
	{prefix: "voyage-large-2-instruct", dimensions: 1024, queryType: "query", passType: "document"},
	{prefix: "voyage-light-2-instruct", dimensions: 384, queryType: "query", passType: "document"},
	{prefix: "nomic-embed-text", dimensions: 768, query: nomicQuery, passage: nomicPassage},
	{prefix: "e5-base", dimensions: 768, query: e5Query, passage: e5Passage},
	{prefix: "e5-small", dimensions: 384, query: e5Query, passage: e5Passage},
	{prefix: "e5-large", dimensions: 1024, query: e5Query, passage: e5Passage},
	{prefix: "multilingual-e5-base", dimensions: 768, query: e5Query, passage: e5Passage},
	{prefix: "multilingual-e5-small", dimensions: 384, query: e5Query, passage: e5Passage},
	{prefix: "multilingual-e5-large", dimensions: 1024, query: e5Query, passage: e5Passage},
	{prefix: "multilingual-e5-large-instruct", dimensions: 1024, query: webQuery + " "},
	{prefix: "bge-m3", dimensions: 1024},
	{prefix: "bge-large-en", dimensions: 1024, query: bgeQuery},
	{prefix: "bge-base-en", dimensions: 768, query: bgeQuery},
	{prefix: "bge-small-en", dimensions: 384, query: bgeQuery},
	{prefix: "mxbai-embed-large", dimensions: 1024, query: bgeQuery},
	{prefix: "snowflake-arctic-embed-l", dimensions: 1024, query: bgeQuery},
	{prefix: "snowflake-arctic-embed-l-v2.0", dimensions: 1024, query: e5Query},
	{prefix: "snowflake-arctic-embed2", dimensions: 1024, query: e5Query},
	{prefix: "snowflake-arctic-embed-m", dimensions: 768, query: bgeQuery},
	{prefix: "snowflake-arctic-embed-m-v2.0", dimensions: 768, query: e5Query},
	{prefix: "snowflake-arctic-embed-s", dimensions: 384, query: bgeQuery},
	{prefix: "snowflake-arctic-embed-xs", dimensions: 384, query: bgeQuery},
	// three sizes share this name, so the dimensions are unknown
	{prefix: "qwen3-embedding", query: webQuery},
	{prefix: "qwen3-embedding-0.6b", dimensions: 1024, query: webQuery},
	{prefix: "qwen3-embedding-4b", dimensions: 2560, query: webQuery},
	{prefix: "embeddinggemma", dimensions: 768, query: gemmaQuery, passage: gemmaPassage},
	{prefix: "gte-small", dimensions: 384},
	{prefix: "gte-base", dimensions: 768},
	{prefix: "gte-large", dimensions: 1024},
	{prefix: "all-minilm", dimensions: 384},
	{prefix: "all-mpnet-base-v2", dimensions: 768},
}

func vectorTraitsOf(model string) vectorTraits {
	name := bareName(model)
	var best vectorTraits
	for _, t := range knownVectors {
		if strings.HasPrefix(name, t.prefix) && len(t.prefix) > len(best.prefix) {
			best = t
		}
	}
	return best
}
