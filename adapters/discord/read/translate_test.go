package read

import "testing"

func TestPostTextKeepsTheWishForADeepSearch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ title, text, want string }{
		{"Backups", "Where are they?", "Backups\n\nWhere are they?"},
		{"Backups", "", "Backups"},
		{"Backups", "deep: where are they?", "deep: Backups\n\nwhere are they?"},
		{"deep: Backups", "Deep: where are they?", "deep: Backups\n\nwhere are they?"},
		{"deep: Backups", "Where are they?", "deep: Backups\n\nWhere are they?"},
		{"Backups", "How deep: one level?", "Backups\n\nHow deep: one level?"},
	} {
		if got := postText(tt.title, tt.text); got != tt.want {
			t.Errorf("postText(%q, %q) = %q, want %q", tt.title, tt.text, got, tt.want)
		}
	}
}
