package systemd_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/footnotehq/footnote/bots/internal/systemd"
)

func TestClosedNamesTheFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { //nolint:gosec // other accounts may pass
		t.Fatal(err)
	}
	home, binary := filepath.Join(dir, "home"), filepath.Join(dir, "home", "footnote")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(binary, nil, 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	unit := systemd.Unit{Binary: binary, User: "no-such-account"}
	for _, step := range []struct {
		path string
		mode os.FileMode
		want string
	}{{home, 0o700, home}, {home, 0o755, ""}, {binary, 0o700, binary}} {
		if err := os.Chmod(step.path, step.mode); err != nil {
			t.Fatal(err)
		}
		if closed, err := unit.Closed(); err != nil || closed != step.want {
			t.Errorf("%s with mode %v: %q is closed, want %q (%v)", step.path, step.mode, closed, step.want, err)
		}
	}
	unit.User = "root"
	if closed, err := unit.Closed(); err != nil || closed != "" {
		t.Errorf("to root %q is closed (%v)", closed, err)
	}
}

func TestRunArgumentsAreThoseOfTheUnit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		unit   systemd.Unit
		config string
		want   []string
	}{
		{systemd.Unit{Binary: "/bin/footnote", User: "bot", Memory: "80%"}, "", []string{
			"--quiet", "--pipe", "--wait", "--collect", "--property=User=bot", "--property=StateDirectory=footnote", "--property=StateDirectoryMode=0700",
			"--property=CacheDirectory=footnote", "--property=Environment=FOOTNOTE_DATA=/var/lib/footnote XDG_CACHE_HOME=/var/cache/footnote",
			"--property=WorkingDirectory=/etc/footnote", "--property=EnvironmentFile=-/etc/footnote/footnote.env", "--", "/opt/footnote", "ask", "what is $$HOME?",
		}},
		{systemd.Unit{Binary: "/bin/footnote", Data: "/home/a/100%", Memory: "80%"}, "/home/a/.config", []string{
			"--quiet", "--pipe", "--wait", "--collect", "--user", `--property=Environment="FOOTNOTE_DATA=/home/a/100%"`,
			"--property=WorkingDirectory=/home/a/.config/footnote", "--property=EnvironmentFile=-/home/a/.config/footnote/footnote.env", "--", "/opt/footnote", "ask", "what is $$HOME?",
		}},
	} {
		text, err := tt.unit.Text()
		if err != nil {
			t.Fatal(err)
		}
		if got := systemd.RunArguments(text, tt.config, "/opt/footnote", []string{"ask", "what is $HOME?"}); !slices.Equal(got, tt.want) {
			t.Errorf("%q", got)
		}
	}
}
