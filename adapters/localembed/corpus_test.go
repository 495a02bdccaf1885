package localembed_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
)

// each yields texts without an error.
func each(texts []string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, text := range texts {
			if !yield(text, nil) {
				return
			}
		}
	}
}

// corpus makes up texts of several topics. A topic has words of its own, which seldom all stand in one text, and shares common words with
// the others, frequent ones far more often than rare ones.
func corpus(texts, topics, words int) []string {
	random := rand.New(rand.NewPCG(7, 7))
	common := rand.NewZipf(random, 1.1, 4, 30_000)
	own := rand.NewZipf(random, 1.1, 2, 400)
	out := make([]string, texts)
	for i := range out {
		topic := i % topics
		var b strings.Builder
		for range words {
			if random.IntN(3) == 0 {
				fmt.Fprintf(&b, "%s%dx ", topicName(topic), own.Uint64())
			} else {
				fmt.Fprintf(&b, "w%dq ", common.Uint64())
			}
		}
		out[i] = b.String()
	}
	return out
}

func topicName(topic int) string {
	return string([]byte{'k' + byte(topic/26%10), 'a' + byte(topic%26)})
}
