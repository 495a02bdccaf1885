package discordbot_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/core/llm/llmtest"
)

// signed makes a world in which interactions come as signed requests.
func signed(t *testing.T, model *llmtest.Model, change ...func(*setting)) *world {
	t.Helper()
	var server *discordtest.Server
	w := begin(t, model, append(change, func(s *setting) {
		s.before = func(w *world) { server = w.discord }
		s.key = true
	})...)
	endpoint := httptest.NewServer(w.newest.Handler())
	t.Cleanup(endpoint.Close)
	if err := server.Endpoint(endpoint.URL); err != nil { // with PING and a bad signature, as Discord tries them
		t.Fatal(err)
	}
	return w
}

func TestInteractionsComeAsSignedRequests(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		noGateway bool
	}{{"beside the gateway", false}, {"without the gateway", true}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := signed(t, llmtest.Native(searched(), said(0, "Set it to replica [1].")), func(s *setting) {
				s.bot.Discord.NoGateway, s.deaf = tt.noGateway, tt.noGateway
			})
			got := w.finished(w.ada.Ask(w.general, "How do I set up replication?"))
			if got.Kind != 5 || !strings.HasPrefix(got.Content, "Set it to replica [[1]](<https://docs.example/replication#top>).") {
				t.Errorf("the command shows %+v", got)
			}
			stop := w.ada.Command(w.general, "stop", nil)
			w.until("/stop is answered", func() bool { return stop.State().Kind == 4 })
			typed := w.ada.Type(w.general, "footnote", "setting", "fol")
			w.until("values are offered", func() bool { return typed.State().Kind == 8 })
			if c := typed.State().Choices; len(c) != 1 || c[0] != "follow" {
				t.Errorf("choices = %q", c)
			}
			if f := w.discord.EndpointFaults(); len(f) > 0 {
				t.Errorf("requests failed: %q", f)
			}
			if n, _ := w.discord.Logins(); tt.noGateway && n > 0 {
				t.Errorf("the bot identified %d times", n)
			}
			for _, r := range w.discord.Requests() {
				if strings.HasSuffix(r.Path, "/callback") {
					t.Errorf("an interaction was answered with a request of its own: %s", r.Path)
				}
			}
		})
	}
}
