package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// completionCommand prints a script that makes a shell complete verbs, their parts and flags.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

// verbWords holds what can follow a verb.
type verbWords struct {
	path  string // "footnote sources add"
	words []word
}

type word struct {
	text, help string
	verb       bool
}

// Run implements the verb.
func (c *completionCommand) Run(env *environment, model *kong.Application) error {
	script := map[string]func([]verbWords) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell]
	_, err := fmt.Fprint(env.out, script(placesOf(model.Node, model.Name)))
	return err //nolint:wrapcheck // it is about the output
}

// placesOf lists a verb and those below it.
func placesOf(n *kong.Node, path string) []verbWords {
	here := verbWords{path: path}
	var below []verbWords
	for _, child := range n.Children {
		if child.Hidden {
			continue
		}
		here.words = append(here.words, word{child.Name, child.Help, true})
		below = append(below, placesOf(child, path+" "+child.Name)...)
	}
	for _, f := range n.Flags {
		if !f.Hidden {
			here.words = append(here.words, word{"--" + f.Name, f.Help, false})
		}
	}
	if path == "footnote completion" {
		here.words = append(here.words, word{"bash", "", false}, word{"zsh", "", false}, word{"fish", "", false})
	}
	return append([]verbWords{here}, below...)
}

// cases are the branches of a shell's case: by verb, what follows it.
func cases(places []verbWords) string {
	var b strings.Builder
	for _, p := range places {
		var words []string
		for _, w := range p.words {
			words = append(words, w.text)
		}
		fmt.Fprintf(&b, "    %q) words=%q ;;\n", p.path, strings.Join(words, " "))
	}
	return b.String()
}

// verbs is a pattern of a shell's case: all paths but the first.
func verbs(places []verbWords) string {
	var quoted []string
	for _, p := range places[1:] {
		quoted = append(quoted, fmt.Sprintf("%q", p.path))
	}
	return strings.Join(quoted, "|")
}

func bashCompletion(places []verbWords) string {
	return `_footnote() {
  local cur=${COMP_WORDS[COMP_CWORD]} at=footnote words w
  for w in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $w" in ` + verbs(places) + `) at="$at $w" ;; esac
  done
  case "$at" in
` + cases(places) + `  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _footnote footnote
`
}

func zshCompletion(places []verbWords) string {
	return `#compdef footnote
_footnote() {
  local at=footnote w follow
  for w in "${(@)words[2,CURRENT-1]}"; do
    case "$at $w" in ` + verbs(places) + `) at="$at $w" ;; esac
  done
  case "$at" in
` + strings.ReplaceAll(cases(places), " words=", " follow=") + `  esac
  compadd -- ${(s: :)follow}
  _files
}
if [[ $funcstack[1] == _footnote ]]; then _footnote "$@"; else compdef _footnote footnote; fi
`
}

func fishCompletion(places []verbWords) string {
	var b strings.Builder
	b.WriteString(`function __footnote_at
  set -l at footnote
  for w in (commandline -opc)[2..-1]
    switch "$at $w"
      case ` + strings.ReplaceAll(verbs(places), "|", " ") + `
        set at "$at $w"
    end
  end
  test "$at" = "$argv[1]"
end
`)
	for _, p := range places {
		for _, w := range p.words {
			what := "-a " + w.text
			if flag, ok := strings.CutPrefix(w.text, "--"); ok {
				what = "-l " + flag
			}
			help, _, _ := strings.Cut(w.help, ". ")
			fmt.Fprintf(&b, "complete -c footnote -n '__footnote_at \"%s\"' %s -d '%s'\n", p.path, what, strings.NewReplacer(`\`, `\\`, "'", `\'`, "$$", "$").Replace(help))
		}
	}
	return b.String()
}
