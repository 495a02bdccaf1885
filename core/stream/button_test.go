package stream_test

import (
	"fmt"
	"testing"

	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
)

func TestButtons(t *testing.T) {
	t.Parallel()
	const text = "An answer."
	for _, tt := range []struct {
		name string
		view stream.View
		text string
		stop packet.Stop
		fail *packet.Error
		want []thread.Action
	}{
		{"it runs", stream.View{}, text, packet.Stop{}, nil, []thread.Action{"stop"}},
		{"answered", stream.View{}, text, packet.Stop{Reason: "answered"}, nil, []thread.Action{"up", "down"}},
		{"nothing found", stream.View{}, "", packet.Stop{Reason: "no_evidence"}, nil, []thread.Action{"up", "down"}},
		{"failed for a while", stream.View{}, "", packet.Stop{Reason: "failed"}, &packet.Error{Retryable: true}, []thread.Action{"retry"}},
		{"failed for good", stream.View{}, "", packet.Stop{Reason: "failed"}, &packet.Error{}, nil},
		{"failed in the middle", stream.View{}, text, packet.Stop{Reason: "failed"}, &packet.Error{Retryable: true}, []thread.Action{"retry", "up", "down"}},
		{"stopped", stream.View{}, text, packet.Stop{Reason: "stopped"}, nil, []thread.Action{"retry", "up", "down"}},
		{"limited", stream.View{}, "", packet.Stop{Reason: "limited"}, nil, []thread.Action{"retry"}},
		{"refused", stream.View{}, "", packet.Stop{Reason: "refused"}, nil, nil},
		{"silent", stream.View{}, "", packet.Stop{Reason: string(session.Superseded)}, nil, nil},
		{"private", stream.View{Private: true}, text, packet.Stop{Reason: "answered"}, nil, []thread.Action{"up", "down", "share", "keep"}},
		{"private and empty", stream.View{Private: true}, "", packet.Stop{Reason: "no_evidence"}, nil, []thread.Action{"up", "down"}},
		{"a copy that was stopped", stream.View{Copy: true}, text, packet.Stop{Reason: "stopped"}, nil, []thread.Action{"up", "down"}},
		{"a deep search that was stopped", stream.View{Plan: []stream.Row{{State: "found"}, {}}}, text, packet.Stop{Reason: "stopped"}, nil, []thread.Action{"report", "retry", "up", "down"}},
		{"one that had found nothing", stream.View{Plan: []stream.Row{{}}}, "", packet.Stop{Reason: "stopped"}, nil, []thread.Action{"retry"}},
		{"removed", stream.View{}, "", packet.Stop{Reason: "answered", Removed: true}, nil, nil},
		{"corrected", stream.View{Private: true}, text, packet.Stop{Reason: "failed", Corrected: true}, nil, []thread.Action{"up", "down"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := tt.view
			v.Apply(packet.Packet{Payload: packet.MessageStart{}})
			v.Apply(packet.Packet{Payload: packet.MessageDelta{Text: tt.text}})
			if tt.fail != nil {
				v.Apply(packet.Packet{Payload: *tt.fail})
			}
			if tt.stop.Reason != "" {
				v.Apply(packet.Packet{Payload: tt.stop})
			}
			var got []thread.Action
			for _, b := range stream.Buttons(&v) {
				got = append(got, b.Action)
			}
			if fmt.Sprint(got) != fmt.Sprint(tt.want) {
				t.Errorf("there stand %v, want %v", got, tt.want)
			}
		})
	}
}
