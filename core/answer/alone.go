package answer

import (
	"context"

	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/turn"
)

// Alone answers questions that belong to no thread, each for the one person who waits for it.
// Nothing is stored, and nothing was said before. It is safe for concurrent use.
type Alone struct {
	Engine    Engine
	Setups    Setups
	Prompts   Prompts
	Catalogue Catalogue // nil: models do not read what can be searched
	Library
}

// Alone runs a turn to its end, by the first of the models that its setup names. still is asked
// before each step, and its error ends the turn. The end of ctx ends it at any point.
func (a Alone) Alone(ctx context.Context, t session.Turn, still func(context.Context) error, sink packet.Sink) (turn.Report, error) {
	preparing, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	req, _, err := layOut(preparing, a.Setups, a.Prompts, a.Catalogue, t)
	if err != nil {
		return turn.Report{}, err
	}
	req.Models = req.Models[:min(len(req.Models), 1)]
	req.Now, req.CheckAudience = t.Question.At, still
	return a.Engine.Run(ctx, req, sink)
}
