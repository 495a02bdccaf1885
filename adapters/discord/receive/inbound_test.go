package receive

import (
	"crypto/ed25519"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A request that somebody recorded is of no use after five minutes.
func TestSignaturesOfInteractionsExpire(t *testing.T) {
	t.Parallel()
	key, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1_800_000_000, 0)
	stamp := func(age time.Duration) string { return strconv.FormatInt(now.Add(-age).Unix(), 10) }
	for _, tt := range []struct {
		name, stamp string
		want        bool
	}{
		{"of now", stamp(0), true},
		{"a slow network", stamp(4 * time.Minute), true},
		{"a clock that is ahead", stamp(-4 * time.Minute), true},
		{"recorded", stamp(6 * time.Minute), false},
		{"of tomorrow", stamp(-24 * time.Hour), false},
		{"of the far future", strings.Repeat("9", 18), false},
		{"without a time", "", false},
		{"with a time of another form", now.Format(time.RFC3339), false},
		{"in milliseconds", stamp(0) + "000", false},
	} {
		body := []byte(`{"type":1}`)
		h := http.Header{}
		h.Set("X-Signature-Timestamp", tt.stamp)
		h.Set("X-Signature-Ed25519", hex.EncodeToString(ed25519.Sign(private, append([]byte(tt.stamp), body...))))
		if got := signed(key, h, body, now); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
		if signed(key, h, []byte(`{"type":2}`), now) {
			t.Errorf("%s: another body passes", tt.name)
		}
	}
}
