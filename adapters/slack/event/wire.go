package event

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
)

// Events are decoded here and not by the library. The library rejects a whole event if it does not
// know the kind of one block.

// Envelope is a Socket Mode frame. Its payload is an event, a command or an interaction.
type Envelope struct {
	Type    string          `json:"type"`
	ID      string          `json:"envelope_id"`
	Payload json.RawMessage `json:"payload"`
	Attempt int             `json:"retry_attempt"`
}

// Callback is the outer object of a request of the Events API. Its field Event is the inner event.
type Callback struct {
	Type      string `json:"type"`
	Challenge string `json:"challenge"`
	Team      string `json:"team_id"`
	Through   string `json:"context_team_id"` // workspace that delivered it
	ID        string `json:"event_id"`
	Event     Event  `json:"event"`
	// For lists the installations that should receive the event. In a channel that is shared with
	// another organisation, Team may be the id of the other organisation's workspace.
	For []struct {
		Team string `json:"team_id"`
	} `json:"authorizations"`
}

// Concerns reports whether an event is for the given workspace. It returns true if team is empty,
// which happens behind some proxies.
func (c Callback) Concerns(team string) bool {
	if team == "" {
		return true
	}
	for _, f := range c.For {
		if f.Team == team {
			return true
		}
	}
	return c.Team == "" || c.Team == team || c.Through == team
}

// ID is the id of a channel or a person. Some events send the id as a string, and others send an
// object that contains the id.
type ID string

// UnmarshalJSON implements json.Unmarshaler. It accepts a string or an object. Any other JSON value
// becomes an empty id.
func (i *ID) UnmarshalJSON(raw []byte) error {
	var object struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(raw, (*string)(i)) != nil && json.Unmarshal(raw, &object) == nil {
		*i = ID(object.ID)
	}
	return nil
}

// Event holds the fields of inner events that the adapter uses, for all types of events.
type Event struct {
	Type        string     `json:"type"`
	Subtype     string     `json:"subtype"`
	Channel     ID         `json:"channel"`
	ChannelType string     `json:"channel_type"`
	User        ID         `json:"user"`
	UserTeam    string     `json:"user_team"`
	BotID       string     `json:"bot_id"`
	Text        string     `json:"text"`
	TS          string     `json:"ts"`
	Thread      string     `json:"thread_ts"`
	Parent      string     `json:"parent_user_id"`
	Deleted     string     `json:"deleted_ts"`
	Files       []FileData `json:"files"`
	Extras
	Message  *wireMessage `json:"message"`
	Previous *wireMessage `json:"previous_message"`
	Reaction string       `json:"reaction"`
	Item     struct {
		Type    string `json:"type"`
		Channel string `json:"channel"`
		TS      string `json:"ts"`
	} `json:"item"`
	Streams   []string `json:"streaming_message_ts"`
	Tab       string   `json:"tab"`
	Inviter   string   `json:"inviter"`
	Assistant struct {
		User    string `json:"user_id"`
		Channel string `json:"channel_id"`
		Thread  string `json:"thread_ts"`
	} `json:"assistant_thread"`
}

type wireMessage struct {
	Subtype string     `json:"subtype"`
	User    string     `json:"user"`
	BotID   string     `json:"bot_id"`
	Text    string     `json:"text"`
	TS      string     `json:"ts"`
	Thread  string     `json:"thread_ts"`
	Parent  string     `json:"parent_user_id"`
	Files   []FileData `json:"files"`
	Extras
}

// FileData is Slack's description of a file that is attached to a message.
type FileData struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Title    string `json:"title"`
	Media    string `json:"mimetype"`
	Kind     string `json:"filetype"`
	Mode     string `json:"mode"`
	Access   string `json:"file_access"`
	Size     int64  `json:"size"`
	External bool   `json:"is_external"`
	URL      string `json:"url_private"`
	Download string `json:"url_private_download"`
}

// Slash is the payload of a slash command.
type Slash struct {
	Command string `json:"command"`
	Text    string `json:"text"`
	Team    string `json:"team_id"`
	Channel string `json:"channel_id"`
	User    string `json:"user_id"`
	Name    string `json:"user_name"`
	Trigger string `json:"trigger_id"`
	// Response is an address that accepts answers for half an hour. It works even in channels
	// without the bot.
	Response string `json:"response_url"`
}

// Interaction is the payload of a button press, a shortcut, or a submitted form.
type Interaction struct {
	Type     string `json:"type"`
	Trigger  string `json:"trigger_id"`
	Callback string `json:"callback_id"`
	Team     struct {
		ID string `json:"id"`
	} `json:"team"`
	User struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"user"`
	Channel struct {
		ID string `json:"id"`
	} `json:"channel"`
	Container struct {
		TS        string `json:"message_ts"`
		Thread    string `json:"thread_ts"`
		Channel   string `json:"channel_id"`
		Ephemeral bool   `json:"is_ephemeral"`
	} `json:"container"`
	Message struct {
		TS     string     `json:"ts"`
		Thread string     `json:"thread_ts"`
		User   string     `json:"user"`
		Text   string     `json:"text"`
		Files  []FileData `json:"files"`
		Extras
	} `json:"message"`
	Actions []struct {
		ID    string `json:"action_id"`
		Value string `json:"value"`
		At    string `json:"action_ts"`
	} `json:"actions"`
	View struct {
		ID       string `json:"id"`
		Callback string `json:"callback_id"`
		Private  string `json:"private_metadata"`
		State    struct {
			Values map[string]map[string]struct {
				Value    string `json:"value"`
				Selected struct {
					Value string `json:"value"`
				} `json:"selected_option"`
			} `json:"values"`
		} `json:"state"`
	} `json:"view"`
	Response string `json:"response_url"`
}

// MaxPayload is the maximum size of a payload in bytes. Payloads from Slack are far smaller,
// because a message has at most 40,000 characters and 50 blocks.
const MaxPayload = 1 << 20

var payloads = boundedjson.Limits{Bytes: MaxPayload, Elements: 30_000, Depth: 64}

// Decode decodes a payload from Slack. It ignores a field with an unexpected type and decodes the
// remaining fields.
func Decode[T any](what string, raw []byte) (T, error) {
	var v T
	if err := payloads.Unmarshal(raw, &v); err != nil && !errors.As(err, new(*json.UnmarshalTypeError)) {
		return v, fmt.Errorf("read %s from Slack: %w", what, err)
	}
	return v, nil
}
