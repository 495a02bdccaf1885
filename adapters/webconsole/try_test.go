package webconsole_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/mcp"
	"github.com/footnotehq/footnote/core/review"
)

func TestTryAnswersWithTheRightsOfItsViewer(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	cookie := c.signIn("U1", review.Moderator)
	var asker access.Account
	c.answers = func(_ context.Context, p access.Account, question string, progress func(string)) (mcp.Asked, error) {
		asker = p
		progress("Sear\u202eching: " + question)
		switch question {
		case "refused":
			return mcp.Asked{}, &review.InputError{Sentence: "You may not ask Footnote here."}
		case "broken":
			return mcp.Asked{}, errors.New("the secret cause")
		}
		return mcp.Asked{
			Answer: "Thi\u202er\x01ty. [[1]](https://docs.example/1)", Outcome: "answered", Notes: []string{hostile},
			Sources: []mcp.AskedSource{{Number: 1, Title: hostile, URL: "https://docs.example/1"}, {Number: 2, Title: "bad", URL: "javascript:alert(1)"}},
		}, nil
	}
	ask := func(question string) string {
		t.Helper()
		w := c.do(http.MethodPost, "/try", cookie, url.Values{"question": {question}})
		if body := w.Body.String(); w.Code != http.StatusOK || !strings.HasSuffix(strings.TrimSpace(body), "</html>") || strings.Contains(body, "<script") || strings.Contains(body, `href="javascript:`) {
			t.Errorf("%s: %d\n%s", question, w.Code, body)
		}
		return w.Body.String()
	}
	body := ask(hostile)
	for _, want := range []string{"<li>Searching: &#34;&gt;", `Thirty. <a class="note" href="#c1">[1]</a>`, `<a href="https://docs.example/1"`} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q:\n%s", want, body)
		}
	}
	if asker != account("U1") {
		t.Errorf("asked as %v", asker)
	}
	if body := ask("refused"); !strings.Contains(body, "You may not ask Footnote here.") {
		t.Errorf("refused:\n%s", body)
	}
	if body := ask("broken"); !strings.Contains(body, "Something went wrong") || strings.Contains(body, "secret cause") {
		t.Errorf("broken:\n%s", body)
	}
	for name, form := range map[string]url.Values{"no question": nil, "a long one": {"question": {strings.Repeat("x", 8001)}}, "a long one of other letters": {"question": {strings.Repeat("語", 8001)}}} {
		if w := c.do(http.MethodPost, "/try", cookie, form); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
	for _, letter := range []string{"x", "ü", "語", "😀"} {
		if w := c.do(http.MethodPost, "/try", cookie, url.Values{"question": {strings.Repeat(letter, 8000)}}); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "Thirty.") {
			t.Errorf("8,000 times %s: %d\n%.200s", letter, w.Code, w.Body)
		}
	}
	if w := c.do(http.MethodPost, "/try", cookie, url.Values{"question": {"x"}}, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }); w.Code != http.StatusForbidden {
		t.Errorf("another site asks: %d", w.Code)
	}
	c.roles[account("U1")] = review.GapReader
	if w := c.do(http.MethodPost, "/try", cookie, url.Values{"question": {"x"}}); w.Code != http.StatusForbidden {
		t.Errorf("a reader of gaps asks: %d", w.Code)
	}
}

// What is being done is shown while it is done, and only so many questions are answered at once.
func TestTryIsShownWhileItGoesOn(t *testing.T) {
	t.Parallel()
	c := newConsole(t)
	server := httptest.NewUnstartedServer(nil)
	server.Config.Handler = c.handler(server.Listener.Addr().String())
	server.Start()
	t.Cleanup(server.Close)
	cookie := c.signIn("U1", review.Admin)
	goOn := make(chan struct{})
	c.answers = func(ctx context.Context, _ access.Account, _ string, progress func(string)) (mcp.Asked, error) {
		progress("Searching now")
		select {
		case <-goOn:
		case <-ctx.Done():
		}
		return mcp.Asked{Answer: "Thirty."}, nil
	}
	send := func() (int, io.Reader) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/try", strings.NewReader("question=x"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		r.AddCookie(&http.Cookie{Name: "__Host-footnote", Value: cookie})
		w, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = w.Body.Close() })
		return w.StatusCode, w.Body
	}
	var lines []*bufio.Scanner
	for range 4 {
		_, body := send()
		page := bufio.NewScanner(body)
		for page.Scan() && !strings.Contains(page.Text(), "<li>Searching now</li>") {
			if strings.Contains(page.Text(), "Thirty") {
				t.Fatal("the answer came first")
			}
		}
		lines = append(lines, page)
	}
	if status, _ := send(); status != http.StatusTooManyRequests {
		t.Errorf("a fifth question: %d", status)
	}
	close(goOn)
	for _, page := range lines {
		found := false
		for page.Scan() {
			found = found || strings.Contains(page.Text(), "Thirty.")
		}
		if !found {
			t.Error("the answer did not follow")
		}
	}
}
