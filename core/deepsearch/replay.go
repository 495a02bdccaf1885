package deepsearch

import (
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
)

// Replay returns packets that show the stored plan of a deep search and its final progress.
func Replay(plan []session.PlanRow, end packet.Progress) []packet.Packet {
	if len(plan) == 0 {
		return nil
	}
	var packets []packet.Packet
	out := newPacketWriter(packet.SinkFunc(func(p packet.Packet) { packets = append(packets, p) }))
	out.emit(planBlock, packet.DeepSearchPlanStart{})
	rows := make([]*row, len(plan))
	tabs := make(map[int]int)
	for n := 1; n <= len(plan); n++ {
		for i, p := range plan {
			if p.Number == n {
				rows[i] = &row{SubQuestion: SubQuestion{Text: p.Question, Round: p.Round}, number: n, tab: tabs[p.Round]}
				tabs[p.Round]++
				out.emitFor(rows[i], 0, packet.SubQuestion{Question: p.Question})
			}
		}
	}
	for i, p := range plan {
		if rows[i] == nil || p.State == "" {
			continue
		}
		for _, c := range p.Citations {
			if c.Number == 0 { // only old plans have citation numbers
				continue
			}
			link, _ := cite.LinkURL(c.Link)
			out.emitFor(rows[i], 0, packet.CitationInfo{Number: c.Number, Document: c.Document.ID, Title: c.Document.Title, Section: c.Section, URL: link, Source: document.Kind(c.Document.Kind)})
		}
		out.emitFor(rows[i], 0, packet.Finding{State: p.State, Text: p.Shown})
	}
	if end != (packet.Progress{}) {
		out.emit(planBlock, end)
	}
	return packets
}
