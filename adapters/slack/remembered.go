package slack

import (
	"context"
	"encoding/json"
	"time"

	"github.com/footnotehq/footnote/core/access"
)

// Remembered returns what Audience would return, as far as it can be said without asking Slack: an event is acknowledged before Slack was asked
// anything. ok is false when Slack has to be asked; then it is the least. Of a channel it may be minutes old, since every turn asks anew who listens;
// of a person, on which decisions rest, it is what Audience knows.
func (c *Client) Remembered(ctx context.Context, channel, person string, direct bool) (audience access.Audience, ok bool) {
	d := c.directory
	if direct {
		p, known, _, err := recall(ctx, d, d.profiles, person, peopleAge, person)
		if err != nil || !known {
			return access.NewAudience(c.config.Tenant), false
		}
		homes, seen, _, err := recall(ctx, d, d.homes, person, channelAge, person, homesScope)
		if err != nil || !seen {
			return access.NewAudience(c.config.Tenant), false
		}
		facts := c.principals(person, p, homes)
		held := make([]access.Principal, len(facts))
		for i, f := range facts {
			held[i] = f.Principal
		}
		return access.NewAudience(c.config.Tenant, held...), true
	}
	here := access.Channel(string(Platform), channel)
	found, known := peek(d, d.channels, channel, channelAge)
	switch {
	case !known:
		return access.NewAudience(c.config.Tenant), false
	case !found.inside:
		return access.NewAudience(c.config.Tenant, here), true
	default:
		return access.NewAudience(c.config.Tenant, here, access.Members), true
	}
}

// Known is what is remembered of a person, minutes old perhaps; ok is false when Slack has to be asked.
func (c *Client) Known(person string) (p Profile, ok bool) {
	return peek(c.directory, c.directory.profiles, person, peopleAge)
}

// peek returns what is remembered of a key, whether or not something has changed since.
func peek[T any](d *directory, facts map[string]known[T], key string, age time.Duration) (value T, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	k, ok := facts[key]
	return k.value, ok && time.Since(k.at) < age
}

// Told returns the files of a message whose event does not tell of them, if its other event has come already (Attached).
func (c *Client) Told(m Message) (files []File, ok bool) {
	found := c.twins.of(m.Ref.Channel, string(m.ID))
	select {
	case <-found.told:
		return found.files, true
	default:
		return nil, false
	}
}

// fileState is how a File is kept until it is read.
type fileState struct {
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"`
	Media   string `json:"media,omitempty"`
	Size    int64  `json:"size,omitempty"`
	URL     string `json:"url,omitempty"`
	Refused string `json:"refused,omitempty"`
	Ask     bool   `json:"ask,omitempty"`
}

// MarshalJSON implements json.Marshaler, for files that are read later. What it tells opens nothing without the bot's token.
func (f File) MarshalJSON() ([]byte, error) {
	return json.Marshal(fileState{f.ID, f.Name, f.Media, f.Size, f.url, f.refused, f.ask})
}

// UnmarshalJSON implements json.Unmarshaler.
func (f *File) UnmarshalJSON(raw []byte) error {
	var s fileState
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	*f = File{s.ID, s.Name, s.Media, s.Size, s.URL, s.Refused, s.Ask}
	return nil
}
