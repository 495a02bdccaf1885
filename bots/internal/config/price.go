package config

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/spend"
	"github.com/goccy/go-yaml/ast"
)

const defaultCurrency = "USD"

var currencies = regexp.MustCompile(`^[A-Z]{3}$`)

func (r *fileReader) prices(path string, n ast.Node) {
	p := &r.file.Prices
	p.Currency = defaultCurrency
	r.fields(path, n,
		field{"currency", func(path string, n ast.Node) {
			r.text(&p.Currency)(path, n)
			if !currencies.MatchString(p.Currency) {
				r.fault(n, "%s holds %s: write its three letters, such as USD or EUR", path, describe(r.value(n)))
			}
		}},
		field{"models", func(path string, n ast.Node) {
			p.Models = make(map[string]spend.Price)
			r.named(path, n, func(path, name string, n ast.Node) { p.Models[name] = r.price(path, n) })
		}},
	)
}

// price reads prices per million tokens. Cached input costs as much as other input unless the file
// sets its price.
func (r *fileReader) price(path string, n ast.Node) spend.Price {
	var p spend.Price
	said := make(map[string]bool)
	amount := func(key string, to *spend.Amount) field {
		return field{key, func(path string, n ast.Node) {
			said[key] = true
			text, _ := scalar(r.value(n))
			var err error
			if *to, err = spend.ParseAmount(text); err != nil {
				r.fault(n, "%s holds %s: write what a million tokens cost, such as 0.40, or 0", path, describe(r.value(n)))
			}
		}}
	}
	before := len(r.faults)
	r.fields(path, n, amount("input", &p.Input), amount("cached_input", &p.Cached), amount("output", &p.Output), amount("embedding", &p.Embedding))
	if !said["cached_input"] {
		p.Cached = p.Input
	}
	if writes := said["input"] && said["output"]; len(r.faults) == before && (!writes && !said["embedding"] || !writes && len(said) > 1) {
		r.fault(r.at[path], "%s: write input: and output: for a language model, embedding: for an embedding model", path)
	}
	return p
}

// CheckPrices returns an error for every model without a price, if there is a spending cap. It
// checks the models of the settings, of the file, and of more.
func (c *Config) CheckPrices(f *File, more ...string) error {
	if !c.Caps.Any() {
		return nil
	}
	var faults []error
	missing := func(model, where, write string) {
		faults = append(faults, fmt.Errorf("there is a cost cap (COST_CAP_…), but no price for the model %s of %s: write prices: models: %s: %s in %s",
			model, where, model, write, FileName))
	}
	if c.HasModel() {
		const write = "{input: …, output: …}"
		asked := []struct{ model, where string }{{c.Model, "LLM_MODEL"}, {c.FallbackModel, "FALLBACK_LLM_MODEL"}, {c.FastModel, "FAST_LLM_MODEL"}}
		for _, a := range f.Agents {
			for _, model := range append([]string{a.Model}, a.Models...) {
				asked = append(asked, struct{ model, where string }{model, "agents." + a.Name})
			}
		}
		for _, model := range more {
			asked = append(asked, struct{ model, where string }{model, "--model"})
		}
		var seen []string
		for _, a := range asked {
			if _, ok := f.Prices.Models[a.model]; ok || a.model == "" || slices.Contains(seen, a.model) {
				continue
			}
			seen = append(seen, a.model)
			missing(a.model, a.where, write)
		}
	}
	if _, ok := f.Prices.Models[cmp.Or(c.RerankModel, "reranker")]; !ok && c.RerankURL != "" {
		missing(cmp.Or(c.RerankModel, "reranker"), "RERANK_MODEL", "{input: …, output: 0}")
	}
	if _, ok := f.Prices.Models[c.WebSearchProvider]; !ok && c.WebSearchProvider != "" {
		missing(c.WebSearchProvider, "WEB_SEARCH_PROVIDER", "{input: …, output: 0}")
	}
	if _, ok := f.Prices.Models[c.EmbeddingModel]; !ok && c.EmbeddingModel != "" {
		missing(c.EmbeddingModel, "EMBEDDING_MODEL", "{embedding: …}")
	}
	return errors.Join(faults...)
}

// amount sets 0, which means no cap, if the setting is empty. A written 0 is an error.
func amount(to *spend.Amount) func(string) error {
	return func(v string) error {
		*to = 0
		if v == "" {
			return nil
		}
		n, err := spend.ParseAmount(strings.TrimSpace(v))
		if err != nil || n == 0 {
			return wrong(v, "an amount above 0 in the currency of the prices, such as 5 or 0.50")
		}
		*to = n
		return nil
	}
}
