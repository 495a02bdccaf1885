package config_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/bots/internal/config"
)

var update = flag.Bool("update", false, "rewrite the tables of settings and keys")

// documents is where the tables stand.
const documents = "../../../deploy/docs/"

// marks are the lines between which a generated table stands.
func marks(name string) (begin, end string) {
	return "<!-- " + name + ": generated from bots/internal/config by \"go test ./bots/internal/config -update\" -->\n", "<!-- /" + name + " -->\n"
}

// The tables of the documents are those that the program reads.
func TestDocumentsListEverySetting(t *testing.T) {
	t.Parallel()
	var settings, keys strings.Builder
	settings.WriteString("| setting | default | meaning |\n|---|---|---|\n")
	for _, s := range config.Settings() {
		fmt.Fprintf(&settings, "| `%s` | %s | %s |\n", s.Env, code(s.Default), cell(s.Help))
	}
	keys.WriteString("| key | write | default | meaning |\n|---|---|---|---|\n")
	for _, k := range config.FileKeys() {
		fmt.Fprintf(&keys, "| `%s` | %s | %s | %s |\n", k.Key, cell(k.Values), code(k.Default), cell(k.Help))
	}
	for name, rows := range map[string]string{"settings": settings.String(), "footnote-yaml": keys.String()} {
		file := documents + name + ".md"
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := table(t, string(data), name, rows)
		if *update {
			if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
				t.Fatal(err)
			}
		} else if want != string(data) {
			t.Errorf("the table of %s is not the program's: run go test ./bots/internal/config -update", file)
		}
	}
}

// table puts a table between its marks.
func table(t *testing.T, text, name, table string) string {
	t.Helper()
	begin, end := marks(name)
	before, rest, found := strings.Cut(text, begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("deploy/docs has no place for the table %s", name)
	}
	return before + begin + table + end + after
}

func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

// The table of keys is that of the reader: where a key is unknown, the reader lists those that it
// knows.
func TestEveryKeyOfTheFileIsListed(t *testing.T) {
	t.Parallel()
	listed := make(map[string][]string)
	for _, k := range config.FileKeys() {
		parent, key, nested := "", k.Key, false
		if i := strings.LastIndexByte(k.Key, '.'); i >= 0 {
			parent, key, nested = k.Key[:i], k.Key[i+1:], true
		}
		if key != "NAME" && (nested || !strings.Contains(key, ".")) {
			listed[parent] = append(listed[parent], key)
		}
	}
	for parent, yaml := range map[string]string{
		"agents.NAME": "agents: {a: {x: 1}}", "projects.NAME": "projects: {p: {x: 1}}", "projects.NAME.files[]": "projects: {p: {files: [{x: 1}]}}",
		"sources.NAME": "sources: {s: {x: 1}}", "sources.NAME.slack": "sources: {s: {slack: {x: 1}}}", "sources.NAME.discord": "sources: {s: {discord: {x: 1}}}", "channels[]": "channels: [{x: 1}]", "reports[]": "reports: [{x: 1}]",
		"identity": "identity: {x: 1}", "groups.NAME": "groups: {g: {x: 1}}",
		"prices.models.NAME": "prices: {models: {m: {x: 1}}}", "filters.questions": "filters: {questions: {x: 1}}", "filters.answers": "filters: {answers: {x: 1}}",
	} {
		_, err := config.ParseFile("f.yaml", []byte(yaml))
		if err == nil {
			t.Fatalf("%s: an unknown key is taken", parent)
		}
		_, known, _ := strings.Cut(err.Error(), "the keys here are ")
		known, _, _ = strings.Cut(known, "\n")
		got, want := strings.Split(known, ", "), slices.Clone(listed[parent])
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: the reader knows %q, the table lists %q", parent, got, want)
		}
	}
	_, err := config.ParseFile("f.yaml", []byte("x: 1"))
	if err == nil || !strings.Contains(err.Error(), "the keys here are agent, agents, document_sets, projects, sources, identity, groups, channels, reports, synonyms") {
		t.Errorf("the top level has other keys than the table: %v", err)
	}
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}
