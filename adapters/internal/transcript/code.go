package transcript

import (
	"strings"

	"github.com/footnotehq/footnote/core/document"
)

const fence = "```"

func blocks(text string) []document.Block {
	var out document.Outline
	begin := 0
	for at := 0; ; {
		open := strings.Index(text[at:], fence)
		if open < 0 {
			break
		}
		open += at
		length := strings.Index(text[open+len(fence):], fence)
		if length < 0 {
			break
		}
		code := text[open+len(fence) : open+len(fence)+length]
		at = open + length + 2*len(fence)
		behind, _, _ := strings.Cut(text[at:], "\n")
		alone := strings.TrimSpace(text[begin:open][strings.LastIndexByte(text[begin:open], '\n')+1:]+behind) == ""
		if strings.TrimSpace(code) == "" || !strings.Contains(code, "\n") && !alone {
			continue
		}
		out.Block(document.Paragraph, strings.TrimSpace(text[begin:open]))
		language, rest := languageOf(code)
		out.Code(language, strings.TrimLeft(rest, "\r\n"))
		begin = at
	}
	out.Block(document.Paragraph, strings.TrimSpace(text[begin:]))
	var all []document.Block
	for _, s := range out.Sections() {
		all = append(all, s.Blocks...)
	}
	return all
}

// languageOf splits off the first line of code if it is only the name of a language. People write
// such a line in Slack, although Slack shows it as code.
func languageOf(code string) (language, rest string) {
	first, rest, more := strings.Cut(code, "\n")
	if name := strings.TrimSpace(first); more && languages[strings.ToLower(name)] && strings.TrimSpace(rest) != "" {
		return name, rest
	}
	return "", code
}

var languages = func() map[string]bool {
	names := make(map[string]bool)
	for name := range strings.FieldsSeq(`ansi asm awk bash bat c clojure cmake console cpp c++ cs csharp css csv dart diff dockerfile elixir erlang
		fish go golang graphql groovy haskell hcl html http ini java javascript js json jsx julia kotlin kt lua make makefile markdown md nginx nix
		objc ocaml perl php plaintext powershell properties proto protobuf ps1 py python r rb rs ruby rust scala sh shell sql swift terraform text tf
		toml ts tsx txt typescript vim xml yaml yml zig zsh`) {
		names[name] = true
	}
	return names
}()
