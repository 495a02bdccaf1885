package webconsole_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/gorilla/websocket"
)

// browserLimit bounds everything that a test does with a browser; it is far above what any takes.
const browserLimit = 3 * time.Minute

// chromium is a page in a browser, driven by the DevTools protocol.
type chromium struct {
	testing.TB
	conn    *websocket.Conn
	session string
	next    int // id of a command
}

// newChromium starts a browser without a window. Where none is installed, the test is skipped.
func newChromium(t testing.TB) *chromium {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("Chromium is not installed")
	}
	dir, err := os.MkdirTemp("", "chromium") // t.TempDir is removed while the browser may still write
	if err != nil {
		t.Fatal(err)
	}
	// The sandbox needs a user that is not root; pages come from this test alone.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-port=0", "--user-data-dir="+dir, "about:blank")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it and what it started; it may have ended
		_ = cmd.Wait()
		for end := time.Now().Add(browserLimit); os.RemoveAll(dir) != nil && time.Now().Before(end); {
			_ = sleep.For(context.Background(), 20*time.Millisecond) // until all of them are gone
		}
	})
	c := &chromium{TB: t}
	c.until("the browser listens", func() bool {
		port, err := os.ReadFile(filepath.Join(dir, "DevToolsActivePort"))
		if err != nil || strings.Count(string(port), "\n") < 1 {
			return false
		}
		lines := strings.Split(string(port), "\n")
		conn, answer, err := websocket.DefaultDialer.DialContext(t.Context(), "ws://127.0.0.1:"+lines[0]+lines[1], nil)
		if answer != nil {
			_ = answer.Body.Close() // which holds nothing
		}
		c.conn = conn
		return err == nil
	})
	t.Cleanup(func() { _ = c.conn.Close() })
	var made struct{ TargetID string }
	c.call("Target.createTarget", map[string]any{"url": "about:blank"}, &made)
	var attached struct{ SessionID string }
	c.call("Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &attached)
	c.session = attached.SessionID
	c.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	return c
}

func (c *chromium) until(what string, holds func() bool) {
	c.Helper()
	for end := time.Now().Add(browserLimit); !holds(); {
		if time.Now().After(end) || sleep.For(c.Context(), 20*time.Millisecond) != nil {
			c.Fatalf("it never happened that %s", what)
		}
	}
}

// call sends a command to the page, or to the browser before there is one, and reads its result.
func (c *chromium) call(method string, params map[string]any, result any) {
	c.Helper()
	c.next++
	command := map[string]any{"id": c.next, "method": method, "params": params}
	if c.session != "" {
		command["sessionId"] = c.session
	}
	if err := c.conn.WriteJSON(command); err != nil {
		c.Fatal(err)
	}
	for {
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := c.conn.SetReadDeadline(time.Now().Add(browserLimit)); err != nil {
			c.Fatal(err)
		}
		if err := c.conn.ReadJSON(&answer); err != nil {
			c.Fatalf("%s: %v", method, err)
		}
		if answer.ID != c.next {
			continue // an event
		}
		if answer.Error != nil {
			c.Fatalf("%s: %s", method, answer.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(answer.Result, result); err != nil {
				c.Fatal(err)
			}
		}
		return
	}
}

// eval returns what an expression is in the page. It runs although the page's scripts do not.
func (c *chromium) eval(expression string) string {
	c.Helper()
	var got struct{ Result struct{ Value any } }
	c.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &got)
	return fmt.Sprint(got.Result.Value)
}

// shows waits until the page has a heading.
func (c *chromium) shows(heading string) {
	c.Helper()
	c.until("the page shows "+heading, func() bool {
		return c.eval(`document.readyState === "complete" && document.querySelector("h1")?.textContent`) == heading
	})
}

// press presses keys, as a person does who has no mouse.
func (c *chromium) press(keys ...string) {
	c.Helper()
	codes := map[string]int{"Tab": 9, "Enter": 13}
	for _, key := range keys {
		event := map[string]any{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
		if key == "Enter" {
			event["text"] = "\r"
		}
		c.call("Input.dispatchKeyEvent", event, nil)
		c.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": codes[key]}, nil)
	}
}

// reach presses Tab until an element is focused, and Enter.
func (c *chromium) reach(selector string) {
	c.Helper()
	const most = 60
	for range most {
		if c.eval(fmt.Sprintf("document.activeElement?.matches(%q)", selector)) == "true" {
			c.press("Enter")
			return
		}
		c.press("Tab")
	}
	c.Fatalf("%s cannot be reached by keyboard on\n%s", selector, c.eval("document.body.outerHTML"))
}

// A person signs in, finds a question, follows a citation, looks at each page and signs out, with
// the keyboard alone and without scripts. Nothing is wider than a phone.
func TestConsoleInABrowser(t *testing.T) {
	t.Parallel()
	b := newChromium(t)
	c := newConsole(t)
	server := httptest.NewUnstartedServer(nil)
	address := server.Listener.Addr().String()
	server.Config.Handler = c.handler(address)
	server.Start()
	t.Cleanup(server.Close)
	c.acls["d1"] = access.ACL{access.Public}
	c.texts[1] = "Every employee has thirty vacation days per year."
	c.ask("00000000-0000-7000-8000-000000000001", "How many vacation days?", "Thirty. [[1]](https://docs.example/1)", 1)
	c.ask("00000000-0000-7000-8000-000000000002", strings.Repeat("https://long.example/", 20), strings.Repeat("wordwithoutend", 60), 1)
	c.held["U1"] = []access.Principal{access.Channel("slack", "C1")}
	c.sources = []review.Source{{Name: strings.Repeat("/srv/folder", 20), Kind: "file"}}

	b.call("Page.navigate", map[string]any{"url": "http://" + address + "/sign-in?link=" + c.link("U1", review.Admin)}, nil)
	b.shows("Sign in")
	b.press("Enter") // the button has the focus
	b.shows("Today") // the browser keeps the cookie of a machine's own address without TLS
	if got := b.eval("document.cookie"); got != "" {
		t.Errorf("scripts can read the cookie %q", got)
	}
	for _, page := range []string{"Questions", "Gaps", "Sources", "Questions"} {
		b.reach(fmt.Sprintf(`nav a[href="/%s"]`, strings.ToLower(page)))
		b.shows(page)
		phone(b, page)
	}
	b.reach(`a[href="/questions/00000000-0000-7000-8000-000000000001"]`)
	b.shows("How many vacation days?")
	b.reach(`a.note[href="#c1"]`)
	b.until("the citation is shown", func() bool {
		return strings.Contains(b.eval(`document.querySelector("li:target blockquote")?.textContent`), "thirty vacation days")
	})
	phone(b, "question")
	b.call("Page.navigate", map[string]any{"url": "http://" + address + "/questions/00000000-0000-7000-8000-000000000002"}, nil)
	b.until("the other question is shown", func() bool { return strings.Contains(b.eval("document.title"), "long.example") })
	phone(b, "long question")
	b.reach(`form[action="/sign-out"] button`)
	b.shows("Sign in")
	b.call("Page.navigate", map[string]any{"url": "http://" + address + "/questions"}, nil)
	b.shows("Sign in")
}

// phone checks that a page fits a narrow screen.
func phone(b *chromium, page string) {
	b.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 360, "height": 740, "deviceScaleFactor": 2, "mobile": true}, nil)
	if wide := b.eval("document.documentElement.scrollWidth"); wide != "360" {
		b.Errorf("%s is %s wide on a screen of 360", page, wide)
	}
	b.call("Emulation.clearDeviceMetricsOverride", nil, nil)
}
