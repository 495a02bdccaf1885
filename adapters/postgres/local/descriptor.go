package local

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// keepDescriptors has no program that this process starts inherit the descriptors that this
// process inherited: a server outlives a process that is killed, and would hold its parent's
// locks and pipes. What Go opens is closed on exec already.
func keepDescriptors() error {
	const folder = "/dev/fd" // on Linux and on macOS
	open, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("%w: list the open descriptors: %w", ErrStart, err)
	}
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 { // those below are pg_ctl's
			syscall.CloseOnExec(fd)
		}
	}
	return nil
}
