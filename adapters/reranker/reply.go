package reranker

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

type scored struct {
	Index     *int     `json:"index"`
	Relevance *float64 `json:"relevance_score"` // Cohere, Jina, Voyage, vLLM, llama.cpp
	Score     *float64 `json:"score"`           // text-embeddings-inference
}

// replied is a response in Cohere's format. Voyage has the results in the field data.
type replied struct {
	Results []scored `json:"results"`
	Data    []scored `json:"data"`
	Usage   struct {
		Total int `json:"total_tokens"`
	} `json:"usage"`
	Meta struct {
		Tokens struct {
			Input int `json:"input_tokens"`
		} `json:"tokens"`
	} `json:"meta"`
}

var errDialect = errors.New("its answer holds no scores in a form that is known: see that RERANK_URL leads to a reranker")

// parseReply returns the score of each text by its index, and the number of billed tokens, or 0 if
// the number is unknown. It accepts an array, as from text-embeddings-inference, or an object in
// Cohere's format.
func parseReply(data []byte, texts int) (map[int]float64, int, error) {
	var list []scored
	tokens := 0
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		if err := json.Unmarshal(data, &list); err != nil {
			return nil, 0, errDialect
		}
	} else {
		var r replied
		if err := json.Unmarshal(data, &r); err != nil {
			return nil, 0, errDialect
		}
		list, tokens = append(r.Results, r.Data...), max(r.Usage.Total, r.Meta.Tokens.Input, 0)
	}
	scores := make(map[int]float64, len(list))
	for _, s := range list {
		score := s.Relevance
		if score == nil {
			score = s.Score
		}
		if s.Index == nil || score == nil {
			return nil, tokens, errDialect
		}
		if _, again := scores[*s.Index]; again || *s.Index < 0 || *s.Index >= texts {
			return nil, tokens, fmt.Errorf("it judged text %d of %d, or judged it twice", *s.Index, texts)
		}
		scores[*s.Index] = *score
	}
	if len(scores) == 0 && texts > 0 {
		return nil, tokens, errDialect
	}
	return scores, tokens, nil
}
