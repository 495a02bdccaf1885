package wire

import (
	"context"
	"slices"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/checkup"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/mcp"
)

// Inspect returns the state of the configuration and the database for package checkup, which finds
// mistakes in it.
func (b *Base) Inspect(ctx context.Context) (state checkup.State, err error) {
	file := b.File()
	for i, r := range file.Channels {
		if r.Channel == mcp.Channel {
			continue
		}
		state.Rules = append(state.Rules, checkup.Rule{Channel: checkup.Channel{Platform: string(r.Platform), ID: r.Channel}, Number: i + 1})
	}
	if state.Replicas, err = b.Sessions().Live(ctx); err != nil {
		return state, err
	}
	indexed, err := b.Index.Sources(ctx, b.Tenant)
	if err != nil {
		return state, err
	}
	for _, s := range file.DocumentSets {
		set := checkup.Set{Name: s.Name}
		for _, name := range s.Sources {
			if _, found := b.sourceID(name, indexed); !found {
				set.Unknown = append(set.Unknown, name)
			}
		}
		state.Sets = append(state.Sets, set)
	}
	stored, err := b.StoredSources(ctx)
	if err != nil {
		return state, err
	}
	for _, s := range file.Sources {
		source := checkup.Source{Name: s.Name, Declared: s.Name, InFile: true, BaseURL: s.BaseURL}
		if of, err := KindOf(s).source(s); err == nil { // else it is listed as faulty
			source.ID, source.Name, source.Local = string(of.ID), of.Name, of.Kind == files.Kind
		}
		state.Sources = append(state.Sources, source)
	}
	for _, s := range stored {
		if slices.ContainsFunc(state.Sources, func(c checkup.Source) bool { return c.ID == string(s.ID) }) || !s.Asked && !s.Leftover {
			continue
		}
		source := checkup.Source{
			ID: string(s.ID), Name: s.origin.Name, Declared: s.Declared, BaseURL: s.BaseURL, Local: s.origin.Kind == files.Kind, Documents: countOf(indexed, s.ID),
		}
		if s.Leftover {
			source.Declared, source.Local = s.origin.Name, false // a project needs no base_url
		}
		_, source.InFile = b.entry(s.origin)
		state.Sources = append(state.Sources, source)
	}
	return state, nil
}

func countOf(indexed []pgindex.SourceState, id document.SourceID) int64 {
	at := slices.IndexFunc(indexed, func(s pgindex.SourceState) bool { return s.Source.ID == id })
	if at < 0 {
		return 0
	}
	return indexed[at].Documents
}
