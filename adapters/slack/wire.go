package slack

import (
	"encoding/json"
	"fmt"
)

// Events are decoded here and not by the library, which refuses a whole event when one block in it is of a kind that it does not know.

// envelope is a Socket Mode frame.
type envelope struct {
	Type    string          `json:"type"`
	ID      string          `json:"envelope_id"`
	Payload json.RawMessage `json:"payload"`
	Attempt int             `json:"retry_attempt"`
}

// callback is the outer part of an event.
type callback struct {
	Type      string `json:"type"`
	Challenge string `json:"challenge"`
	Team      string `json:"team_id"`
	ID        string `json:"event_id"`
	Shared    bool   `json:"is_ext_shared_channel"`
	Event     event  `json:"event"`
}

// event holds the fields of every inner event that is used.
type event struct {
	Type        string   `json:"type"`
	Subtype     string   `json:"subtype"`
	Channel     string   `json:"channel"`
	ChannelType string   `json:"channel_type"`
	User        string   `json:"user"`
	UserTeam    string   `json:"user_team"`
	BotID       string   `json:"bot_id"`
	Text        string   `json:"text"`
	TS          string   `json:"ts"`
	Thread      string   `json:"thread_ts"`
	Parent      string   `json:"parent_user_id"`
	Deleted     string   `json:"deleted_ts"`
	Message     *message `json:"message"`
	Previous    *message `json:"previous_message"`
	Reaction    string   `json:"reaction"`
	Item        struct {
		Type    string `json:"type"`
		Channel string `json:"channel"`
		TS      string `json:"ts"`
	} `json:"item"`
	Streams []string `json:"streaming_message_ts"`
}

// message is one inside an event that tells of a change.
type message struct {
	User   string `json:"user"`
	BotID  string `json:"bot_id"`
	Text   string `json:"text"`
	TS     string `json:"ts"`
	Thread string `json:"thread_ts"`
}

// slash is a slash command.
type slash struct {
	Command string `json:"command"`
	Text    string `json:"text"`
	Team    string `json:"team_id"`
	Channel string `json:"channel_id"`
	User    string `json:"user_id"`
	Name    string `json:"user_name"`
	Trigger string `json:"trigger_id"`
}

// interaction is a press of a button.
type interaction struct {
	Type    string `json:"type"`
	Trigger string `json:"trigger_id"`
	Team    struct {
		ID string `json:"id"`
	} `json:"team"`
	User struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"user"`
	Channel struct {
		ID string `json:"id"`
	} `json:"channel"`
	Message struct {
		TS     string `json:"ts"`
		Thread string `json:"thread_ts"`
	} `json:"message"`
	Actions []struct {
		ID    string `json:"action_id"`
		Value string `json:"value"`
	} `json:"actions"`
}

func decode[T any](what string, raw []byte) (T, error) {
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, fmt.Errorf("read %s from Slack: %w", what, err)
	}
	return v, nil
}
