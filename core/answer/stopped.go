package answer

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
)

// stopUnstarted ends a turn that was stopped before the engine ran in this attempt. Text that an
// earlier attempt wrote stays in the thread.
func (s *Service) stopUnstarted(ctx context.Context, a *attempt, sink packet.Sink) (session.Saved, error) {
	written, err := s.written(ctx, a.turn)
	if err != nil && a.turn.Failures < maxFailures {
		return session.Saved{}, err
	}
	saved := outcomeOf(session.Stopped, sentenceUnstarted)
	if len(written) > 0 || err != nil {
		saved.Sentence = sentenceStopped
	}
	return s.showPackets(ctx, a, sink, saved, withWritten(saved, written)), nil
}

// replay returns the packets of a saved turn. The text of an answer that was stopped between two
// attempts is in the thread only.
func (s *Service) replay(ctx context.Context, t session.Turn, saved session.Saved) ([]packet.Packet, error) {
	if saved.Outcome != session.Stopped || saved.Sentence != sentenceStopped || len(saved.Runs) > 0 || saved.Removed != nil || saved.Correction != nil {
		return Replay(saved), nil
	}
	written, err := s.written(ctx, t)
	return withWritten(saved, written), err
}

// written reads the text of a turn's answer from the thread, for each model. The order is that of
// the pages. Sentences about a stop are left out.
func (s *Service) written(ctx context.Context, t session.Turn) ([]writtenText, error) {
	limited, cancel := context.WithTimeout(ctx, finalLimit)
	defer cancel()
	pages, err := s.Store.Pages(limited, t.Fence())
	if err != nil {
		return nil, fmt.Errorf("read what was posted for the turn: %w", err)
	}
	var all []writtenText
	for _, p := range pages {
		if p.Kind != session.Answer {
			continue
		}
		text, _, err := s.Surfaces.Written(limited, t, p, s.permit(ctx))
		if err != nil {
			return nil, fmt.Errorf("read what was written: %w", err)
		}
		if end := strings.LastIndex(text, sentenceStopped); end >= 0 {
			text = strings.TrimRight(text[:end], " \n*_-#")
		}
		if strings.TrimSpace(text) == "" {
			continue
		}
		at := slices.IndexFunc(all, func(w writtenText) bool { return w.model == p.Model })
		if at < 0 {
			all = append(all, writtenText{model: p.Model, text: text})
			continue
		}
		all[at].text += "\n\n" + text
	}
	return all, nil
}

type writtenText struct {
	model int
	text  string
}

// linkTarget matches the end of a Markdown link.
var linkTarget = regexp.MustCompile(`\]\(([^()\s]+(?:\([^()\s]*\))*[^()\s]*)\)`)

// unlinked removes citations and the targets of links. Which documents they lead to is not known
// any more, so it cannot be checked who may read these.
func unlinked(text string) string {
	for _, m := range linkTarget.FindAllStringSubmatch(text, -1) {
		text = string(cite.Unlink([]byte(text), m[1]))
	}
	return text
}

// withWritten returns the packets of an outcome below text that is already in the thread.
func withWritten(saved session.Saved, written []writtenText) []packet.Packet {
	if len(written) == 0 {
		return Replay(saved)
	}
	var packets []packet.Packet
	for _, w := range written {
		at := packet.Placement{ModelIndex: w.model}
		packets = append(packets, packet.Packet{Placement: at, Payload: packet.MessageStart{}},
			packet.Packet{Placement: at, Payload: packet.MessageDelta{Text: unlinked(w.text)}},
			packet.Packet{Placement: at, Payload: packet.Stop{Reason: string(saved.Outcome), Message: saved.Sentence}})
	}
	return packets
}
