package evaluate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/retrieve"
)

// goldFile is an optional file with the reasoning behind the answers and the sentences that support
// them. Each line is a JSON object whose lists have one entry per step. Its form is {"id", "steps":
// […], "pages": [[…]], "evidence": [[{"page", "text"}]]}.
const goldFile = "steps.jsonl"

// Quote is a sentence of a document that supports an answer. An empty Text matches any passage of
// the document.
type Quote struct {
	Document string
	Text     string
}

// quoteShare is the share of a quotation's words and numbers that a passage must contain. It is
// below 1 because quotations may be cut or joined.
const quoteShare = 0.9

// gold returns the supporting quotations of each query in goldFile, or nil if the file is missing.
// For a step without quotations, it uses the documents of the step.
func (r *reader) gold() (map[string][]Quote, error) {
	if !r.has(goldFile) {
		return nil, nil
	}
	all := make(map[string][]Quote)
	err := r.eachLine(goldFile, func(_ int, raw string) error {
		var line struct {
			ID       scalar     `json:"id"`
			Pages    [][]string `json:"pages"`
			Evidence [][]struct {
				Page string `json:"page"`
				Text string `json:"text"`
			} `json:"evidence"`
		}
		if err := json.Unmarshal([]byte(raw), &line); err != nil {
			return fmt.Errorf("it is not a JSON object with id, pages and evidence: %w", err)
		}
		var quotes []Quote
		for i := range max(len(line.Pages), len(line.Evidence)) {
			var step []Quote
			if i < len(line.Evidence) {
				for _, e := range line.Evidence[i] {
					step = append(step, Quote{e.Page, strings.Join(strings.Fields(e.Text), " ")})
				}
			}
			if len(step) == 0 && i < len(line.Pages) {
				for _, page := range line.Pages[i] {
					step = append(step, Quote{Document: page})
				}
			}
			for _, q := range step {
				if !slices.Contains(quotes, q) {
					quotes = append(quotes, q)
				}
			}
		}
		if len(quotes) > 0 {
			all[line.ID.text] = quotes
		}
		return nil
	})
	return all, err
}

// Gold measures how many of the supporting quotations are in the passages of a prompt. Tokens is
// the maximum size of these passages.
type Gold struct {
	Tokens  int     `json:"tokens"`
	Queries int     `json:"queries"` // queries with quotations
	Found   float64 `json:"found"`   // share of a query's quotations, on average
	Whole   int     `json:"whole"`   // queries with all quotations
}

var goldBudgets = []int{smallPrompt, largePrompt}

// measureGold measures how many supporting quotations are found, for each token limit. As in
// production, passages include adjacent chunks. It returns nil if the collection has no quotations.
func (r Runner) measureGold(ctx context.Context, c *Collection, mode Mode) ([]Gold, error) {
	if len(c.Gold) == 0 {
		return nil, nil
	}
	search, err := r.prompter(mode)
	if err != nil {
		return nil, err
	}
	measured := make([]Gold, len(goldBudgets))
	for i, tokens := range goldBudgets {
		g := Gold{Tokens: tokens}
		for _, q := range c.Queries {
			quotes := c.Gold[q.ID]
			if len(quotes) == 0 {
				continue
			}
			found, err := search(ctx, q, tokens)
			if err != nil {
				return nil, err
			}
			held := 0
			for _, quote := range quotes {
				if c.containsQuote(found.Hits, quote) {
					held++
				}
			}
			g.Queries++
			g.Found += float64(held) / float64(len(quotes))
			if held == len(quotes) {
				g.Whole++
			}
		}
		if g.Queries > 0 {
			g.Found = round(g.Found / float64(g.Queries))
		}
		measured[i] = g
	}
	return measured, nil
}

func (c *Collection) containsQuote(hits []retrieve.Hit, q Quote) bool {
	return slices.ContainsFunc(hits, func(h retrieve.Hit) bool {
		original, there := c.documentOf(h.Document.ID)
		if !there || original.ID != q.Document {
			return false
		}
		return q.Text == "" || strings.Contains(strings.Join(strings.Fields(h.Text), " "), q.Text) || cite.Supported(q.Text, []string{h.Text}) >= quoteShare
	})
}
