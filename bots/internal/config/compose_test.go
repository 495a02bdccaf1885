package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/goccy/go-yaml"
)

// The compose file knows only settings that there are, starts nothing that outlives its user's rights, and keeps the database off the network.
func TestComposeFile(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "deploy", "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]struct {
			Image       string
			Environment map[string]string
			CapDrop     []string `yaml:"cap_drop"`
			Security    []string `yaml:"security_opt"`
			Networks    []string
			Ports       []string
			ReadOnly    bool `yaml:"read_only"`
			Command     []string
		}
		Networks map[string]struct{ Internal bool }
	}
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range config.Settings() {
		names = append(names, s.Env)
	}
	for name, s := range file.Services {
		if !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Contains(s.Security, "no-new-privileges:true") {
			t.Errorf("%s keeps rights: %+v", name, s)
		}
		if s.Image == "" {
			t.Errorf("%s names no image", name)
		}
		switch name {
		case "postgres", "redis":
			if !slices.Equal(s.Networks, []string{"inside"}) || len(s.Ports) > 0 {
				t.Errorf("%s can be reached from outside: %+v", name, s)
			}
			continue
		}
		if !s.ReadOnly {
			t.Errorf("%s may write to its files", name)
		}
		if s.Environment["DATABASE_URL"] == "" {
			t.Errorf("%s has no database", name)
		}
		for setting := range s.Environment {
			if !slices.Contains(names, setting) {
				t.Errorf("%s sets %s, which is no setting", name, setting)
			}
		}
	}
	if !file.Networks["inside"].Internal || len(file.Services) != 4 {
		t.Errorf("%+v", file)
	}
	if serve := file.Services["footnote"].Command; !slices.Equal(serve, []string{"serve", "--no-migrate"}) {
		t.Errorf("the bot is started with %q", serve)
	}
}
