package answer

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/span"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/tool/search"
)

const (
	// offerLimit limits the time for deciding whether to offer a private answer.
	offerLimit = 15 * time.Second
	// offerQueries and offerHits limit the search that decides whether to offer a private answer.
	// They are maximum numbers of queries and hits, the same as in a search for an answer.
	offerQueries = 5
	offerHits    = 10
)

// offerPrivate offers the asker a private answer if it can use evidence that the channel may not
// see. It makes at most one offer for each turn. An offer is lost if the process dies, and it never
// affects the channel's answer.
func (s *Service) offerPrivate(ctx context.Context, t session.Turn, saved session.Saved) {
	if !s.Surfaces.Features(t.Session.Ref).Whispers || s.Retriever == nil || !t.Public() || t.Origin.As == session.Shared || t.Ambient {
		return
	}
	if saved.Outcome != session.Answered && saved.Outcome != session.NoEvidence || saved.Removed != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, offerLimit)
	defer cancel()
	ctx, offering := span.Begin(ctx, "offer")
	defer offering.End(nil)
	more, err := s.hasMore(ctx, t, saved)
	if err == nil && more {
		more, err = s.Store.Offer(ctx, t.Session.Tenant, t.ID)
	}
	if err == nil && more {
		err = s.Surfaces.Whisper(ctx, t, chat.Note{Sentence: sentenceOffer, Buttons: []thread.Button{thread.ButtonFor(thread.ActionPrivate)}})
	}
	if err != nil && ctx.Err() == nil {
		s.Logger.WarnContext(ctx, "no private answer offered", "turn", t.ID, "error", err)
	}
}

// hasMore reports whether the question can be answered from documents that the asker may read but
// the channel may not.
func (s *Service) hasMore(ctx context.Context, t session.Turn, saved session.Saved) (bool, error) {
	rules, err := policy.In(ctx, s.Policies, t.Session.Tenant, session.PlaceOf(t.Session.Ref))
	if err != nil || rules.Private == policy.PrivateOff {
		return false, err
	}
	setup, err := s.Setups.Setup(ctx, t)
	if err != nil {
		return false, err
	}
	channel, err := s.Present(ctx, t)
	if err != nil {
		return false, err
	}
	asker, err := s.Present(ctx, t.ForAsker())
	if err != nil {
		return false, err
	}
	// for example if all documents are public
	if beyond, err := s.Library.Beyond(ctx, asker, channel); err != nil || !beyond {
		return false, err
	}
	look := retrieve.Search{Audience: asker, Queries: searchQueries(t, saved), Limit: offerHits, Sources: setup.Agent.Sources}
	found, err := s.Retriever.Search(ctx, look)
	if err != nil || !found.Evidence {
		return false, err
	}
	var hidden []document.ID
	for _, hit := range found.Hits {
		if !channel.MayRead(hit.ACL) && !slices.Contains(hidden, hit.Document.ID) {
			hidden = append(hidden, hit.Document.ID)
		}
	}
	if len(hidden) == 0 {
		return false, nil
	}
	look.Documents = hidden
	found, err = s.Retriever.Search(ctx, look)
	return err == nil && found.Evidence, err
}

func searchQueries(t session.Turn, saved session.Saved) []retrieve.Query {
	var texts []string
	note := func(text string) {
		if text = strings.TrimSpace(text); text != "" && !slices.Contains(texts, text) && len(texts) < offerQueries {
			texts = append(texts, text)
		}
	}
	note(t.Question.Text)
	best, _ := saved.Best()
	for _, m := range best.Messages {
		for _, call := range m.Calls {
			if call.Name != search.Name {
				continue
			}
			var arguments struct {
				Queries []string `json:"queries"`
			}
			if json.Unmarshal(call.Arguments, &arguments) != nil {
				continue // written by another version
			}
			for _, q := range arguments.Queries {
				note(q)
			}
		}
	}
	out := make([]retrieve.Query, len(texts))
	for i, text := range texts {
		out[i] = retrieve.Query{Text: text}
	}
	return out
}
