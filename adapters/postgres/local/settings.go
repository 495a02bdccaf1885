package local

import (
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// baseSettings returns settings for a machine with 2 cores and a few GB of memory that also does
// other work. All other settings have PostgreSQL's defaults, including fsync and full_page_writes.
func baseSettings() map[string]string {
	return map[string]string{
		"listen_addresses":        "", // no TCP
		"unix_socket_permissions": "0700",
		"max_connections":         "100",

		"shared_buffers":             "256MB",
		"effective_cache_size":       "1GB",
		"work_mem":                   "16MB",
		"maintenance_work_mem":       "256MB", // building a vector index is fast only in memory
		"huge_pages":                 "off",
		"dynamic_shared_memory_type": sharedMemory(),

		"wal_level":          "minimal", // nothing replicates from here
		"max_wal_senders":    "0",
		"wal_compression":    "on",
		"max_wal_size":       "2GB", // fewer checkpoints while much is indexed
		"checkpoint_timeout": "15min",
		"random_page_cost":   "1.1",
		"jit":                "off", // costs more than it saves for short queries
		"timezone":           "UTC",
		"log_timezone":       "UTC",
		"log_line_prefix":    "%m [%p] ",
		"log_min_messages":   "warning",
		// Statements carry questions and documents; they stay out of the log.
		"log_min_error_statement": "panic",
		"log_checkpoints":         "off",
	}
}

// sharedMemory returns the value of dynamic_shared_memory_type. It returns "mmap" on Linux if
// /dev/shm is too small for parallel index builds, as in many containers.
func sharedMemory() string {
	if runtime.GOOS != "linux" {
		return "posix"
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs("/dev/shm", &fs); err == nil && uint64(fs.Bsize)*fs.Blocks >= 512<<20 {
		return "posix"
	}
	return "mmap"
}

// configure writes the server's configuration files. extra overrides the built-in settings. A
// postgresql.conf that an operator puts next to the data directory overrides both, except for the
// port and the directory of the socket.
func (c *Cluster) configure(extra map[string]string) error {
	settings := baseSettings()
	maps.Copy(settings, extra)
	var conf strings.Builder
	conf.WriteString("# Written by footnote at each start. Your own settings belong into " + strings.ReplaceAll(c.paths.overrides(), "\n", " ") + "\n")
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		conf.WriteString(name + " = " + quote(settings[name]) + "\n")
	}
	conf.WriteString("include_if_exists = " + quote(c.paths.overrides()) + "\n")
	conf.WriteString("port = " + quote(socketPort) + "\n")
	// The value is a list. The quotes protect a comma in the path.
	conf.WriteString("unix_socket_directories = " + quote(`"`+strings.ReplaceAll(c.socket, `"`, `""`)+`"`) + "\n")

	// A client that opens the socket is admitted as the only role if the system identifies it as
	// the owner or as root, who could become the owner anyway.
	ident := Database + " \"" + c.owner.name + "\" " + Database + "\n" + Database + " root " + Database + "\n"
	hba := "local all " + Database + " peer map=" + Database + "\n"
	for name, text := range map[string]string{"postgresql.conf": conf.String(), "pg_ident.conf": ident, "pg_hba.conf": hba} {
		if err := c.replaceFile(filepath.Join(c.paths.data(), name), text); err != nil {
			return err
		}
	}
	return nil
}

// quote returns a quoted value for postgresql.conf, in which backslashes are escapes.
func quote(value string) string {
	return "'" + strings.NewReplacer("'", "''", `\`, `\\`, "\n", `\n`).Replace(value) + "'"
}
