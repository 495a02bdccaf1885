package wire

import (
	"cmp"
	"context"
	"fmt"
	"time"

	providers "github.com/footnotehq/footnote/adapters/websearch"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/footnotehq/footnote/core/tool/websearch"
)

func (b *Base) webSearch() (*websearch.Tool, error) {
	provider, err := b.webProvider()
	if provider == nil || err != nil {
		return nil, err
	}
	return websearch.New(provider, b.checked(), allowance{b}, b.Counter), nil
}

func (b *Base) webProvider() (websearch.Provider, error) {
	c := b.Config
	if c.WebSearchProvider == "" {
		return nil, nil
	}
	provider, err := providers.New(providers.Config{
		Provider: c.WebSearchProvider, URL: c.WebSearchURL, Key: c.WebSearchKey.Reveal(), Engine: c.WebSearchEngine, HTTP: b.HTTP("web_search"),
	})
	if err != nil || b.spending == nil {
		return provider, err
	}
	return paidSearch{provider, b.spending.meter, c.WebSearchProvider}, nil
}

type paidSearch struct {
	websearch.Provider
	meter *spend.Meter
	name  string
}

// Search implements websearch.Provider.
func (p paidSearch) Search(ctx context.Context, query string, most int) (found []websearch.Result, err error) {
	err = p.meter.Request(ctx, p.name, spend.Searching, func(ctx context.Context) error {
		found, err = p.Provider.Search(ctx, query, most)
		return err
	})
	return found, err
}

type allowance struct{ b *Base }

// Take implements websearch.Allowance.
func (a allowance) Take(ctx context.Context, tenant access.TenantID, person string) (time.Time, error) {
	return a.b.Sessions().Count(ctx, tenant, []session.Quota{{Counter: "web:" + cmp.Or(person, "nobody"), Limit: a.b.Config.WebSearchDaily, Window: 24 * time.Hour}})
}

func (b *Base) checkWebSearch(ctx context.Context) (string, error) {
	provider, err := b.webProvider()
	if err != nil {
		return "", err
	}
	if provider == nil {
		return "none configured: the web is not searched (WEB_SEARCH_PROVIDER)", nil
	}
	began := time.Now()
	found, err := provider.Search(ctx, "weather", 1)
	if err != nil {
		return unpaid(err)
	}
	using := 0
	for _, a := range b.File().Agents {
		for _, name := range a.Tools {
			if name == websearch.Name {
				using++
			}
		}
	}
	says := fmt.Sprintf("%s, %d ms", b.Config.WebSearchProvider, time.Since(began).Milliseconds())
	if len(found) == 0 {
		says += "; it found nothing for the word weather"
	}
	if using == 0 {
		says += "; no agent uses it: name web_search under its tools: in footnote.yaml"
	}
	return says, nil
}
