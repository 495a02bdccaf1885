package wire

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/history"
	"github.com/footnotehq/footnote/bots/internal/config"
)

// newHistory is the bot's workspace as its channels are read.
func newHistory(cfg *config.Config, client *http.Client, logger *slog.Logger) (*history.Workspace, error) {
	return history.NewWorkspace(call.Config{BotToken: cfg.SlackBotToken.Reveal(), APIURL: cfg.SlackAPIURL, CAFile: cfg.CAFile, HTTP: client, Logger: logger})
}

func (b *Base) setHistory() {
	b.history = sync.OnceValues(func() (*history.Workspace, error) { return newHistory(b.Config, b.HTTP("slack"), b.Logger) })
}

func historyOptions(s config.Source) history.Options {
	return history.Options{
		Reading: history.Reading{Name: s.Name, Channels: s.Slack.Channels, Public: s.Slack.Public, Since: s.Slack.Since, Every: s.Every},
		Open:    s.Slack.PublicChannels,
	}
}

// checkHistory looks at the channels of all Slack sources: whether the bot may read them and is in them.
func (b *Base) checkHistory(ctx context.Context) (string, error) {
	workspace, err := b.history()
	if err != nil {
		return "", err
	}
	var faults []error
	read := 0
	for _, s := range b.File().Sources {
		if s.Slack == nil {
			continue
		}
		n, err := workspace.Check(ctx, historyOptions(s))
		if err != nil {
			faults = append(faults, fmt.Errorf("source %s: %w", s.Name, err))
		}
		read += n
	}
	return fmt.Sprintf("%d channels are read", read), errors.Join(faults...)
}
