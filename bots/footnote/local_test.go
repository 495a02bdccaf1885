package main_test

import (
	"context"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/localmodel/localmodeltest"
	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// ollama is an imitated Ollama whose models answer as Librarian does.
func ollama(t *testing.T, models ...localmodeltest.OllamaModel) (*localmodeltest.Server, *openaitest.Server) {
	t.Helper()
	model := openaitest.New(t)
	u, err := url.Parse(strings.TrimSuffix(model.URL(), "/v1"))
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(u)
	proxy.FlushInterval = -1
	s := localmodeltest.Ollama(t, models...)
	s.Otherwise = proxy
	return s, model
}

// qwen has loaded 4k of the 40k that it was trained for.
var qwen = localmodeltest.OllamaModel{Name: "qwen3:8b", Family: "qwen3", Size: "8.2B", Capabilities: []string{"completion", "tools"}, Trained: 40960, Window: 4096}

// lookingAt is a program that looks for model servers at these addresses alone.
func lookingAt(t *testing.T, servers ...*localmodeltest.Server) (p *program, choice string) {
	t.Helper()
	var addresses []string
	for _, s := range servers {
		addresses = append(addresses, s.Address)
	}
	data := t.TempDir()
	if addresses == nil {
		addresses = []string{"127.0.0.1:9"}
	}
	return newProgram(t, "LOCAL_MODEL=ask", "LOCAL_MODEL_ADDRESSES="+strings.Join(addresses, ","), "FOOTNOTE_DATA="+data), filepath.Join(data, "local-model.json")
}

func TestChatAsksOnceWhetherALocalModelWrites(t *testing.T) {
	t.Parallel()
	server, model := ollama(t, qwen)
	p, choice := lookingAt(t, server)
	p.run(t, "index", handbook(t))
	term := openTerminal(t, p, "chat")
	at := term.await(t, "Ollama runs here with qwen3:8b (8 B, calls tools, up to 40k). Let it write the answers? [Y/n] Nothing leaves this machine. ", 0)
	term.keys(t, "what?\n")
	at = term.await(t, "[Y/n]", at)
	term.keys(t, "\n")
	at = term.await(t, "This is kept. To change it: LOCAL_MODEL=again footnote chat", at)
	at = term.await(t, "Indexed: ", at)
	at = term.await(t, "qwen3:8b of Ollama writes the answers, with a window of 4096 tokens.", at)
	at = term.await(t, "OLLAMA_CONTEXT_LENGTH=32768 ollama", at)
	at = term.await(t, "You can ask, for example:", at)
	at = term.await(t, "› ", at)
	term.keys(t, "How many vacation days does an employee have?\r")
	at = term.await(t, "Sources", at)
	term.await(t, "› ", at)
	term.keys(t, "\x04")
	term.ends(t)
	requests := model.ChatRequests()
	if len(requests) != 1 { // of a model of up to 8 billion parameters
		t.Errorf("the model was asked %d times", len(requests))
	}
	for _, r := range requests {
		if len(r.Body) > 4*4096 {
			t.Errorf("a prompt of %d bytes was made for a window of 4096 tokens", len(r.Body))
		}
	}
	if text, err := os.ReadFile(choice); err != nil || !strings.Contains(string(text), `"model":"qwen3:8b"`) {
		t.Errorf("kept is %q: %v", text, err)
	}

	// It is kept for the next chat, for ask and for the doctor, and never asked again.
	next := openTerminal(t, p, "chat")
	at = next.await(t, "qwen3:8b of Ollama writes the answers", 0)
	next.await(t, "› ", at)
	next.lacks(t, "[Y/n]", 0)
	next.keys(t, "\x04")
	next.ends(t)
	if got := p.run(t, "ask", "How many vacation days does an employee have?"); len(model.ChatRequests()) != 2 {
		t.Errorf("ask is answered by\n%s", got.stdout)
	}
	if r := p.run(t, "doctor"); !strings.Contains(r.stdout, "in footnote chat and ask qwen3:8b (8 B, calls tools, 4k of 40k loaded) of Ollama writes them; "+
		"for footnote serve set OPENAI_BASE_URL=http://"+server.Address+"/v1 LLM_MODEL=qwen3:8b LLM_WINDOW=4096 LLM_PROFILE=small") {
		t.Errorf("the doctor says:\n%s", r.stdout)
	}

	// A server that is gone leaves quotations, and one line says so.
	gone := p.with("LOCAL_MODEL=ask")
	server.Set("/api/version", localmodeltest.Answer{Status: 502})
	r := gone.run(t, "ask", "How many vacation days does an employee have?")
	if want := "qwen3:8b of Ollama at " + server.Address + " cannot write the answers now: it does not answer. Until it can, they quote the documents. To choose again: LOCAL_MODEL=again footnote chat\n"; !strings.Contains(r.stderr, want) {
		t.Errorf("ask says:\n%s", r.stderr)
	}
	if !strings.Contains(r.stdout, "passages match best") || len(model.ChatRequests()) != 2 {
		t.Errorf("the answer is\n%s", r.stdout)
	}
}

func TestChatKeepsANoAndAsksAgainOnDemand(t *testing.T) {
	t.Parallel()
	server, model := ollama(t, qwen)
	p, _ := lookingAt(t, server)
	term := openTerminal(t, p, "chat")
	at := term.await(t, "[Y/n]", 0)
	term.keys(t, "n\n")
	at = term.await(t, "This is kept.", at)
	term.await(t, "› ", at)
	term.keys(t, "\x04")
	term.ends(t)
	next := openTerminal(t, p, "chat")
	next.await(t, "› ", 0)
	next.lacks(t, "Ollama", 0)
	next.keys(t, "\x04")
	next.ends(t)
	if r := p.run(t, "doctor"); !strings.Contains(r.stdout, "footnote chat quotes, because that was chosen; to choose again: LOCAL_MODEL=again footnote chat") {
		t.Errorf("the doctor says:\n%s", r.stdout)
	}
	if len(server.Asked("POST /api/generate")) > 0 {
		t.Error("a model was loaded that is not used")
	}
	again := openTerminal(t, p.with("LOCAL_MODEL=again"), "chat")
	at = again.await(t, "[Y/n]", 0)
	again.keys(t, "y\n")
	again.await(t, "› ", at)
	again.keys(t, "\x04")
	again.ends(t)
	if len(server.Asked("POST /api/generate")) != 1 || len(model.ChatRequests()) > 0 {
		t.Error("the model was not loaded, or was asked")
	}
}

// No model is taken where no person is at the terminal, or where another endpoint is set.
func TestLocalModelsAreNeverTakenSilently(t *testing.T) {
	t.Parallel()
	server, model := ollama(t, qwen)
	p, choice := lookingAt(t, server)
	p.run(t, "index", handbook(t))
	for _, r := range []result{p.run(t, "ask", "How many vacation days does an employee have?"), p.try(t, "How many vacation days does an employee have?\n", "chat")} {
		if !strings.Contains(r.stdout, "passages match best") || strings.Contains(r.stderr, "Ollama") {
			t.Errorf("it says\n%s%s", r.stdout, r.stderr)
		}
	}
	if asked := server.Asked(""); len(asked) > 0 {
		t.Errorf("the server was asked: %q", asked)
	}
	if r := p.run(t, "doctor"); !strings.Contains(r.stdout, "Ollama runs here with qwen3:8b (8 B, calls tools, up to 40k): for footnote serve set OPENAI_BASE_URL=") ||
		!strings.Contains(r.stdout, "footnote chat asks whether it writes the answers there") {
		t.Errorf("the doctor says:\n%s", r.stdout)
	}
	other := openaitest.New(t)
	term := openTerminal(t, p.with("OPENAI_BASE_URL="+other.URL()), "chat")
	term.await(t, "› ", 0)
	term.lacks(t, "Ollama", 0)
	term.keys(t, "\x04")
	term.ends(t)
	if _, err := os.Stat(choice); err == nil || len(model.ChatRequests()) > 0 {
		t.Errorf("something was kept (%v), or asked", err)
	}
}

func TestChatOffersTheModelsOfTwoServers(t *testing.T) {
	t.Parallel()
	first, _ := ollama(t, localmodeltest.OllamaModel{Name: "gemma3:4b", Family: "gemma3", Size: "4.3B", Capabilities: []string{"completion"}, Trained: 131072, Window: 32768})
	second, _ := ollama(t, qwen)
	p, choice := lookingAt(t, first, second)
	term := openTerminal(t, p, "chat")
	at := term.await(t, "Ollama runs here with qwen3:8b (8 B, calls tools, up to 40k). 2: Ollama with gemma3:4b (4 B, calls no tools, up to 128k). Let qwen3:8b write the answers? [Y/n/2]", 0)
	term.keys(t, "2\n")
	at = term.await(t, "This is kept.", at)
	term.await(t, "› ", at)
	term.keys(t, "\x04")
	term.ends(t)
	if text, err := os.ReadFile(choice); err != nil || !strings.Contains(string(text), first.Address) {
		t.Errorf("kept is %q: %v", text, err)
	}
}

func TestChatSaysHowToGetALocalModel(t *testing.T) {
	t.Parallel()
	p, choice := lookingAt(t)
	term := openTerminal(t, p, "chat")
	at := term.await(t, "ollama pull qwen3:8b", 0)
	term.await(t, "› ", at)
	term.keys(t, "\x04")
	term.ends(t)
	empty, _ := ollama(t)
	p, _ = lookingAt(t, empty)
	term = openTerminal(t, p, "chat")
	at = term.await(t, "Ollama runs here at "+empty.Address+", but it has no model.", 0)
	term.await(t, "› ", at)
	term.keys(t, "\x04")
	term.ends(t)
	if _, err := os.Stat(choice); err == nil {
		t.Error("a choice was kept that was not made")
	}
}

// A configured endpoint on this machine may have loaded less than the table of models assumes.
func TestDoctorSaysThatAnEndpointHasLoadedLess(t *testing.T) {
	t.Parallel()
	loaded := qwen
	loaded.Loaded = true
	server, _ := ollama(t, loaded)
	p := newProgram(t, "OPENAI_BASE_URL=http://"+server.Address+"/v1", "LLM_MODEL=qwen3:8b")
	const want = "Ollama has loaded 4096 tokens and cuts longer prompts: set LLM_WINDOW=4096."
	if r := p.run(t, "doctor"); !strings.Contains(r.stdout, "✓ model: qwen3:8b answers, window of 32768 tokens; "+want) || !strings.Contains(r.stdout, "OLLAMA_CONTEXT_LENGTH=32768 ollama serve") {
		t.Errorf("the doctor says:\n%s", r.stdout)
	}
	if r := p.with("LLM_WINDOW=4096").run(t, "doctor"); strings.Contains(r.stdout, "has loaded") {
		t.Errorf("the doctor says:\n%s", r.stdout)
	}
}

// A person chose a local model for the chat. In serve nothing but the settings chooses one.
func TestServeTakesNoLocalModel(t *testing.T) {
	t.Parallel()
	local, model := ollama(t, qwen)
	slack := slacktest.Start(slacktest.Config{})
	t.Cleanup(slack.Close)
	alice := slack.Person("alice", nil)
	room := slack.Channel("help", nil, alice)
	p, choice := lookingAt(t, local)
	p = p.with(socketSettings(slack)...)
	p.run(t, "index", handbook(t), "--acl", "public")
	kept := `{"use":true,"kind":"Ollama","address":"` + local.Address + `","model":"qwen3:8b"}`
	if err := os.WriteFile(choice, []byte(kept), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serve(t, p)
	defer s.stop(t)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	s.inSlack(ctx, t, slack)
	root := alice.Say(room, "", slacktest.Mention()+" How many vacation days does an employee have?")
	if err := slack.Wait(ctx, "the answer", func() bool {
		return slices.ContainsFunc(slack.Answers(room, root), func(m slacktest.Message) bool {
			return strings.Contains(m.Shown(), "passages match best") && !m.Streaming
		})
	}); err != nil {
		t.Fatalf("%v\n%s", err, s.log)
	}
	if asked := local.Asked(""); len(asked) > 0 || len(model.Requests()) > 0 {
		t.Errorf("the server on this machine was asked: %q", asked)
	}
}
