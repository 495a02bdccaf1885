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

// noToolsPattern matches error responses of servers that do not support tools, or are not
// configured for them (openaitest.ToolRefusals). It does not match errors about the schema of one
// tool, such as "Invalid schema for function" or "Unknown parameter: 'tools[0].strict'".
var noToolsPattern = func() *regexp.Regexp {
	const tools = `\b(tools?|tool[ _-]?(use|usage|calls?|calling|choice)|function[ _-]?call(s|ing)?|functions)\b`
	// whole matches these fields, but not a path inside one, such as "tools[0].strict".
	const whole = `\b(tools|tool_choice|functions)\b['"` + "`" + `]*([\s,:;!})]|\.?$|\.\s)`
	return regexp.MustCompile(strings.Join([]string{
		`\b(not|no|cannot|never|\w+n['’]t)\b[^.]{0,60}\b(support|accept|allow|handle|implement|enable)\w*\b[^.]{0,40}` + tools,
		tools + `['"` + "`" + `]?[^.\[]{0,40}\b(unsupported|disabled|not (yet |fully |currently )*(supported|available|enabled|implemented|allowed|permitted))\b`,
		`\b(unsupported|unrecogni[sz]ed|unknown|unexpected|extra|additional)\b[^.]{0,40}\b(param|argument|field|key|propert|input)\w*\b[^.]{0,30}` + whole,
		`--enable-auto-tool-choice|--tool-call-parser|requires? --jinja`,
	}, `|`))
}()

// templatePattern matches errors of a model's chat template. Their usual causes are tools and tool
// results.
var templatePattern = regexp.MustCompile(`jinja|chat[ _]template|template[ _]error|rendering prompt|roles? must alternate|only user and assistant roles`)

func (e *responseError) aboutRequest() bool {
	switch e.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusPaymentRequired, http.StatusTooManyRequests:
		return false
	}
	return !e.page && !e.tooLong() && !e.filtered()
}

// refusesTools reports whether an endpoint has rejected a request because of its tools or tool
// results. The arguments say which of them the request has.
func (e *responseError) refusesTools(tools, results bool) bool {
	if !tools && !results || !e.aboutRequest() {
		return false
	}
	text := strings.ToLower(strings.Join([]string{e.code, e.kind, e.param, e.message}, " "))
	return noToolsPattern.MatchString(text) || templatePattern.MatchString(text)
}

// withoutTools returns an error that wraps llm.ErrNoTools if the endpoint has rejected tools. It
// also records the rejection. It returns other errors unchanged. If the operator has set
// Config.NativeTools, it returns every error unchanged.
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

// learnChoice records that an endpoint has rejected tool_choice, and reports whether to send the
// request again. Later requests omit the rejected choice. If the choice "none" was rejected, they
// omit the tools instead.
func (d *dialect) learnChoice(e *responseError, sent sdk.ChatCompletionRequest) bool {
	if sent.ToolChoice == toolChoice(llm.ToolChoice{Mode: llm.None}) {
		d.noNone = e.aboutRequest() && e.says("tool_choice", "tool choice")
		return d.noNone
	}
	if sent.ToolChoice == nil || d.noChoice || !e.says("tool_choice") || !e.refusesTools(true, false) {
		return false
	}
	d.noChoice = true
	return true
}
