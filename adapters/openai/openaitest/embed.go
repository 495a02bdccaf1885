package openaitest

import (
	"encoding/json"
	"hash/fnv"
	"math"
	"net/http"
	"strings"
	"unicode"
)

// DefaultDimensions is the length of embedding vectors unless [Server.SetDimensions] changes it.
const DefaultDimensions = 64

func (s *Server) embed(w http.ResponseWriter, r *http.Request) {
	body, rec, ok := s.accept(w, r, false)
	if !ok {
		return
	}
	defer s.finish(rec, r)
	var req struct {
		Model      string          `json:"model"`
		Input      json.RawMessage `json:"input"`
		Dimensions *int            `json:"dimensions"`
	}
	if err := json.Unmarshal(body, &req); err != nil {
		refuse(w, http.StatusBadRequest, "invalid_request_error", "", "We could not parse the JSON body of your request.")
		return
	}
	var inputs []string
	if json.Unmarshal(req.Input, &inputs) != nil {
		var one string
		if json.Unmarshal(req.Input, &one) == nil {
			inputs = []string{one}
		}
	}
	s.mu.Lock()
	rec.Inputs = inputs
	var reply Reply
	if len(s.embeddings) > 0 {
		reply, s.embeddings = s.embeddings[0], s.embeddings[1:]
	}
	dimensions := s.dimensions
	s.signal()
	s.mu.Unlock()
	if fault := validateInputs(req.Model, inputs); fault != nil {
		s.update(func() { rec.Refused = fault.message })
		refuse(w, http.StatusBadRequest, "invalid_request_error", fault.param, fault.message)
		return
	}
	for name, values := range reply.Header {
		w.Header()[name] = values
	}
	if s.refused(w, r, Request{Model: req.Model}, reply) || reply.Gate != nil && !s.pass(r, reply.Gate) {
		return
	}
	if req.Dimensions != nil {
		dimensions = *req.Dimensions
	}
	if reply.Fault == WrongDimension {
		dimensions++
	}
	data := make([]map[string]any, 0, len(inputs))
	words := 0
	for i, input := range inputs {
		words += len(strings.Fields(input))
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": Vector(input, dimensions)})
	}
	switch reply.Fault {
	case Shuffled:
		for i, j := 0, len(data)-1; i < j; i, j = i+1, j-1 {
			data[i], data[j] = data[j], data[i]
		}
	case MissingVector:
		data = data[:len(data)-1]
	default: // refused has handled the other faults
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"object": "list", "model": req.Model, "data": data, "usage": map[string]any{"prompt_tokens": words, "total_tokens": words},
	})
	s.update(func() { rec.Complete = true })
}

func validateInputs(model string, inputs []string) *fault {
	switch {
	case model == "":
		return &fault{"model", "you must provide a model parameter"}
	case len(inputs) == 0:
		return &fault{"input", "'$.input' is invalid: expected a non-empty string or array of strings."}
	case len(inputs) > 2048:
		return &fault{"input", "'$.input' is invalid: an array may hold at most 2048 inputs."}
	}
	for _, input := range inputs {
		if input == "" {
			return &fault{"input", "'$.input' is invalid: an input must not be empty."}
		}
	}
	return nil
}

// Vector returns the embedding of a text that the server sends, as a unit vector. It hashes each
// lower-case word to a position and a sign, so texts with common words have similar vectors.
func Vector(text string, dimensions int) []float32 {
	out := make([]float32, dimensions)
	if dimensions == 0 {
		return out
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, word := range words {
		h := fnv.New64a()
		_, _ = h.Write([]byte(word))
		sum := h.Sum64()
		sign := float32(1)
		if sum>>63 == 1 {
			sign = -1
		}
		out[sum%uint64(dimensions)] += sign
	}
	var length float64
	for _, x := range out {
		length += float64(x) * float64(x)
	}
	if length == 0 {
		out[0] = 1
		return out
	}
	for i := range out {
		out[i] = float32(float64(out[i]) / math.Sqrt(length))
	}
	return out
}
