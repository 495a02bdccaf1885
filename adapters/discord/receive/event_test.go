package receive

import (
	"testing"

	"github.com/bwmarrin/discordgo"
)

func TestReactionsThatStop(t *testing.T) {
	t.Parallel()
	usual := []string{"🛑", "⏹️"}
	for _, tt := range []struct {
		name  string
		signs []string
		emoji discordgo.Emoji
		want  bool
	}{
		{"a sign", usual, discordgo.Emoji{Name: "🛑"}, true},
		{"a sign that is drawn in colour", usual, discordgo.Emoji{Name: "⏹️"}, true},
		{"the same without saying so", usual, discordgo.Emoji{Name: "⏹"}, true},
		{"another one", usual, discordgo.Emoji{Name: "👍"}, false},
		{"a server's own that is called like one", usual, discordgo.Emoji{ID: "7", Name: "stop"}, false},
		{"a server's own by its name", []string{":halt:"}, discordgo.Emoji{ID: "7", Name: "halt"}, true},
		{"a server's own by its id", []string{" 7 "}, discordgo.Emoji{ID: "7", Name: "halt"}, true},
		{"a server's own as it is written", []string{"<a:halt:7>"}, discordgo.Emoji{ID: "7", Name: "halt"}, true},
		{"another server's of another name", []string{"<:halt:7>"}, discordgo.Emoji{ID: "8", Name: "whoa"}, false},
		{"one that was deleted", []string{""}, discordgo.Emoji{}, false},
		{"others are chosen", []string{"❌"}, discordgo.Emoji{Name: "🛑"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := stops(tt.signs, tt.emoji); got != tt.want {
				t.Errorf("stops(%q, %+v) = %v", tt.signs, tt.emoji, got)
			}
		})
	}
}
