package packet

import (
	"encoding/json"
	"fmt"
	"reflect"
)

var kinds = []Payload{
	MessageStart{}, MessageDelta{}, ReasoningStart{}, ReasoningDelta{}, ReasoningDone{}, SearchStart{}, SearchQueries{},
	SearchDocuments{}, OpenURLStart{}, OpenURLAddresses{}, OpenURLDocuments{}, FileReaderStart{}, FileReaderResult{},
	CustomToolStart{}, CustomToolArguments{}, CustomToolResult{}, DeepSearchPlanStart{}, DeepSearchPlanDelta{},
	SubQuestion{}, SubAnswerStart{}, SubAnswerDelta{}, Finding{}, Refinement{}, Progress{}, CitationInfo{}, Withdrawn{}, SectionEnd{}, Branching{}, Heartbeat{}, Error{}, Stop{}, ModelStart{}, Status{},
}

// Kinds returns a zero value of every payload type, in a stable order.
func Kinds() []Payload { return append([]Payload(nil), kinds...) }

type wire struct {
	Placement Placement       `json:"placement"`
	Kind      string          `json:"type"`
	Payload   json.RawMessage `json:"payload,omitempty"`
}

// MarshalJSON writes {"placement":{…},"type":"message_delta","payload":{…}}. It omits an empty
// payload. It returns an error if Payload is nil.
func (p Packet) MarshalJSON() ([]byte, error) {
	if p.Payload == nil {
		return nil, fmt.Errorf("marshal packet: it has no payload")
	}
	payload, err := json.Marshal(p.Payload)
	if err != nil {
		return nil, fmt.Errorf("marshal %s packet: %w", p.Payload.Kind(), err)
	}
	if string(payload) == "{}" {
		payload = nil
	}
	return json.Marshal(wire{Placement: p.Placement, Kind: p.Payload.Kind(), Payload: payload})
}

// UnmarshalJSON reads what MarshalJSON writes. It returns an error for an unknown type.
func (p *Packet) UnmarshalJSON(data []byte) error {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("read packet: %w", err)
	}
	for _, zero := range kinds {
		if zero.Kind() != w.Kind {
			continue
		}
		value := reflect.New(reflect.TypeOf(zero))
		if len(w.Payload) > 0 {
			if err := json.Unmarshal(w.Payload, value.Interface()); err != nil {
				return fmt.Errorf("read %s packet: %w", w.Kind, err)
			}
		}
		p.Placement, p.Payload = w.Placement, value.Elem().Interface().(Payload)
		return nil
	}
	return fmt.Errorf("read packet: unknown type %q", w.Kind)
}
