package discordbot_test

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// When Discord asks to reconnect as its first word, the SDK waits for its own lock for
		// ever. The session is thrown away, and this goroutine of it cannot be ended.
		goleak.IgnoreAnyFunction("github.com/bwmarrin/discordgo.(*Session).CloseWithCode"),
	)
}
