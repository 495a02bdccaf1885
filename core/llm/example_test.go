package llm_test

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/footnotehq/footnote/core/llm"
)

// parrot is a model that writes back what it was asked, a word at a time.
type parrot struct{}

func (parrot) Info() llm.Info { return llm.Info{Name: "parrot", Window: 4096, Reply: 1024} }

// Stream yields pieces as they come, and an error once and last. Whoever breaks out of the loop
// wants no more: nothing may run on then.
func (parrot) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		words := strings.SplitAfter(req.Messages[len(req.Messages)-1].Text, " ")
		for _, word := range words {
			if ctx.Err() != nil {
				yield(llm.Delta{}, context.Cause(ctx))
				return
			}
			if !yield(llm.Delta{Text: word}, nil) {
				return
			}
		}
		yield(llm.Delta{Finish: llm.FinishStop, Usage: &llm.Usage{Input: len(words), Output: len(words)}}, nil)
	}
}

// A model is asked with messages, and streams deltas. One that ends without a reason to finish was
// cut.
func ExampleModel() {
	var model llm.Model = parrot{}
	for delta, err := range model.Stream(context.Background(), llm.Request{Messages: []llm.Message{{Role: llm.User, Text: "Who is on call?"}}}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(delta.Text)
		if delta.Finish != "" {
			fmt.Printf(" (%s, %d tokens)\n", delta.Finish, delta.Usage.Output)
		}
	}
	// Output:
	// Who is on call? (stop, 4 tokens)
}
