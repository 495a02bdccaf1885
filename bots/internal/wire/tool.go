package wire

import (
	"context"

	discordhistory "github.com/footnotehq/footnote/adapters/discord/history"
	slackhistory "github.com/footnotehq/footnote/adapters/slack/history"
	"github.com/footnotehq/footnote/adapters/web"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/knowledge"
	"github.com/footnotehq/footnote/core/tool/openurl"
	"github.com/footnotehq/footnote/core/tool/readfile"
	"github.com/footnotehq/footnote/core/tool/search"
)

func (b *Base) tools(retriever retrieve.Retriever, fast llm.Model) (tool.Set, error) {
	pages, err := b.openURL()
	if err != nil {
		return tool.Set{}, err
	}
	tools := []tool.Tool{
		b.search(retriever, fast),
		knowledge.New(b.Knowledge(), b.checked(), b.Counter, b.extractedRelations()...),
		readfile.New(b.Counter),
		pages,
	}
	web, err := b.webSearch()
	if err != nil {
		return tool.Set{}, err
	}
	if web != nil {
		tools = append(tools, web)
	}
	return tool.NewSet(tools...)
}

// SearchTool returns the search tool that models call. It has no fast model, which would add
// queries.
func (b *Base) SearchTool() (tool.Tool, error) {
	retriever, err := b.Retriever()
	if err != nil {
		return nil, err
	}
	return b.search(retriever, nil), nil
}

func (b *Base) search(retriever retrieve.Retriever, fast llm.Model) *search.Tool {
	return search.New(retriever, b.checked(), b.Counter, search.Config{Fast: fast, Share: b.Config.SearchShare, Graph: b.Knowledge(), List: b.Index.Searchable, Logger: b.Logger})
}

func (b *Base) openURL() (*openurl.Tool, error) {
	fetcher, err := web.NewFetcher(web.FetcherOptions{AllowHosts: b.Config.OpenURLPrivateHosts, CAFile: b.Config.CAFile})
	if err != nil {
		return nil, err
	}
	allow, err := openurl.ParseAllow(b.Config.OpenURLAllow)
	if err != nil {
		return nil, err
	}
	return openurl.New(pages{fetcher}, b.checked(), b.Counter, allow), nil
}

type pages struct{ fetcher *web.Fetcher }

var _ openurl.Fetcher = pages{}

// Fetch implements openurl.Fetcher.
func (p pages) Fetch(ctx context.Context, url string, permit openurl.Permit) (openurl.Page, error) {
	page, err := p.fetcher.Fetch(ctx, url, func(ctx context.Context, address string, private bool) error {
		return permit(ctx, openurl.Hop{Address: address, Private: private})
	})
	if err != nil {
		return openurl.Page{}, err
	}
	return openurl.Page{URL: page.URL, Title: page.Title, Text: page.Text, UpdatedAt: page.UpdatedAt}, nil
}

// library decides who may read what an answer cites: indexed documents and fetched web pages.
type library struct{ index checkedIndex }

var _ answer.Library = library{}

// Beyond implements answer.Library. It ignores fetched web pages, because searches do not find
// them.
func (l library) Beyond(ctx context.Context, one, other access.Audience) (bool, error) {
	return l.index.Beyond(ctx, one, other)
}

// Titles implements answer.Titles.
func (l library) Titles(ctx context.Context, audience access.Audience, limit int) ([]string, error) {
	return l.index.Titles(ctx, audience, limit)
}

// Readable implements answer.Library.
func (l library) Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error) {
	var indexed, fetched []document.ID
	for _, id := range ids {
		if openurl.Fetched(id) {
			fetched = append(fetched, id)
		} else {
			indexed = append(indexed, id)
		}
	}
	readable, err := l.index.Readable(ctx, audience, indexed)
	if err != nil {
		return nil, err
	}
	for _, id := range fetched {
		readable[id] = openurl.Public(id) || audience.MayRead(openurl.Listed())
	}
	return readable, nil
}

// Chunks implements review.Library.
func (l library) Chunks(ctx context.Context, audience access.Audience, ids []document.ChunkID) ([]retrieve.Passage, error) {
	return l.index.Chunks(ctx, audience, ids)
}

// Standing implements session.Quotes. It looks up only quotes from chat platforms, where authors
// edit and delete single messages.
func (l library) Standing(ctx context.Context, tenant access.TenantID, shown []message.Reference) ([]bool, error) {
	stands := make([]bool, len(shown))
	var ids []document.ID
	for i, r := range shown {
		if stands[i] = r.Document.Kind != slackhistory.Kind && r.Document.Kind != discordhistory.Kind; !stands[i] {
			ids = append(ids, r.Document.ID)
		}
	}
	if len(ids) == 0 {
		return stands, nil
	}
	texts, err := l.index.Texts(ctx, tenant, ids)
	if err != nil {
		return nil, err
	}
	for i, r := range shown {
		stands[i] = stands[i] || message.Stands(r.Text, texts[r.Document.ID])
	}
	return stands, nil
}
