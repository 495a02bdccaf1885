package turn

import (
	"slices"

	"github.com/footnotehq/footnote/core/filter"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
)

// Texts returns the texts of a message and its files, for a filter of questions.
func Texts(m message.Message) []string {
	all := []string{m.Text}
	for _, f := range m.Files {
		all = append(all, f.Name, f.Text)
	}
	return all
}

// permitted is the history without the turns whose questions must not be asked: a refused question
// stays in its session, and no model is to be sent it with the next one.
func permitted(req Request) []message.Message {
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

// screened is a sink that masks, in what a model asks its tools, whatever must not be shown.
func screened(f *filter.Filter, to packet.Sink) packet.Sink {
	if f == nil || f.Answers == nil {
		return to
	}
	return packet.SinkFunc(func(p packet.Packet) {
		switch said := p.Payload.(type) {
		case packet.SearchQueries:
			queries := make([]string, len(said.Queries))
			for i, q := range said.Queries {
				queries[i] = f.Redact(q)
			}
			p.Payload = packet.SearchQueries{Queries: queries}
		case packet.CustomToolArguments:
			said.Arguments = f.Redact(said.Arguments)
			p.Payload = said
		}
		to.Accept(p)
	})
}
