package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The oldest supported versions of PostgreSQL and pgvector.
const (
	MinMajor  = 15
	MinVector = "0.8"
)

// Server is an installation of PostgreSQL's server programs.
type Server struct {
	// Dir contains initdb, pg_ctl and postgres. Symbolic links are resolved.
	Dir string
	// Version is the server's version, such as "15.18" or "17.2". Major is the first number of
	// Version.
	Version string
	Major   int
	// Vector is the version of the pgvector installed for this server, such as "0.8.0". It is empty
	// if none was found.
	Vector string

	build string // the version with the distribution's suffix, as in server_version
}

var programs = []string{"initdb", "pg_ctl", "postgres"}

// Find returns the server to use for a new cluster: the newest server with a suitable pgvector or,
// if there is none, the newest server. It searches extra, then PATH, then the directories of
// distributions and Homebrew. It returns ErrNoServer or ErrOldServer.
//
// A missing pgvector is not an error here, because only a running server can tell.
func Find(ctx context.Context, extra ...string) (Server, error) {
	found, looked := installed(ctx, searchDirs(ctx, extra...))
	return best(found, looked)
}

// selectServer is like [Find], but it searches only dirs. If the cluster at p exists, it returns a
// server of the major version that created it, because no other version can run it.
func selectServer(ctx context.Context, dirs []string, p paths) (Server, error) {
	made, err := dataMajor(p)
	if err != nil {
		return Server{}, err
	}
	found, looked := installed(ctx, dirs)
	chosen, err := best(found, looked)
	if made == 0 || errors.Is(err, ErrNoServer) {
		return chosen, err
	}
	same := slices.DeleteFunc(found, func(s Server) bool { return s.Major != made })
	if len(same) == 0 {
		have := fmt.Sprintf("what is installed is version %d (%s)", chosen.Major, chosen.Dir)
		if err != nil {
			have = "no version of it that is new enough is installed"
		}
		return Server{}, fmt.Errorf("%w: %s was made by version %d, and %s; install PostgreSQL %d again, "+
			"or move that directory away and index your documents again, or carry the data over with pg_upgrade",
			ErrOtherMajor, p.data(), made, have, made)
	}
	return best(same, looked)
}

// best returns the newest of the found servers. It prefers servers with a suitable pgvector, and
// then the first one found. looked lists the searched directories for the error message.
func best(found []Server, looked []string) (Server, error) {
	if len(found) == 0 {
		return Server{}, fmt.Errorf("%w (looked for initdb, pg_ctl and postgres in %s); %s", ErrNoServer, strings.Join(looked, ", "), otherWay)
	}
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b Server) int {
		if av, bv := newEnough(a.Vector), newEnough(b.Vector); av != bv && min(a.Major, b.Major) >= MinMajor {
			if av {
				return -1
			}
			return 1
		}
		return b.Major - a.Major
	})
	if top := found[0]; top.Major >= MinMajor {
		return top, nil
	}
	return Server{}, fmt.Errorf("%w: %s holds version %s, and Footnote needs %d or newer; %s", ErrOldServer, found[0].Dir, found[0].Version, MinMajor, otherWay)
}

func installed(ctx context.Context, dirs []string) (found []Server, looked []string) {
	seen := map[string]bool{}
	for _, dir := range dirs {
		looked = append(looked, dir)
		if real, err := filepath.EvalSymlinks(filepath.Join(dir, "initdb")); err == nil {
			dir = filepath.Dir(real)
		}
		if seen[dir] {
			continue
		}
		seen[dir] = true
		if server, err := inspect(ctx, dir); err == nil {
			found = append(found, server)
		}
	}
	return found, looked
}

func searchDirs(ctx context.Context, extra ...string) []string {
	dirs := slices.Clone(extra)
	if initdb, err := exec.LookPath("initdb"); err == nil {
		dirs = append(dirs, filepath.Dir(initdb))
	}
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	for _, pattern := range []string{
		"/usr/lib/postgresql/*/bin",          // Debian, Ubuntu
		"/usr/pgsql-*/bin",                   // the PostgreSQL project's RPMs
		"/opt/homebrew/opt/postgresql@*/bin", // Homebrew
		"/usr/local/opt/postgresql@*/bin",    // Homebrew on Intel
		"/usr/local/pgsql/bin",               // built from source
	} {
		matches, _ := filepath.Glob(pattern) // fails on a bad pattern only
		if len(matches) == 0 {
			matches = []string{pattern}
		}
		dirs = append(dirs, matches...)
	}
	return dirs
}

var versionPattern = regexp.MustCompile(`\(PostgreSQL\) ((\d+)[.\w]*).*`)

func inspect(ctx context.Context, dir string) (Server, error) {
	for _, program := range programs {
		info, err := os.Stat(filepath.Join(dir, program))
		if err != nil {
			return Server{}, err
		}
		if info.IsDir() || info.Mode()&0o111 == 0 {
			return Server{}, &fs.PathError{Op: "run", Path: filepath.Join(dir, program), Err: fs.ErrPermission}
		}
	}
	out, err := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return Server{}, fmt.Errorf("ask %s for its version: %w", dir, err)
	}
	match := versionPattern.FindSubmatch(out)
	if match == nil {
		return Server{}, fmt.Errorf("read the version of %s: %q", dir, out)
	}
	major, err := strconv.Atoi(string(match[2]))
	_, build, _ := strings.Cut(string(match[0]), " ")
	return Server{Dir: dir, Version: string(match[1]), Major: major, Vector: vectorVersion(dir, major), build: build}, err
}

var controlVersion = regexp.MustCompile(`(?m)^default_version\s*=\s*'([^']*)'`)

// vectorVersion returns the pgvector version for the server in dir, from pgvector's control file.
// It returns "" if there is no such file.
func vectorVersion(dir string, major int) string {
	number := strconv.Itoa(major)
	prefix := filepath.Dir(dir)
	for _, share := range []string{
		filepath.Join("/usr/share/postgresql", number),
		filepath.Join(prefix, "share"),
		filepath.Join(prefix, "share", "postgresql"),
		filepath.Join(prefix, "share", "postgresql@"+number),
	} {
		if strings.HasPrefix(share, "/usr/share/") && !strings.HasPrefix(dir, "/usr/lib/postgresql/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(share, "extension", "vector.control"))
		if match := controlVersion.FindSubmatch(text); err == nil && match != nil {
			return string(match[1])
		}
	}
	return ""
}

func newEnough(version string) bool {
	number := func(text string) (major, minor int) {
		_, _ = fmt.Sscanf(text, "%d.%d", &major, &minor) // an unreadable version counts as old
		return major, minor
	}
	major, minor := number(version)
	wantMajor, wantMinor := number(MinVector)
	return major > wantMajor || major == wantMajor && minor >= wantMinor
}
