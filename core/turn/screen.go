package turn

import (
	"slices"

	"github.com/footnotehq/footnote/core/filter"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
)

// Texts returns the texts of a message and its files, as input for a question filter.
func Texts(m message.Message) []string {
	all := []string{m.Text}
	for _, f := range m.Files {
		all = append(all, f.Name, f.Text)
	}
	return all
}

// permittedHistory returns the history without turns whose questions the filter refuses. A refused
// question stays in its session but is in no later prompt.
func permittedHistory(req Request) []message.Message {
	if req.Filter == nil {
		return req.History
	}
	refused := make(map[int]bool)
	for _, m := range req.History {
		if m.Role == message.User && req.Filter.Refuse(Texts(m)...) != "" {
			refused[m.Turn] = true
		}
	}
	if len(refused) == 0 {
		return req.History
	}
	return slices.DeleteFunc(slices.Clone(req.History), func(m message.Message) bool { return refused[m.Turn] })
}

func redactQueries(f *filter.Filter, to packet.Sink) packet.Sink {
	if f == nil || f.Answers == nil {
		return to
	}
	return packet.SinkFunc(func(p packet.Packet) {
		switch payload := p.Payload.(type) {
		case packet.SearchQueries:
			queries := make([]string, len(payload.Queries))
			for i, q := range payload.Queries {
				queries[i] = f.Redact(q)
			}
			p.Payload = packet.SearchQueries{Queries: queries}
		case packet.CustomToolArguments:
			payload.Arguments = f.Redact(payload.Arguments)
			p.Payload = payload
		}
		to.Accept(p)
	})
}
