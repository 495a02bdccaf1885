package mcp_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/mcp"
)

// fromSlackbot is a message as Slackbot sends it for a person.
func fromSlackbot(method, user, team string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"name":"search","arguments":{"query":"vacation"},"_meta":{"slack":{"user_id":"` + user + `","team_id":"` + team + `","enterprise_id":"E1"}}}}`
}

// byHand has requests count as signed whose signature is "good".
func byHand(config *mcp.HTTPConfig) {
	config.SignedBySlack = func(h http.Header, _ []byte) error {
		if h.Get("X-Slack-Signature") != "good" {
			return errors.New("it is forged")
		}
		return nil
	}
}

func signedAs(signature, bearer string) func(*http.Request) {
	return func(r *http.Request) {
		r.Header.Set("Mcp-Protocol-Version", "2025-06-18")
		if r.Header.Set("X-Slack-Signature", signature); signature == "" {
			r.Header.Del("X-Slack-Signature")
		}
		if bearer != "" {
			r.Header.Set("Authorization", "Bearer "+bearer)
		}
	}
}

func TestSlackbotAsksForThePersonWhomSlackNames(t *testing.T) {
	t.Parallel()
	w := newAsking(t, nil, byHand)
	for name, c := range map[string]struct {
		body, signature, bearer string
		status                  int
		says, asked             string // about whom the platform was asked
	}{
		"signed":                     {fromSlackbot("tools/call", "UADA", "T1"), "good", "", 200, "thirty days", "T1 UADA"},
		"forged":                     {fromSlackbot("tools/call", "UADA", "T1"), "bad", "", 401, "signature is not valid", ""},
		"unsigned":                   {fromSlackbot("tools/call", "UADA", "T1"), "", "", 401, "token is needed", ""},
		"another team":               {fromSlackbot("tools/call", "UADA", "T2"), "good", "", 200, "not connected to your workspace", "T2 UADA"},
		"no one":                     {strings.Replace(fromSlackbot("tools/call", "", "T1"), "UADA", "", 1), "good", "", 200, "no one is signed in", ""},
		"no team":                    {fromSlackbot("tools/call", "UADA", ""), "good", "", 200, "no one is signed in", ""},
		"a list of tools":            {`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, "good", "", 200, "read_document", ""},
		"a token and a person":       {fromSlackbot("tools/call", "UADA", "T1"), "", secret, 200, "thirty days", " "},
		"a token and a signature":    {fromSlackbot("tools/call", "UADA", "T1"), "good", secret, 200, "thirty days", " "},
		"a bad token and signature":  {fromSlackbot("tools/call", "UADA", "T1"), "good", "footnote_wrong", 401, "not known here", ""},
		"the door's own word":        {fromSlackbot("tools/call", "UADA", "T1"), "", "slackbot", 401, "not known here", ""},
		"what is no message":         {`{"params":"x"`, "good", "", 400, "", ""},
		"a batch":                    {"[" + fromSlackbot("tools/call", "UADA", "T1") + "]", "good", "", 400, "batches", ""},
		"an identity that is a list": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"vacation"},"_meta":{"slack":["UADA"]}}}`, "good", "", 200, "no one is signed in", ""},
	} {
		w.asked.Store(nil)
		status, text := w.post(t, "", strings.NewReader(c.body), signedAs(c.signature, c.bearer))
		asked := ""
		if a := w.asked.Load(); a != nil {
			asked = a.Workspace.ID + " " + a.ID
		}
		if status != c.status || !strings.Contains(text, c.says) || asked != c.asked {
			t.Errorf("%s: %d %s, asked about %q; want %d, %q and %q", name, status, text, asked, c.status, c.says, c.asked)
		}
		if c.asked == "T1 UADA" && !strings.Contains(text, "for the person who asked alone") {
			t.Errorf("%s: the result does not say for whom it is: %s", name, text)
		}
	}
	if status, text := newWorld(t).post(t, "", strings.NewReader(fromSlackbot("tools/call", "UADA", "T1")), signedAs("good", "")); status != http.StatusUnauthorized {
		t.Errorf("without a signing secret: %d %s", status, text)
	}
}

// Two workspaces may have people of one id. They are counted as two.
func TestPeopleOfTwoWorkspacesHaveTheirOwnLimits(t *testing.T) {
	t.Parallel()
	l := newLoop()
	w := newAsking(t, l, byHand)
	ask := func(team string) int {
		status, _ := w.post(t, "", strings.NewReader(strings.Replace(fromSlackbot("tools/call", "UADA", team), `"search","arguments":{"query"`, `"ask","arguments":{"question"`, 1)), signedAs("good", ""))
		return status
	}
	done := make(chan int, mcp.MaxOwnAsks)
	for range mcp.MaxOwnAsks {
		go func() { done <- ask("T1") }()
		<-l.begun
	}
	if status := ask("T1"); status != http.StatusTooManyRequests {
		t.Errorf("a further question of the person: %d", status)
	}
	if status := ask("T2"); status != http.StatusOK { // refused by what the platform says
		t.Errorf("a question of the other workspace: %d", status)
	}
	close(l.goOn)
	for range mcp.MaxOwnAsks {
		if status := <-done; status != http.StatusOK {
			t.Errorf("the person's questions: %d", status)
		}
	}
}

// Questions take minutes. They leave room for Slackbot's searches.
func TestSlackbotSearchesWhileAllQuestionsRun(t *testing.T) {
	t.Parallel()
	l := newLoop()
	w := newAsking(t, l, byHand)
	done := make(chan int, mcp.MaxAsks)
	for n := range mcp.MaxAsks {
		go func() {
			body := strings.Replace(fromSlackbot("tools/call", fmt.Sprint("U", n), "T1"), `"search","arguments":{"query"`, `"ask","arguments":{"question"`, 1)
			status, _ := w.post(t, "", strings.NewReader(body), signedAs("good", ""))
			done <- status
		}()
		<-l.begun
	}
	if status, text := w.post(t, "", strings.NewReader(fromSlackbot("tools/call", "UADA", "T1")), signedAs("good", "")); status != http.StatusOK || !strings.Contains(text, "thirty days") {
		t.Errorf("a search: %d %s", status, text)
	}
	close(l.goOn)
	for range mcp.MaxAsks {
		if status := <-done; status != http.StatusOK {
			t.Errorf("a question: %d", status)
		}
	}
}

// What is not known to be Slack's is read in small pieces, and few at a time.
func TestUnsignedBodiesAreBounded(t *testing.T) {
	t.Parallel()
	var checked atomic.Int64
	w := newAsking(t, nil, func(config *mcp.HTTPConfig) {
		config.SignedBySlack = func(_ http.Header, body []byte) error {
			checked.Store(int64(len(body)))
			return errors.New("forged")
		}
	})
	body := &repeated{}
	if status, text := w.post(t, "", io.Reader(body), signedAs("good", "")); status != http.StatusRequestEntityTooLarge && status != 0 {
		t.Errorf("%d %s", status, text)
	}
	if body.read.Load() > 16<<20 || checked.Load() != 0 {
		t.Errorf("%d bytes were read, %d were checked", body.read.Load(), checked.Load())
	}
}

// Bodies that do not come keep no one out: whoever has been sending for longest is turned away.
func TestSlowBodiesDoNotShutSlackbotOut(t *testing.T) {
	t.Parallel()
	w := newAsking(t, nil, byHand)
	w.http.Client().Transport.(*http.Transport).ExpectContinueTimeout = time.Hour // the body waits for the server
	for range 16 {
		body, sent := io.Pipe()
		go func() {
			w.post(t, "", body, func(r *http.Request) {
				signedAs("bad", "")(r)
				r.Header.Set("Expect", "100-continue")
			})
		}()
		t.Cleanup(func() { _ = sent.Close() })
		if _, err := sent.Write([]byte("{")); err != nil {
			t.Fatal(err)
		}
	}
	if status, text := w.post(t, "", strings.NewReader(fromSlackbot("tools/call", "UADA", "T1")), signedAs("good", "")); status != http.StatusOK || !strings.Contains(text, "thirty days") {
		t.Errorf("a search next to slow bodies: %d %s", status, text)
	}
}
