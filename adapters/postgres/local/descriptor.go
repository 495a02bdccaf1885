package local

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// closeDescriptorsOnExec prevents child programs from inheriting descriptors that this process has
// inherited. Otherwise a server could hold locks and pipes of this process's parent.
func closeDescriptorsOnExec() error {
	const folder = "/dev/fd" // on Linux and on macOS
	open, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("%w: list the open descriptors: %w", ErrStart, err)
	}
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 { // pg_ctl inherits 0 to 2
			syscall.CloseOnExec(fd)
		}
	}
	return nil
}
