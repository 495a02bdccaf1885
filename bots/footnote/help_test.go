package main_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/bots/internal/config"
)

func TestHelpIsGroupedByTask(t *testing.T) {
	t.Parallel()
	p := &program{}
	help := p.run(t, "--help").stdout
	if r := p.run(t, "help"); r.stdout != help {
		t.Errorf("footnote help prints:\n%s", r.stdout)
	}
	if r := p.run(t, "help", "sources"); r.stdout != p.run(t, "sources", "--help").stdout {
		t.Errorf("footnote help sources prints:\n%s", r.stdout)
	}
	at := 0
	for _, text := range []string{
		"Try it:", "\n  chat ", "Serve:", "\n  serve ", "Sources:", "\n  sources add ", "Look into what happened:", "\n  why ", "Operate:", "\n  migrate ", "\n  completion ", "footnote settings",
	} {
		i := strings.Index(help[at:], text)
		if i < 0 {
			t.Fatalf("%q is not where it belongs:\n%s", text, help)
		}
		at += i
	}
	if strings.Contains(help, "HYBRID_ALPHA") {
		t.Error("--help lists the settings too")
	}
}

// What says how to mend settings works while they are wrong.
func TestSettingsAndVersionWorkWhateverTheSettingsAre(t *testing.T) {
	t.Parallel()
	p := &program{env: []string{"HYBRID_ALPHA=much"}}
	list := p.run(t, "settings").stdout
	for _, s := range config.Settings() {
		if !strings.Contains(list, "  "+s.Env+" (") || !strings.Contains(list, s.Default) {
			t.Errorf("settings does not list %s with its default", s.Env)
		}
	}
	if version, flag := p.run(t, "version").stdout, p.run(t, "--version").stdout; version != flag || strings.TrimSpace(version) == "" {
		t.Errorf("version prints %q and --version %q", version, flag)
	}
}

func TestShellsCompleteVerbsAndFlags(t *testing.T) {
	t.Parallel()
	p := &program{}
	for shell, ask := range map[string]string{
		"bash": `eval "$SCRIPT"; complete_() { COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _footnote; echo "${COMPREPLY[@]}"; }; complete_ footnote sou; complete_ footnote sources ad; complete_ footnote index --ba; complete_ footnote completion z; complete_ footnote eval --mode k; complete_ footnote sources list --conf`,
		"zsh":  `compdef() { :; }; compadd() { shift; for w in "$@"; do [[ $w == ${words[CURRENT]}* ]] && print -n -- "$w "; done; print; }; _files() { :; }; print -r -- "$SCRIPT" > _footnote; fpath=($PWD); autoload -Uz _footnote; complete_() { words=("$@"); CURRENT=$#; _footnote; }; complete_ footnote sou; complete_ footnote sources ad; complete_ footnote index --ba; complete_ footnote completion z; complete_ footnote eval --mode k; complete_ footnote sources list --conf`,
		"fish": `echo $SCRIPT | source; for line in "footnote sou" "footnote sources ad" "footnote index --ba" "footnote completion z" "footnote eval --mode k" "footnote sources list --conf"; complete -C $line | string split -f1 \t; end; true`,
	} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			script := p.run(t, "completion", shell).stdout
			path, err := exec.LookPath(shell)
			if err != nil {
				t.Skip("this machine has no " + shell)
			}
			args := []string{"-c", ask}
			if shell == "zsh" {
				args = []string{"-f", "-c", ask}
			}
			cmd := exec.CommandContext(t.Context(), path, args...)
			cmd.Dir = t.TempDir() // without files that could be meant
			cmd.Env = []string{"SCRIPT=" + script, "HOME=" + t.TempDir(), "PATH=/usr/bin:/bin", "TERM=dumb"}
			out, err := cmd.CombinedOutput()
			if got, want := strings.Join(strings.Fields(string(out)), " "), "sources add --base-url zsh keyword --config"; err != nil || got != want {
				t.Errorf("%v: completes %q, want %q", err, got, want)
			}
		})
	}
	if r := p.try(t, "", "completion", "csh"); r.code != 2 {
		t.Errorf("an unknown shell: %+v", r)
	}
}
