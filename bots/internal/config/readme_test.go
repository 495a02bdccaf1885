package config_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/bots/internal/config"
)

var update = flag.Bool("update", false, "rewrite the settings table of the README")

const (
	readme = "../../../README.md"
	begin  = "<!-- settings: generated from bots/internal/config by \"go test ./bots/internal/config -update\" -->\n"
	end    = "<!-- /settings -->\n"
)

// The README's table is the table that the program reads.
func TestREADMEListsEverySetting(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(data), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatal("the README has no place for the settings table")
	}
	var table strings.Builder
	table.WriteString("| setting | default | meaning |\n|---|---|---|\n")
	for _, s := range config.Settings() {
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", s.Env, code(s.Default), strings.ReplaceAll(s.Help, "|", "\\|"))
	}
	want := before + begin + table.String() + end + after
	if *update {
		if err := os.WriteFile(readme, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(data) {
		t.Error("the settings table of the README is not the program's: run go test ./bots/internal/config -update")
	}
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}
