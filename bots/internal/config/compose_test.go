package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/goccy/go-yaml"
)

// pinned is an image whose bytes cannot be changed under its name.
var pinned = regexp.MustCompile(`^[a-z0-9./-]+:[a-z0-9.-]+@sha256:[0-9a-f]{64}$`)

// Who publishes an image under the same name again changes nothing of what is built and run.
func TestImagesArePinned(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "deploy", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	from := regexp.MustCompile(`(?m)^FROM (?:--\S+ )*(\S+)(?: AS (\S+))?`).FindAllStringSubmatch(string(data), -1)
	copied := regexp.MustCompile(`(?m)^COPY .*--from=(\S+)`).FindAllStringSubmatch(string(data), -1)
	stages := []string{"scratch"}
	for _, m := range from {
		if !slices.Contains(stages, m[1]) && !pinned.MatchString(m[1]) {
			t.Errorf("the image is built from %s, which is not pinned to bytes", m[1])
		}
		stages = append(stages, m[2])
	}
	for _, m := range copied {
		if !slices.Contains(stages, m[1]) && !pinned.MatchString(m[1]) {
			t.Errorf("the image is built with files of %s, which is not pinned to bytes", m[1])
		}
	}
	if len(from) < 2 || len(copied) == 0 {
		t.Errorf("the Dockerfile was not understood: %v, %v", from, copied)
	}
}

// There is no password that everybody knows: where none is given, nothing starts, and it is said
// what to do.
func TestComposeHasNoDefaultPassword(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "deploy", "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	used := regexp.MustCompile(`\$\{?(\w+)([^}]*)\}?`).FindAllStringSubmatch(string(data), -1)
	for _, m := range used {
		if m[1] != "PWD" && (m[1] != "POSTGRES_PASSWORD" || !strings.HasPrefix(m[2], ":?set POSTGRES_PASSWORD in deploy/.env")) {
			t.Errorf("%s stands there in place of a setting that must be given", m[0])
		}
	}
	if len(used) < 3 || strings.Contains(string(data), "footnote:footnote") {
		t.Errorf("the compose file was not understood: %v", used)
	}
}

// The compose file knows only settings that there are, starts nothing that outlives its user's
// rights, and keeps the database off the network.
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
			Build       struct{ Dockerfile string }
			MemoryLimit string `yaml:"mem_limit"`
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
		if s.Build.Dockerfile == "" && !pinned.MatchString(s.Image) {
			t.Errorf("%s runs %q, which is not pinned to bytes", name, s.Image)
		}
		if s.MemoryLimit == "" && name != "postgres" {
			t.Errorf("%s has no memory limit", name)
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
		if s.MemoryLimit != "2g" || s.Environment["INDEX_MEMORY_BYTES"] != "1073741824" || s.Environment["GOMEMLIMIT"] != "" {
			t.Errorf("%s remembers up to %s bytes of the index in %s", name, s.Environment["INDEX_MEMORY_BYTES"], s.MemoryLimit)
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

// Compose mounts the folder of footnote.yaml, in which the program starts, so that it finds the
// file.
func TestComposeMountsTheConfiguration(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "deploy", "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var compose struct {
		Services map[string]struct {
			Command    []string
			WorkingDir string `yaml:"working_dir"`
			Volumes    []string
		}
	}
	if err := yaml.Unmarshal(data, &compose); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"footnote", "migrate"} {
		s := compose.Services[name]
		if !slices.Contains(s.Volumes, "./config:/etc/footnote:ro") || s.WorkingDir != "/etc/footnote" {
			t.Errorf("%s mounts %v and starts in %s", name, s.Volumes, s.WorkingDir)
		}
	}
}
