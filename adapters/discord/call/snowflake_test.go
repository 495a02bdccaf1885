package call

import (
	"strconv"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"pgregory.net/rapid"
)

func TestIDsTellTheirTimeAndOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Uint64Max(1<<62).Draw(t, "a"), rapid.Uint64Max(1<<62).Draw(t, "b")
		as, bs := strconv.FormatUint(a, 10), strconv.FormatUint(b, 10)
		if Newer(as, bs) != (a > b) {
			t.Fatalf("newer(%s, %s) = %v", as, bs, Newer(as, bs))
		}
		if Newer("", as) {
			t.Fatalf("nothing is newer than %s", as)
		}
		at := time.UnixMilli(discordEpoch + rapid.Int64Range(0, 1<<40).Draw(t, "ms"))
		if got, err := discordgo.SnowflakeTimestamp(IdAt(at)); err != nil || !got.Equal(at) {
			t.Fatalf("idAt(%s) is of %s, %v", at, got, err)
		}
	})
}
