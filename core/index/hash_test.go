package index

import (
	"encoding/hex"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
)

// Versions that counted the access list into a document's fingerprint stored this one for this
// document: it is not embedded anew because fingerprints are made in another way now, whoever may
// read it by now.
func TestAnEarlierFingerprintIsKnown(t *testing.T) {
	t.Parallel()
	d := document.Document{
		Ref: document.Ref{ID: "docs:a", Title: "A", URL: "https://docs.example/a", UpdatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
		ACL: access.ACL{"group:law"}, Language: "en", Metadata: map[string]string{"tags": "x"},
		Sections: []document.Section{{Heading: []string{"A"}, Anchor: "a", Blocks: []document.Block{{Kind: document.Paragraph, Text: "text"}}}},
	}
	const stored = "093c5767d6db0452d40232e4148caee39e8f4980d435de3af711ee3d7118d781"
	sum := earlierFingerprint(&d, time.Time{}, "settings", access.ACL{"group:hr", access.Members})
	if got := hex.EncodeToString(sum[:]); got != stored {
		t.Errorf("the earlier fingerprint is %s, want %s", got, stored)
	}
	if fingerprint(&d, time.Time{}, "settings") == sum {
		t.Error("the two fingerprints are the same: one of them does not say of what it is")
	}
}
