package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestServiceInstallWritesAUnit(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{"system": {"--as", "root"}, "user": {"--user"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, home := t.TempDir(), t.TempDir()
			p := &program{env: []string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config")}}
			install := append([]string{"service", "install", "--dir", dir}, args...)
			r := p.run(t, install...)
			path := filepath.Join(dir, "footnote.service")
			if !strings.Contains(r.stdout, path) || !strings.Contains(r.stdout, "enable --now footnote") {
				t.Errorf("it says:\n%s", r.stdout)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range []string{"Restart=on-failure", "MemoryMax=80%", "ProtectSystem=strict", "LimitNOFILE=65536"} {
				if !strings.Contains(string(text), "\n"+line+"\n") {
					t.Errorf("%s is missing in\n%s", line, text)
				}
			}
			verify(t, path, args...)

			p.run(t, append(install, "--memory", "2G")...) // over an untouched one
			changed, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(changed), "MemoryMax=2G") {
				t.Fatalf("%v\n%s", err, changed)
			}
			changed = append(changed, "# mine\n"...)
			changed = []byte(strings.Replace(string(changed), "RestartSec=5", "RestartSec=9", 1))
			if err := os.WriteFile(path, changed, 0o600); err != nil {
				t.Fatal(err)
			}
			if r := p.try(t, "", install...); r.code != 1 || !strings.Contains(r.stderr, "was changed by hand") {
				t.Errorf("over a changed unit: exit code %d\n%s", r.code, r.stderr)
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != string(changed) {
				t.Errorf("the changed unit became %s (%v)", after, err)
			}
		})
	}
	if r := (&program{}).try(t, "", "service", "install", "--memory", "lots"); r.code != 2 || !strings.Contains(r.stderr, "4G or 80%") {
		t.Errorf("with a wrong size: exit code %d\n%s", r.code, r.stderr)
	}
}

// verify has systemd read the unit, where there is one.
func verify(t *testing.T, path string, args ...string) {
	t.Helper()
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Log("systemd-analyze is not installed, so the unit is not verified")
		return
	}
	manager := "--system"
	if len(args) > 0 && args[0] == "--user" {
		manager = "--user"
	}
	runtime := t.TempDir()
	cmd := exec.CommandContext(t.Context(), analyze, manager, "--man=no", "verify", path)
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+runtime)
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "footnote.service:") {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
}

// The printed steps may be repeated, such as after an upgrade: settings that are there stay.
func TestServiceStepsKeepSettings(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := &program{env: []string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config")}}
	var step string
	for line := range strings.Lines(p.run(t, "service", "install", "--user", "--dir", t.TempDir()).stdout) {
		if strings.Contains(line, "$EDITOR") {
			step = line
		}
	}
	settings := filepath.Join(home, ".config", "footnote", "footnote.env")
	for _, says := range []string{"", "A=1\n"} {
		cmd := exec.CommandContext(t.Context(), "bash", "-c", step)
		cmd.Env = []string{"HOME=" + home, "EDITOR=true", "PATH=" + os.Getenv("PATH")}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", step, err, out)
		}
		if held, err := os.ReadFile(settings); err != nil || string(held) != says {
			t.Errorf("the settings are %q, want %q (%v)", held, says, err)
		}
		if about, err := os.Stat(settings); err != nil || about.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", about.Mode(), err)
		}
		if err := os.WriteFile(settings, []byte("A=1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
