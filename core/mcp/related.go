package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/footnotehq/footnote/core/tool"
)

// related runs the tool related: it finds facts that documents state about a document or a named
// thing. The argument "about" is a name, or the id or address of a document.
func (s *Service) related(ctx context.Context, r reader, arguments json.RawMessage) (output, error) {
	var asked struct {
		About  string `json:"about"`
		What   string `json:"what,omitempty"`
		Period string `json:"period,omitempty"`
	}
	if err := parseArguments(arguments, &asked); err != nil {
		return output{}, err
	}
	if asked.About = strings.TrimSpace(asked.About); asked.About == "" {
		return output{}, Refusal(`There is nothing to look up: write {"about": "…"}.`)
	}
	filters, err := s.Filter()
	if err != nil {
		return output{}, err
	}
	if said := filters.Refuse(asked.About); said != "" {
		return output{}, Refusal(said)
	}
	_, named, err := s.findDocument(ctx, r, asked.About)
	switch {
	case err == nil:
		asked.About = named[0].Document.Title
	case err.Error() != noDocument: // it is a name
		return output{}, err
	}
	call, err := json.Marshal(asked)
	if err != nil {
		return output{}, err
	}
	result, err := s.Related.Run(ctx, tool.Call{Arguments: call, Scope: tool.Scope{
		Audience: r.audience, Asker: r.caller.Who.ID, Sources: r.sources, Question: asked.About, Citations: cite.NewMapping(), Portable: true,
		Budget: maxText - s.Counter.Count(fence) - noteRoom, First: true, Now: s.Now(),
	}}, discardEmitter())
	switch {
	case errors.Is(err, knowledge.ErrNoRelease):
		return output{}, Refusal("Nothing was looked up: " + err.Error() + ".")
	case err != nil:
		return output{}, err
	}
	found := make([]document.Ref, len(result.References))
	for i, reference := range result.References {
		found[i] = reference.Document
	}
	return s.fenceResult(ctx, result.Content, found)
}
