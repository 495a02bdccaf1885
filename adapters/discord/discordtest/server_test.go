package discordtest_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
)

// client speaks plain HTTP, so that what is proved here does not depend on any library.
type client struct {
	*testing.T
	server  *discordtest.Server
	channel string
	ada     *discordtest.Person
}

func open(t *testing.T, config discordtest.Config) *client {
	t.Helper()
	server, err := discordtest.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	guild := server.AddGuild("Team")
	return &client{T: t, server: server, channel: guild.AddText("general").ID, ada: guild.AddPerson("Ada", false)}
}

// answer is what a call was answered with.
type answer struct {
	status int
	header http.Header
	ID     string  `json:"id"`
	Code   int     `json:"code"`
	After  float64 `json:"retry_after"`
	Global bool    `json:"global"`
}

func (c *client) call(method, path, body string) answer {
	c.Helper()
	req, err := http.NewRequestWithContext(c.Context(), method, c.server.URL()+"/v9"+path, strings.NewReader(body))
	if err != nil {
		c.Fatal(err)
	}
	req.Header.Set("Authorization", "Bot "+c.server.Token())
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		c.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		c.Fatal(err)
	}
	a := answer{status: res.StatusCode, header: res.Header}
	if len(data) > 0 && json.Unmarshal(data, &a) != nil && data[0] == '{' {
		c.Fatalf("%s %s answers %s", method, path, data)
	}
	return a
}

func (c *client) post(body string) answer {
	c.Helper()
	return c.call("POST", "/channels/"+c.channel+"/messages", body)
}

func TestBucketsAndTheGlobalLimit(t *testing.T) {
	t.Parallel()
	c := open(t, discordtest.Config{BucketWindow: time.Hour, GlobalRequests: 8})
	for left := 4; left >= 0; left-- {
		a := c.post(`{"content":"x"}`)
		if a.status != http.StatusOK || a.header.Get("X-RateLimit-Remaining") != string(rune('0'+left)) {
			t.Fatalf("with %d left: status %d, header %q", left, a.status, a.header.Get("X-RateLimit-Remaining"))
		}
	}
	if a := c.post(`{"content":"x"}`); a.status != http.StatusTooManyRequests || a.Global || a.After < 1 || a.header.Get("X-RateLimit-Reset-After") == "" {
		t.Errorf("the sixth create: %+v", a)
	}
	if a := c.call("GET", "/channels/"+c.channel, ""); a.status != http.StatusOK {
		t.Errorf("another route: %+v", a)
	}
	c.call("GET", "/channels/"+c.channel, "")
	if a := c.call("GET", "/channels/"+c.channel, ""); a.status != http.StatusTooManyRequests || !a.Global || a.header.Get("X-RateLimit-Reset-After") != "" {
		t.Errorf("the ninth call: %+v", a)
	}
}

func TestCodesOfRefusedCalls(t *testing.T) {
	t.Parallel()
	c := open(t, discordtest.Config{BucketRequests: 100, GlobalRequests: 1000})
	own := c.post(`{"content":"x"}`).ID
	question := c.ada.Say(c.channel, "What is it?")
	for _, tt := range []struct {
		name, method, path, body string
		code                     int
	}{
		{"too long", "POST", "/channels/" + c.channel + "/messages", `{"content":"` + strings.Repeat("😀", 1001) + `"}`, 50035},
		{"empty", "POST", "/channels/" + c.channel + "/messages", `{"content":" "}`, 50006},
		{"no such channel", "POST", "/channels/1/messages", `{"content":"x"}`, 10003},
		{"no such message", "PATCH", "/channels/" + c.channel + "/messages/1", `{"content":"x"}`, 10008},
		{"somebody else's message", "PATCH", "/channels/" + c.channel + "/messages/" + question, `{"content":"x"}`, 50005},
		{"a thread without a name", "POST", "/channels/" + c.channel + "/messages/" + own + "/threads", `{"name":""}`, 50035},
		{"no such interaction", "POST", "/interactions/1/none/callback", `{"type":5}`, 10062},
		{"no such token", "PATCH", "/webhooks/1/none/messages/@original", `{"content":"x"}`, 10015},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if a := c.call(tt.method, tt.path, tt.body); a.Code != tt.code {
				t.Errorf("code = %d, want %d", a.Code, tt.code)
			}
		})
	}
}

func TestNonceMakesCreatesIdempotent(t *testing.T) {
	t.Parallel()
	c := open(t, discordtest.Config{})
	first := c.post(`{"content":"x","nonce":"n1","enforce_nonce":true}`)
	again := c.post(`{"content":"y","nonce":"n1","enforce_nonce":true}`)
	other := c.post(`{"content":"y","nonce":"n1"}`)
	if first.ID != again.ID || first.ID == other.ID {
		t.Errorf("ids = %s, %s and %s", first.ID, again.ID, other.ID)
	}
}

func TestInteractionIsAnsweredOnceAndInTime(t *testing.T) {
	t.Parallel()
	c := open(t, discordtest.Config{AckLimit: time.Hour, TokenLife: time.Hour})
	i := c.ada.Ask(c.channel, "What is it?")
	callback := "/interactions/" + i.ID + "/" + i.Token + "/callback"
	original := "/webhooks/" + c.server.Bot().ID + "/" + i.Token + "/messages/@original"
	if a := c.call("PATCH", original, `{"content":"x"}`); a.Code != 10015 {
		t.Errorf("an edit before the acknowledgement: %+v", a)
	}
	if a := c.call("POST", callback, `{"type":5}`); a.status != http.StatusNoContent {
		t.Errorf("the acknowledgement: %+v", a)
	}
	if a := c.call("POST", callback, `{"type":5}`); a.Code != 40060 {
		t.Errorf("the second one: %+v", a)
	}
	if a := c.call("PATCH", original, `{"content":"x"}`); a.status != http.StatusOK || i.State().Content != "x" {
		t.Errorf("an edit: %+v", a)
	}
	i.Expire()
	if a := c.call("PATCH", original, `{"content":"y"}`); a.Code != 50027 {
		t.Errorf("an edit after the token's end: %+v", a)
	}
}

func TestMentionsNotifyUnlessTheyAreNotAllowed(t *testing.T) {
	t.Parallel()
	c := open(t, discordtest.Config{})
	c.post(`{"content":"@everyone <@` + c.ada.ID + `>"}`)
	c.post(`{"content":"@everyone <@` + c.ada.ID + `>","allowed_mentions":{"parse":[]}}`)
	got := c.server.Answers(c.channel)
	if len(got) != 2 || len(got[0].Pings) != 2 || len(got[1].Pings) != 0 {
		t.Errorf("answers = %+v", got)
	}
}
