package answer

import (
	"context"

	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/turn"
)

// Alone answers questions outside chat threads for one person, who waits for the answer. It stores
// nothing and has no history. It is safe for concurrent use.
type Alone struct {
	Engine    Engine
	Setups    Setups
	Prompts   Prompts
	Catalogue Catalogue // nil hides the list of sources from models
	Library
}

// Alone runs a turn to its end with the first model of its [Setup]. Before each step it calls
// checkAudience. If checkAudience returns an error, or ctx ends, the turn ends.
func (a Alone) Alone(ctx context.Context, t session.Turn, checkAudience func(context.Context) error, sink packet.Sink) (turn.Report, error) {
	preparing, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	req, _, err := buildRequest(preparing, a.Setups, a.Prompts, a.Catalogue, t)
	if err != nil {
		return turn.Report{}, err
	}
	req.Models = req.Models[:min(len(req.Models), 1)]
	req.Now, req.CheckAudience = t.Question.At, checkAudience
	return a.Engine.Run(ctx, req, sink)
}
