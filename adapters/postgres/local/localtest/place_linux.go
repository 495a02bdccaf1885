package localtest

import (
	"os"
	"syscall"
)

// enough is the free memory, in bytes, that the machine must have for a cluster in memory.
const enough = 4 << 30

// place returns the directory for the cluster. It is /dev/shm, which is in memory. If TMPDIR is set
// or memory is scarce, as in containers, it is os.TempDir.
func place() string {
	const memory, writable = "/dev/shm", 2
	var fs syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Access(memory, writable) != nil || syscall.Statfs(memory, &fs) != nil || uint64(fs.Bsize)*fs.Bavail < enough {
		return os.TempDir()
	}
	return memory
}
