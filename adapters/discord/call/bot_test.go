package call

import (
	"log/slog"
	"testing"
)

// TestFilesHaveTheTimeOfTheirCaller makes sure that only the caller limits a download: files that
// people keep have more time than files of questions.
func TestFilesHaveTheTimeOfTheirCaller(t *testing.T) {
	t.Parallel()
	bot, err := NewBot(Config{Token: "token", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if limit := bot.Files.Timeout; limit != 0 {
		t.Errorf("a download ends after %s, whatever its caller allows", limit)
	}
}
