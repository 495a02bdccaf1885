package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"

	"github.com/footnotehq/footnote/adapters/postgres/local"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/systemd"
	"github.com/footnotehq/footnote/bots/internal/wholefile"
)

type serviceCommand struct {
	Install serviceInstall `cmd:"" help:"Write a systemd unit that runs footnote serve, and print what to run next."`
	Run     serviceRun     `cmd:"" help:"Run a command with the account, the settings and the data folder of the service, such as: footnote service run doctor."`
}

type serviceInstall struct {
	User   bool   `name:"user" help:"A unit of your own systemd manager, without root."`
	As     string `name:"as" placeholder:"ACCOUNT" default:"footnote" help:"Account that a unit of the system runs as (default: footnote)."`
	Memory string `name:"memory" placeholder:"SIZE" default:"80%" help:"Memory that the service may use, such as 4G or 80%% of the machine's (default: 80%%)."`
	Dir    string `name:"dir" type:"path" placeholder:"FOLDER" help:"Where units are (default: /etc/systemd/system, or with --user your systemd folder)."`
}

const (
	systemUnits    = "/etc/systemd/system"
	systemSettings = "/etc/footnote/footnote.env"
	unitName       = "footnote.service"
	defaultAccount = "footnote"
)

var (
	accountName = regexp.MustCompile(`^[a-z_][a-z0-9_-]{0,31}$`)
	memorySize  = regexp.MustCompile(`^([1-9][0-9]*[KMGT]?|[1-9][0-9]?%|100%|infinity)$`)
)

// Run executes "footnote service install".
func (c *serviceInstall) Run(env *environment) error {
	if c.User && c.As != defaultAccount {
		return usageError("--as goes with a unit of the system: leave out --user")
	}
	if !accountName.MatchString(c.As) {
		return usageError("--as is no name of an account, such as footnote")
	}
	if !memorySize.MatchString(c.Memory) {
		return usageError("--memory is no size such as 4G or 80%")
	}
	unit, dir, err := c.unit(env)
	if err != nil {
		return err
	}
	text, err := unit.Text()
	if err != nil {
		return err
	}
	if !c.User {
		closed, err := unit.Closed()
		if err != nil {
			return err
		}
		if closed != "" {
			return fmt.Errorf("the account %s could not run %s, because %s is closed to it. Copy the program, and run this command with the copy:\n"+
				"  install %s /usr/local/bin/footnote && /usr/local/bin/footnote service install", c.As, unit.Binary, closed, unit.Binary)
		}
	}
	path := filepath.Join(dir, unitName)
	before, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("look for a unit: %w", err)
	case !systemd.Untouched(string(before)):
		return fmt.Errorf("%s was changed by hand and is left as it is: put your changes into a drop-in (systemctl%s edit %s), remove the file, then try again", path, c.flag(), unitName)
	}
	if err := writeUnit(path, text); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.out, "Wrote %s. Now run:\n%s", path, c.next())
	return err
}

func (c *serviceInstall) unit(env *environment) (unit systemd.Unit, dir string, err error) {
	binary, err := os.Executable()
	if err != nil {
		return unit, "", fmt.Errorf("find the program: %w", err)
	}
	unit = systemd.Unit{Binary: binary, Memory: c.Memory}
	dir = c.Dir
	if !c.User {
		unit.User = c.As
		if dir == "" {
			dir = systemUnits
		}
		return unit, dir, nil
	}
	config, units, err := userUnits()
	if err != nil {
		return unit, "", err
	}
	if dir == "" {
		dir = units
	}
	if unit.Data, err = userData(env); err != nil {
		return unit, "", err
	}
	for _, folder := range []string{unit.Data, filepath.Join(config, "footnote"), dir} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return unit, "", fmt.Errorf("make the folders of the service: %w", err)
		}
	}
	return unit, dir, nil
}

func userUnits() (config, units string, err error) {
	config, err = os.UserConfigDir()
	if err != nil {
		return "", "", fmt.Errorf("find your systemd folder: %w", err)
	}
	return config, filepath.Join(config, "systemd", "user"), nil
}

func userData(env *environment) (string, error) {
	if env.config.DataDir != "" {
		return filepath.Abs(env.config.DataDir)
	}
	return local.DefaultDir()
}

// writeUnit replaces the file atomically, so that systemd never reads half of it.
func writeUnit(path, text string) error {
	err := wholefile.Write(path, 0o644, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err //nolint:wrapcheck // it is wrapped below
	})
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("write the unit: %w; run it as root, or with --user", err)
	}
	if err != nil {
		return fmt.Errorf("write the unit: %w", err)
	}
	return nil
}

func (c *serviceInstall) flag() string {
	if c.User {
		return " --user"
	}
	return ""
}

func (c *serviceInstall) next() string {
	if c.User {
		return `  # settings, such as SLACK_BOT_TOKEN=xoxb-…, one a line; footnote.yaml goes next to them
  (umask 077 && mkdir -p ~/.config/footnote && touch ~/.config/footnote/footnote.env) && $EDITOR ~/.config/footnote/footnote.env
  systemctl --user daemon-reload && systemctl --user enable --now footnote
  loginctl enable-linger    # so that it runs while you are logged out
  footnote service run --user doctor    # every command with the settings of the service
  journalctl --user -fu footnote
`
	}
	return `  useradd --system --home-dir /var/lib/footnote --shell /usr/sbin/nologin ` + c.As + `   # unless there is one
  # settings, such as SLACK_BOT_TOKEN=xoxb-…, one a line; footnote.yaml goes next to them
  install -d /etc/footnote && (umask 077 && touch /etc/footnote/footnote.env) && $EDITOR /etc/footnote/footnote.env
  systemctl daemon-reload && systemctl enable --now footnote
  footnote service run doctor    # every command with the account, the settings and the data folder of the service
  journalctl -fu footnote
`
}

// serviceRun runs commands through systemd-run, which reads footnote.env exactly as systemd does.
type serviceRun struct {
	User    bool     `name:"user" help:"As the service of your own systemd manager."`
	Command []string `arg:"" passthrough:"" placeholder:"COMMAND" help:"The command with its flags, such as doctor."`
}

// Run executes "footnote service run". systemd-run replaces this process.
func (c *serviceRun) Run(env *environment) error {
	dir, config := systemUnits, ""
	if c.User {
		var err error
		if config, dir, err = userUnits(); err != nil {
			return err
		}
	}
	file, err := os.ReadFile(filepath.Join(dir, unitName))
	if errors.Is(err, fs.ErrNotExist) {
		return usageError("there is no service: footnote service install writes one, also with --user")
	}
	if err != nil {
		return fmt.Errorf("read the unit: %w", err)
	}
	binary, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find the program: %w", err)
	}
	runner, err := exec.LookPath("systemd-run")
	if err != nil {
		return fmt.Errorf("systemd-run is missing: %w", err)
	}
	args := append([]string{runner}, systemd.RunArguments(string(file), config, binary, c.Command)...)
	if err := syscall.Exec(runner, args, os.Environ()); err != nil { //nolint:gosec // it is the command that was asked for
		return fmt.Errorf("run systemd-run: %w", err)
	}
	return nil
}

// serviceNote warns that a command does not use the settings of the service installed on this
// machine. It returns "" if the environment says which data to use.
func serviceNote(c *config.Config) string {
	if c.DataDir != "" || c.DatabaseURL != "" {
		return ""
	}
	if exists(filepath.Join(systemUnits, unitName)) {
		return noteOf(systemSettings, "sudo footnote service run")
	}
	own, units, err := userUnits()
	settings := filepath.Join(own, "footnote", "footnote.env")
	if err == nil && exists(filepath.Join(units, unitName)) && exists(settings) {
		return noteOf(settings, "footnote service run --user")
	}
	return ""
}

func noteOf(settings, command string) string {
	return fmt.Sprintf("This command runs without the settings of the service (%s). To use them, write %q instead of \"footnote\", as in: %s doctor", settings, command, command)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
