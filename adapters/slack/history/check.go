package history

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/adapters/slack/call"
)

// Check checks whether the channels that options select can be read, and returns their number. It
// reads no messages. The text of an error tells an operator what to do.
func (w *Workspace) Check(ctx context.Context, options Options) (channels int, err error) {
	if err := options.validate(); err != nil {
		return 0, err
	}
	if _, err = w.connect(ctx); err != nil {
		return 0, err
	}
	var faults []error
	if missing := w.missing(); len(missing) > 0 {
		faults = append(faults, fmt.Errorf("the app lacks %s, without which channels cannot be read: add it under OAuth & Permissions, then install the app again", strings.Join(missing, ", ")))
	}
	found, err := w.channels(ctx)
	if err != nil {
		return 0, errors.Join(append(faults, err)...)
	}
	for _, c := range found {
		if options.Chooses(c) {
			channels++
		}
	}
	for _, name := range options.Unmet(found) {
		faults = append(faults, fmt.Errorf("channel %s: %s", name, sayAbsent))
	}
	if channels == 0 && len(faults) == 0 {
		faults = append(faults, errors.New("the bot is in no public channel: invite it where it is to read"))
	}
	return channels, errors.Join(faults...)
}

func (w *Workspace) missing() []string {
	granted := w.slack.Identity().Scopes
	if len(granted) == 0 { // a proxy may leave them out
		return nil
	}
	var missing []string
	for _, s := range call.Scopes {
		if s.History && !slices.Contains(granted, s.Name) {
			missing = append(missing, s.Name)
		}
	}
	return missing
}
