package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

// completed is a position in a command line, after a command or after a flag with a value, and the
// words that can follow it.
type completed struct {
	path  string // "footnote sources add", "footnote eval --mode"
	flag  bool
	words []word
}

type word struct {
	text, help string
	value      bool     // of a flag: it takes a value
	values     []string // of a flag: its allowed values, if fixed
}

// Run executes "footnote completion".
func (c *completionCommand) Run(env *environment, model *kong.Application) error {
	script := map[string]func([]completed) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell]
	_, err := fmt.Fprint(env.out, script(placesOf(model.Node, model.Name, nil)))
	return err //nolint:wrapcheck // it is about the output
}

// placesOf returns the positions in the command n and in the commands below it. above holds the
// flags of parent commands, which apply too.
func placesOf(n *kong.Node, path string, above []word) []completed {
	here := completed{path: path}
	flags, below := slices.Clone(above), []completed(nil)
	for _, f := range n.Flags {
		if !f.Hidden {
			flags = append(flags, word{"--" + f.Name, f.Help, !f.IsBool(), values(f.Value)})
		}
	}
	for _, child := range n.Children {
		if !child.Hidden {
			here.words = append(here.words, word{text: child.Name, help: child.Help})
			below = append(below, placesOf(child, path+" "+child.Name, flags)...)
		}
	}
	for _, arg := range n.Positional {
		here.words = append(here.words, wordsOf(values(arg))...)
	}
	here.words = append(here.words, flags...)
	places := []completed{here}
	for _, f := range flags {
		if f.value {
			places = append(places, completed{path + " " + f.text, true, wordsOf(f.values)})
		}
	}
	return append(places, below...)
}

func values(v *kong.Value) []string {
	return slices.DeleteFunc(v.EnumSlice(), func(s string) bool { return s == "" })
}

func wordsOf(values []string) []word {
	words := make([]word, len(values))
	for i, v := range values {
		words[i].text = v
	}
	return words
}

func cases(places []completed, flags bool) string {
	var b strings.Builder
	for _, p := range places {
		if p.flag != flags {
			continue
		}
		var words []string
		for _, w := range p.words {
			words = append(words, w.text)
		}
		fmt.Fprintf(&b, "    %q) words=%q ;;\n", p.path, strings.Join(words, " "))
	}
	return b.String()
}

func verbs(places []completed) string {
	var quoted []string
	for _, p := range places[1:] {
		if !p.flag {
			quoted = append(quoted, fmt.Sprintf("%q", p.path))
		}
	}
	return strings.Join(quoted, "|")
}

func bashCompletion(places []completed) string {
	return `_footnote() {
  local cur=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} at=footnote words w
  if [[ $cur == "=" ]]; then cur=; elif [[ $before == "=" ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
  for w in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $w" in ` + verbs(places) + `) at="$at $w" ;; esac
  done
  case "$at" in
` + cases(places, false) + `  esac
  case "$at $before" in
` + cases(places, true) + `  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _footnote footnote
`
}

func zshCompletion(places []completed) string {
	return `#compdef footnote
_footnote() {
  local at=footnote w follow
  for w in "${(@)words[2,CURRENT-1]}"; do
    case "$at $w" in ` + verbs(places) + `) at="$at $w" ;; esac
  done
  case "$at" in
` + strings.ReplaceAll(cases(places, false), " words=", " follow=") + `  esac
  case "$at ${words[CURRENT-1]}" in
` + strings.ReplaceAll(cases(places, true), " words=", " follow=") + `  esac
  compadd -- ${(s: :)follow}
  _files
}
if [[ $funcstack[1] == _footnote ]]; then _footnote "$@"; else compdef _footnote footnote; fi
`
}

func fishCompletion(places []completed) string {
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
	quote := strings.NewReplacer(`\`, `\\`, "'", `\'`, "$$", "$")
	for _, p := range places {
		if p.flag {
			continue // completed with its verb
		}
		for _, w := range p.words {
			what := "-a " + w.text
			if flag, ok := strings.CutPrefix(w.text, "--"); ok {
				what = "-l " + flag
			}
			switch {
			case len(w.values) > 0:
				what += " -x -a '" + strings.Join(w.values, " ") + "'"
			case w.value:
				what += " -r"
			}
			help, _, _ := strings.Cut(w.help, ". ")
			fmt.Fprintf(&b, "complete -c footnote -n '__footnote_at \"%s\"' %s -d '%s'\n", p.path, what, quote.Replace(help))
		}
	}
	return b.String()
}
