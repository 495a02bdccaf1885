package config_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/goccy/go-yaml"
)

// The compose file sets only what the program reads, to values that it takes.
func TestComposeFileFitsTheSettings(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../../deploy/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]struct {
			Image       string            `yaml:"image"`
			Command     []string          `yaml:"command"`
			Environment map[string]string `yaml:"environment"`
		} `yaml:"services"`
	}
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"postgres", "redis", "migrate", "footnote"} {
		if _, found := file.Services[name]; !found {
			t.Errorf("there is no service %s", name)
		}
	}
	var known []string
	for _, s := range config.Settings() {
		known = append(known, s.Env)
	}
	for _, name := range []string{"migrate", "footnote"} {
		environment := file.Services[name].Environment
		for variable, value := range environment {
			if !slices.Contains(known, variable) {
				t.Errorf("service %s sets %s, which the program does not read", name, variable)
			}
			environment[variable] = expand(value)
		}
		if environment["DATABASE_URL"] == "" {
			t.Errorf("service %s has no database: the image holds no PostgreSQL", name)
		}
		if _, err := config.Load(func(variable string) string { return environment[variable] }); err != nil {
			t.Errorf("service %s: %v", name, err)
		}
	}
}

// expand replaces ${NAME:-default} by its default, as compose does where nothing is set.
func expand(value string) string {
	for {
		before, rest, found := strings.Cut(value, "${")
		if !found {
			return value
		}
		variable, after, _ := strings.Cut(rest, "}")
		_, otherwise, _ := strings.Cut(variable, ":-")
		value = before + otherwise + after
	}
}
