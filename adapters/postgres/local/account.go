package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"syscall"
)

// account is the operating-system user that owns the cluster and runs its server. PostgreSQL
// refuses to run as root, so root uses another account.
type account struct {
	uid, gid uint32
	name     string
	// drop is set if this process is root and must start programs as the account.
	drop bool
}

// chooseAccount returns the user that runs the server of the cluster at root. That is the current
// user or, if this process runs as root, the owner of the cluster. If root creates a cluster, it is
// the user "postgres" or, if missing, "nobody".
func chooseAccount(root string) (account, error) {
	if os.Geteuid() != 0 {
		me, err := lookup(strconv.Itoa(os.Geteuid()), user.LookupId)
		if err != nil {
			return account{}, fmt.Errorf("%w: PostgreSQL needs a user name for user id %d, and the system knows none; "+
				"add one to /etc/passwd, or set DATABASE_URL", ErrStart, os.Geteuid())
		}
		return me, nil
	}
	if info, err := os.Stat(root); err == nil {
		if uid := info.Sys().(*syscall.Stat_t).Uid; uid != 0 {
			owner, err := lookup(strconv.Itoa(int(uid)), user.LookupId)
			owner.drop = true
			return owner, err
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		if found, err := lookup(name, user.Lookup); err == nil && found.uid != 0 {
			found.drop = true
			return found, nil
		}
	}
	return account{}, fmt.Errorf("%w: PostgreSQL does not run as root, and there is no user \"postgres\" or \"nobody\" to run it; "+
		"run footnote as an ordinary user, or set DATABASE_URL", ErrStart)
}

func lookup(key string, find func(string) (*user.User, error)) (account, error) {
	found, err := find(key)
	if err != nil {
		return account{}, err
	}
	uid, uidErr := strconv.ParseUint(found.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(found.Gid, 10, 32)
	if err := errors.Join(uidErr, gidErr); err != nil {
		return account{}, fmt.Errorf("read the ids of user %s: %w", key, err)
	}
	return account{uid: uint32(uid), gid: uint32(gid), name: found.Username}, nil
}

// own makes the account the owner of a file or directory. It does not follow links. If this process
// is not root, it does nothing.
func (a account) own(name string) error {
	if !a.drop {
		return nil
	}
	return os.Lchown(name, int(a.uid), int(a.gid))
}

// apply makes a command run as the account, in the directory dir. The command gets a separate
// session, so Ctrl-C does not reach it. apply removes PG* variables and language settings from its
// environment.
func (a account) apply(cmd *exec.Cmd, dir string) {
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if a.drop {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid}
	}
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "PG") || strings.HasPrefix(name, "LC_") || strings.HasPrefix(name, "LANG") || name == "HOME" || name == "PWD" {
			continue
		}
		cmd.Env = append(cmd.Env, pair)
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C", "HOME="+dir)
}

// canEnter reports whether the account can work in a directory. It runs a program there, because on
// some file systems the mode bits are not enough to know.
func (a account) canEnter(ctx context.Context, dir string) bool {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", ":")
	a.apply(cmd, dir)
	return cmd.Run() == nil
}

// check returns ErrNotOurs if another user could have created or could change the directory. The
// directory must not be a link, must belong to the account, and must be closed to all other users.
func (a account) check(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return fmt.Errorf("%w: %s is not a directory; move it away", ErrNotOurs, dir)
	case stat.Uid != a.uid:
		return fmt.Errorf("%w: %s belongs to user id %d and not to %s; run footnote as its owner, move it away, or set FOOTNOTE_DATA to another place",
			ErrNotOurs, dir, stat.Uid, a.name)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%w: %s is open to other users (mode %o); close it with: chmod 700 %s", ErrNotOurs, dir, info.Mode().Perm(), dir)
	}
	return nil
}
