package search

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/tool"
)

// furtherPage shows page 2 or a later page of a search that the turn has already run. own has the
// queries of that search. kept is false for page 1, or if the search is no longer stored. The
// caller must then run the search.
func (t *Tool) furtherPage(ctx context.Context, own []string, page int, scope tool.Scope, emit *packet.Emitter) (result tool.Result, kept bool, err error) {
	if page < 2 || t.chunks == nil {
		return result, false, nil
	}
	ranking, from := scope.Rankings.Find(own, page)
	if ranking == nil {
		return result, false, nil
	}
	emit.Emit(packet.SearchQueries{Queries: displayQueries(ranking.Queries)})
	result, err = t.rankingPage(ctx, ranking, from, page, scope)
	return result, true, err
}

// rankingPage shows a page of a ranking, without passages that the readers may not see now. from is
// the index of its first passage. If from is 0, it is computed from the page.
func (t *Tool) rankingPage(ctx context.Context, ranking *retrieve.Ranking, from, page int, scope tool.Scope) (tool.Result, error) {
	if from == 0 {
		from = (page - 1) * ranking.Page
	}
	known := shownBefore(scope)
	var ids []document.ChunkID
	from = min(from, len(ranking.Chunks))
	to := from
	for ; to < len(ranking.Chunks) && len(ids) < ranking.Page; to++ {
		if id := ranking.Chunks[to].Chunk; !slices.Contains(known, id) {
			ids = append(ids, id)
		}
	}
	found := retrieve.Result{Evidence: ranking.Evidence, Trace: retrieve.Trace{Queries: ranking.Queries, Page: page, Route: retrieve.RouteNone, Allowed: -1}}
	if len(ids) > 0 {
		slices.Sort(ids)
		passages, err := t.chunks.Chunks(ctx, scope.Audience, ids)
		if err != nil {
			return tool.Result{}, fmt.Errorf("reading the passages failed, so nothing is known about them: %w", err)
		}
		found.Hits = ranking.Hits(passages)
	}
	result, left := t.buildResult(ctx, found, nil, scope, nil)
	if len(found.Hits) > 0 {
		result.Evidence = ranking.Evidence
	}
	scope.Rankings.SetNext(ranking, page, min(nextStart(ranking, from, left), to))
	ran, err := json.Marshal(arguments{Queries: ranking.Queries, Page: tool.Integer(page)})
	if err != nil {
		return tool.Result{}, fmt.Errorf("note the queries: %w", err)
	}
	account := found.Account()
	result.Arguments, result.Search = ran, &account
	return result, nil
}

func shownBefore(scope tool.Scope) (ids []document.ChunkID) {
	for _, r := range scope.Shown {
		if r.Chunk != nil {
			ids = append(ids, *r.Chunk)
		}
	}
	return ids
}

// nextStart returns the index of the first passage after a page that begins at from. left has the
// hits of the page that did not fit.
func nextStart(ranking *retrieve.Ranking, from int, left []retrieve.Hit) int {
	to := min(from+ranking.Page, len(ranking.Chunks))
	for _, h := range left {
		at := slices.IndexFunc(ranking.Chunks[:to], func(o retrieve.Ordered) bool { return o.Chunk == h.Chunk })
		if at >= from {
			to = min(to, at)
		}
	}
	return to
}
