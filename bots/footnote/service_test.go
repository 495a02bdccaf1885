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
			if r := p.try(t, "", install...); r.code != 1 || !strings.Contains(r.stderr, "was changed by hand") ||
				!strings.Contains(r.stderr, map[string]string{"system": "(systemctl edit ", "user": "(systemctl --user edit "}[name]) {
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

// An account that cannot reach the program gets no unit: systemd would start it in vain for ever.
func TestServiceInstallRefusesAProgramThatIsClosed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := (&program{}).try(t, "", "service", "install", "--dir", dir, "--as", "no-such-account") // tests build the program in a folder of their own
	if r.code != 1 || !strings.Contains(r.stderr, "is closed to it") || !strings.Contains(r.stderr, "/usr/local/bin/footnote service install\n") {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("it left %v (%v)", files, err)
	}
}

// A shell does not have the settings of the service. Commands say so, and service run passes them.
func TestServiceRunHasTheSettingsOfTheService(t *testing.T) {
	t.Parallel()
	home, bin := t.TempDir(), t.TempDir()
	config := filepath.Join(home, ".config")
	p := &program{env: []string{"HOME=" + home, "XDG_CONFIG_HOME=" + config, "PATH=" + bin + ":" + os.Getenv("PATH"), "FOOTNOTE_DATA="}}
	const note = "without the settings of the service"
	if r := p.try(t, "", "service", "run", "--user", "agents"); r.code != 2 || !strings.Contains(r.stderr, "there is no service") {
		t.Errorf("without a service: exit code %d\n%s", r.code, r.stderr)
	}
	p.run(t, "service", "install", "--user")
	if r := p.run(t, "agents"); strings.Contains(r.stderr, note) {
		t.Errorf("without settings of the service:\n%s", r.stderr)
	}
	settings := filepath.Join(config, "footnote", "footnote.env")
	if err := os.WriteFile(settings, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := p.run(t, "agents"); !strings.Contains(r.stderr, note+" ("+settings+")") || !strings.Contains(r.stderr, "footnote service run --user doctor") {
		t.Errorf("in a shell:\n%s", r.stderr)
	}
	if r := p.with("FOOTNOTE_DATA="+home).run(t, "agents"); strings.Contains(r.stderr, note) {
		t.Errorf("with a data folder of the shell's own:\n%s", r.stderr)
	}
	fake := "#!/bin/sh\nprintf '%s\\n' \"$@\"\nexit 7\n"
	if err := os.WriteFile(filepath.Join(bin, "systemd-run"), []byte(fake), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	r := p.try(t, "", "service", "run", "--user", "sources", "check", "--json")
	for _, want := range []string{"--user\n", "--property=EnvironmentFile=-" + settings + "\n", "\n--\n/", "\nsources\ncheck\n--json\n"} {
		if r.code != 7 || !strings.Contains(r.stdout, want) {
			t.Errorf("exit code %d, %q is missing in\n%s%s", r.code, want, r.stdout, r.stderr)
		}
	}
}
