package history

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
)

// Check checks whether the bot can read the channels that options select, and returns their number.
// It reads no messages. The error text tells an operator what to do.
func (s *Server) Check(ctx context.Context, options Options) (channels int, err error) {
	if err := options.validate(); err != nil {
		return 0, err
	}
	var faults []error
	var app struct {
		Flags int `json:"flags"`
	}
	if err := s.discord.API.Do(ctx, call.Request{
		Doing: "look up the Discord application", Method: http.MethodGet, URL: discordgo.EndpointAPI + "applications/@me", Bucket: "GET application",
	}, &app); err == nil && app.Flags&(call.FlagContent|call.FlagContentLimited) == 0 {
		faults = append(faults, errors.New("MESSAGE CONTENT INTENT is not enabled, without which messages come without their text: enable it in the Developer Portal (Bot → Privileged Gateway Intents)"))
	}
	r := &reader{Server: s, name: options.Name, guild: options.Guild}
	if _, err := r.Connect(ctx); err != nil {
		return 0, errors.Join(append(faults, err)...)
	}
	found, err := r.Channels(ctx)
	if err != nil {
		return 0, errors.Join(append(faults, err)...)
	}
	for _, c := range found {
		switch {
		case !options.Chooses(c):
		case c.Barred != "":
			faults = append(faults, fmt.Errorf("channel #%s: %s", c.Name, c.Barred))
		default:
			channels++
		}
	}
	for _, name := range options.Unmet(found) {
		faults = append(faults, fmt.Errorf("channel %s: %s", name, sayAbsent))
	}
	if channels == 0 && len(faults) == 0 {
		faults = append(faults, errors.New("the bot can read no channel that everybody in the server can open: name others under channels, or let its role view them"))
	}
	return channels, errors.Join(faults...)
}
