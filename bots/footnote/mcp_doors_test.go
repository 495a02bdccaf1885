package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// slackbot is Slack's own assistant: it signs requests, and names the person in them.
type slackbot struct {
	*assistants
	secretOf func(h http.Header, body []byte)
	bearer   string
}

// search is a call for a person of a team, and what came back.
func (s slackbot) search(query, user, team string) (status int, text string) {
	s.Helper()
	call, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{
		"name": "search", "arguments": map[string]any{"query": query},
		"_meta": map[string]any{"slack": map[string]any{"user_id": user, "team_id": team}},
	}})
	if err != nil {
		s.Fatal(err)
	}
	r, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.urls[0], strings.NewReader(string(call)))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	s.secretOf(r.Header, call)
	if s.bearer != "" {
		r.Header.Set("Authorization", "Bearer "+s.bearer)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.Fatal(err)
	}
	var answer struct {
		Result struct {
			Content []struct{ Text string }
		}
	}
	if res.StatusCode == http.StatusOK && json.Unmarshal(body, &answer) == nil && len(answer.Result.Content) == 1 {
		return res.StatusCode, answer.Result.Content[0].Text
	}
	return res.StatusCode, string(body)
}

func now(h http.Header, body []byte) { slacktest.Sign(h, body, time.Now()) }

var tokenForm = regexp.MustCompile(`footnote_[A-Za-z0-9_-]{43}`)

// tokenInChat is the token that /footnote token shows a person.
func (a *assistants) tokenInChat(who *slacktest.Person, in *slacktest.Channel) string {
	a.Helper()
	id := who.Slash(in, "/footnote", "token")
	var payload string
	a.until("the token is shown", func() bool {
		d, there := a.slack.Delivered(id)
		payload = string(d.Payload)
		return there
	})
	secret := tokenForm.FindString(payload)
	if secret == "" || !strings.Contains(payload, `"ephemeral"`) {
		a.Fatalf("/footnote token says %s", payload)
	}
	if posted := fmt.Sprintf("%+v", a.slack.Versions()); strings.Contains(posted, secret) {
		a.Errorf("the token was posted: %s", posted)
	}
	return secret
}

// The same question gets the same passages in a direct message, at the terminal with the same
// rights, with a personal token, and from Slackbot.
func TestAllDoorsFindTheSame(t *testing.T) {
	t.Parallel()
	a := newAssistants(t)
	alice, guest := a.slack.Person("alice", nil), a.slack.Person("guest", func(p *slacktest.Person) { p.Guest = true })
	room := a.slack.Channel("general", nil, alice, guest)
	library(t, a.program, map[string]string{"wordmembers": "members", "wordpublic": "public", "wordalice": "user:slack:" + alice.ID, "wordboard": "group:board"})
	words := []string{"wordalice", "wordboard", "wordmembers", "wordpublic"}
	a.serve(0)
	const question = "What does the " + vacation + " say?"
	bot := slackbot{a, now, ""}
	for _, c := range []struct {
		who   *slacktest.Person
		holds string
		want  []string
	}{
		{alice, "members,user:slack:" + alice.ID, []string{"wordalice", "wordmembers", "wordpublic"}},
		{guest, "user:slack:" + guest.ID, []string{"wordpublic"}},
	} {
		if got := a.ask(0, c.who, nil, words...); !slices.Equal(got, c.want) {
			t.Errorf("a direct message of %s is answered from %v, want %v", c.who.Name, got, c.want)
		}
		terminal := a.program.with("CONSOLE_PRINCIPALS="+c.holds).run(t, "ask", question, "--search-only", "--json")
		var found []string
		for _, d := range jsonOf[struct {
			Documents []struct{ Title string }
		}](t, terminal).Documents {
			found = append(found, d.Title[strings.LastIndex(d.Title, " ")+1:])
		}
		if slices.Sort(found); !slices.Equal(found, c.want) {
			t.Errorf("the terminal with the rights of %s finds %v, want %v", c.who.Name, found, c.want)
		}
		client := a.dial(0, a.tokenInChat(c.who, room))
		byToken := client.Get("search", map[string]any{"query": question})
		if got := wordsIn(byToken, words); !slices.Equal(got, c.want) {
			t.Errorf("the token of %s finds %v, want %v", c.who.Name, got, c.want)
		}
		answer, refused, err := client.Ask(t.Context(), question, func(string) {})
		if err != nil || refused || len(wordsIn(answer, words)) == 0 && !strings.Contains(answer, "ccording to") {
			t.Errorf("the token of %s is answered %q, %t, %v", c.who.Name, answer, refused, err)
		}
		status, bySlackbot := bot.search(question, c.who.ID, slacktest.TeamID)
		above, rest, _ := strings.Cut(bySlackbot, "\n")
		if status != http.StatusOK || !strings.Contains(above, "for the person who asked alone") || rest != byToken {
			t.Errorf("Slackbot gets for %s: %d\n%s\nits token:\n%s", c.who.Name, status, bySlackbot, byToken)
		}
	}
	old := func(h http.Header, body []byte) { slacktest.Sign(h, body, time.Now().Add(-6*time.Minute)) }
	forged := func(h http.Header, body []byte) { slacktest.Sign(h, append([]byte(" "), body...), time.Now()) }
	for name, c := range map[string]struct {
		bot        slackbot
		user, team string
		status     int
		says       string
	}{
		"old":            {slackbot{a, old, ""}, alice.ID, slacktest.TeamID, 401, "signature is not valid"},
		"forged":         {slackbot{a, forged, ""}, alice.ID, slacktest.TeamID, 401, "signature is not valid"},
		"unsigned":       {slackbot{a, func(http.Header, []byte) {}, ""}, alice.ID, slacktest.TeamID, 401, "token is needed"},
		"another team":   {bot, alice.ID, "T0OTHER", 200, "not connected to your workspace"},
		"a stranger":     {bot, "UNOONE", slacktest.TeamID, 200, "not known at the moment"},
		"bearer of none": {slackbot{a, now, "footnote_none"}, alice.ID, slacktest.TeamID, 401, "not known here"},
	} {
		if status, text := c.bot.search(question, c.user, c.team); status != c.status || !strings.Contains(text, c.says) || len(wordsIn(text, words)) > 0 {
			t.Errorf("%s: %d %s", name, status, text)
		}
	}
	// A token counts alone, whomever the request names.
	if _, text := (slackbot{a, now, a.tokenInChat(guest, room)}).search(question, alice.ID, slacktest.TeamID); !slices.Equal(wordsIn(text, words), []string{"wordpublic"}) {
		t.Errorf("the guest's token finds, in the name of alice, %s", text)
	}
	trail := a.program.run(t, "audit", "--who", alice.ID, "--json").stdout
	for _, door := range []string{`"door":"token"`, `"door":"slackbot"`, `"deed":"token.create"`} {
		if !strings.Contains(trail, door) {
			t.Errorf("the audit trail of alice lacks %s:\n%s", door, trail)
		}
	}
}
