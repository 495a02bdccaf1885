package openai

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	sdk "github.com/sashabaranov/go-openai"

	"github.com/footnotehq/footnote/core/llm"
)

// noTools are the ways in which servers say that they take no tools, or not the way they are set
// up; openaitest.ToolRefusals has their words. A fault of one tool's schema, such as "Invalid
// schema for function" or "Unknown parameter: 'tools[0].strict'", is none of them.
var noTools = func() *regexp.Regexp {
	const tools = `\b(tools?|tool[ _-]?(use|usage|calls?|calling|choice)|function[ _-]?call(s|ing)?|functions)\b`
	const whole = `\b(tools|tool_choice|functions)\b['"` + "`" + `]*([\s,:;!})]|\.?$|\.\s)` // not one of its fields
	return regexp.MustCompile(strings.Join([]string{
		`\b(not|no|cannot|never|\w+n['’]t)\b[^.]{0,60}\b(support|accept|allow|handle|implement|enable)\w*\b[^.]{0,40}` + tools,
		tools + `['"` + "`" + `]?[^.\[]{0,40}\b(unsupported|disabled|not (yet |fully |currently )*(supported|available|enabled|implemented|allowed|permitted))\b`,
		`\b(unsupported|unrecogni[sz]ed|unknown|unexpected|extra|additional)\b[^.]{0,40}\b(param|argument|field|key|propert|input)\w*\b[^.]{0,30}` + whole,
		`--enable-auto-tool-choice|--tool-call-parser|requires? --jinja`,
	}, `|`))
}()

// template are the words of a server whose template of the model fails. Templates mostly fail on
// what few of them were tried with: tools and what comes of them.
var template = regexp.MustCompile(`jinja|chat[ _]template|template[ _]error|rendering prompt|roles? must alternate|only user and assistant roles`)

// aboutRequest reports whether a refusal is about the request, and not about the account, the
// prompt or the server's address.
func (e *responseError) aboutRequest() bool {
	switch e.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusPaymentRequired, http.StatusTooManyRequests:
		return false
	}
	return !e.page && !e.tooLong() && !e.filtered()
}

// refusesTools reports whether an endpoint has refused a request because of its tools, or of the
// messages that come of them.
func (e *responseError) refusesTools(tools, results bool) bool {
	if !tools && !results || !e.aboutRequest() {
		return false
	}
	text := strings.ToLower(strings.Join([]string{e.code, e.kind, e.param, e.message}, " "))
	return noTools.MatchString(text) || template.MatchString(text)
}

// withoutTools turns a refusal of tools into llm.ErrNoTools and remembers it, unless the operator
// has said that the endpoint takes them.
func (m *Model) withoutTools(err error, req llm.Request) error {
	var refused *responseError
	if m.config.NativeTools != nil || !m.info.NativeTools || !errors.As(err, &refused) {
		return err
	}
	results := false
	for _, message := range req.Messages {
		results = results || message.Role == llm.Tool
	}
	if !refused.refusesTools(len(req.Tools) > 0, results) {
		return err
	}
	m.noTools.Store(true)
	return fmt.Errorf("%w: %w", llm.ErrNoTools, err)
}

// learnChoice notes that an endpoint takes tools but does not let one be forced, or forbidden. The
// caller makes a forced search itself then; a request that forbids calls is sent without tools.
func (d *dialect) learnChoice(e *responseError, sent sdk.ChatCompletionRequest) bool {
	if sent.ToolChoice == choice(llm.ToolChoice{Mode: llm.None}) {
		d.noNone = e.aboutRequest() && e.says("tool_choice", "tool choice")
		return d.noNone
	}
	if sent.ToolChoice == nil || d.noChoice || !e.says("tool_choice") || !e.refusesTools(true, false) {
		return false
	}
	d.noChoice = true
	return true
}
