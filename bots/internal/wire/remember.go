package wire

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// options is how a source was asked for, as the index keeps it.
type options struct {
	ACL     access.ACL `json:"acl,omitempty"`
	BaseURL string     `json:"base_url,omitempty"`
	Include []string   `json:"include,omitempty"`
	Exclude []string   `json:"exclude,omitempty"`
}

// Remembered returns the connector of a source with what was left out taken from the last time: who may read it above all, so that a
// forgotten flag shows nobody more. The sentence says what was taken over; it is empty where nothing was. What is said now is kept for
// the next time.
func (b *Base) Remembered(ctx context.Context, s config.Source) (index.Connector, string, error) {
	connector, err := Connect(b.Config, s)
	if err != nil {
		return nil, "", err
	}
	stored, err := b.Index.Options(ctx, b.Tenant, connector.Source().ID)
	if err != nil {
		return nil, "", err
	}
	sentence := ""
	if stored != nil {
		var last options
		if err := json.Unmarshal(stored, &last); err != nil {
			return nil, "", fmt.Errorf("read the options of source %s: %w", connector.Source().ID, err)
		}
		if sentence = takeOver(&s, last); sentence != "" {
			if connector, err = Connect(b.Config, s); err != nil {
				return nil, "", err
			}
		}
	}
	now, err := json.Marshal(options{ACL: s.ACL, BaseURL: s.BaseURL, Include: s.Include, Exclude: s.Exclude})
	if err != nil {
		return nil, "", fmt.Errorf("keep the options of source %s: %w", connector.Source().ID, err)
	}
	return connector, sentence, b.Index.SetOptions(ctx, b.Tenant, connector.Source(), now)
}

// takeOver fills in what was left out, and says so.
func takeOver(s *config.Source, last options) string {
	var kept []string
	if len(s.ACL) == 0 && len(last.ACL) > 0 {
		s.ACL = last.ACL
		names := make([]string, len(last.ACL))
		for i, p := range last.ACL {
			names[i] = string(p)
		}
		kept = append(kept, "--acl "+strings.Join(names, ","))
	}
	if s.BaseURL == "" && last.BaseURL != "" {
		s.BaseURL = last.BaseURL
		kept = append(kept, "--base-url "+last.BaseURL)
	}
	if len(s.Include) == 0 && len(last.Include) > 0 {
		s.Include = last.Include
		kept = append(kept, "--include "+strings.Join(last.Include, " "))
	}
	if len(s.Exclude) == 0 && len(last.Exclude) > 0 {
		s.Exclude = last.Exclude
		kept = append(kept, "--exclude "+strings.Join(last.Exclude, " "))
	}
	if len(kept) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: as the last time, %s", s.Name, strings.Join(kept, ", "))
}

// StillIndexed says, after a run that failed, that what the source held before can still be found, and how to take it out; it is empty
// where there is nothing.
func (b *Base) StillIndexed(ctx context.Context, id document.SourceID) string {
	sources, err := b.Index.Sources(context.WithoutCancel(ctx), b.Tenant)
	if err != nil { // the run's own error says more
		return ""
	}
	for _, s := range sources {
		if s.Source.ID == id && s.Documents > 0 {
			return fmt.Sprintf(" (%d documents from earlier are still found; footnote sources remove %s takes them out)", s.Documents, id)
		}
	}
	return ""
}
